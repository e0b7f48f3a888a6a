"""Claims: split, numbered, with their dependencies and elements."""

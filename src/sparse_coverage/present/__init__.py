"""Results for people and programs: text, HTML, JSON. Every rendering returns a value; callers write it."""

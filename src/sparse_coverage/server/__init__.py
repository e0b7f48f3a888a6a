"""Sparse Coverage behind HTTP: a web page, a REST service and tools for assistants. The library does the work."""

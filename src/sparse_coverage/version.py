"""The version of this package, for the packages inside it."""

__version__ = "0.1.0"

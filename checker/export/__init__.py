"""Formats that others read: of a trace, and of a whole system."""

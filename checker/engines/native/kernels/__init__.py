"""Compiled kernels over the tables: expansion of packed states, scans over them, graph components."""

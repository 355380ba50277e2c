"""Breadth-first search over packed states: levels, visited set, sleep sets, workers, checkpoints."""

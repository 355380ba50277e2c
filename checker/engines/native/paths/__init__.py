"""Runs through explored levels: the shortest to a target, and how many there are."""

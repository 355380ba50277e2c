"""Synthesis: which fillings of a sketched snapshot algorithm are right, from the cheapest on."""

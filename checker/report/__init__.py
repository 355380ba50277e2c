"""Verdicts and traces for people and for programs; what is here renders, and decides nothing."""

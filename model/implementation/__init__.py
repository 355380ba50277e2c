"""An ordinary class under test: one object a machine, its attributes frozen to a value between calls (CONTRACT 7)."""

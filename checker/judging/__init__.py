"""What an exploration says about the properties: violations, shortest runs, witnesses, vacuity."""

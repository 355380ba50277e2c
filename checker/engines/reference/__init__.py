"""The reference engine, the oracle: search and judge together, in plain Python."""

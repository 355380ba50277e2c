"""Spark: sweeps over many systems, and state spaces beyond one machine. The only place that imports pyspark."""

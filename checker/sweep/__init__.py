"""Many systems judged: batch jobs, matrices, experiments on Spark, and tables of their results."""

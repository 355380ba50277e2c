"""The distributed engine: the native kernels on partitions of the state space, one Spark job a level."""

"""Recovery from checkpoints that machines take by themselves: patterns, recovery lines, Z-paths, and claims of them."""

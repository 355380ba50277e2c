"""A system walked by hand, in a page served on this machine only."""

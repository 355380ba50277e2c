"""What need not be explored: persistent sets and symmetry."""

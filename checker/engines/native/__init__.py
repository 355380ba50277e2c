"""The native engine: numba kernels over tables of local situations. The only place that imports numba."""

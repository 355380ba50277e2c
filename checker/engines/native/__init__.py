"""The native engine: numba kernels over tables of local configurations. The only place that imports numba."""

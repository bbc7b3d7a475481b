"""Alpha-beta search and evaluation in plain Python, and the search types of both kernels."""

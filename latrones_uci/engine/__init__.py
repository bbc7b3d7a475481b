"""What both kernels satisfy, and the engine around them: options, limits, time, one search at a time."""

"""The kernels behind one interface, and the engine session around them: options, limits, time, one search at a time."""

"""The kernels behind one interface, and the session around them: options, limits, time, levels, one search at a time.

Start reading at ``session``, then ``searcher`` or ``kernels``. Public: ``playouts``, and ``Tables`` of ``tables``.
Never imports a dialect: it emits values, and ``protocols`` writes them.
"""

"""What the pages in the browser share: the server for this machine only, event streams, notation, style and scripts.

``board`` and ``watch`` are pages with a server, ``report`` and ``rules`` make files. Scripts and styles are served as
they lie here: ``lib/NAME``, which all pages share, beside the ``board/NAME`` or ``watch/NAME`` of the page.
"""

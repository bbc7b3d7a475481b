"""What the pages in the browser share: the server for this machine only, event streams, notation, style and scripts.

``gui`` and ``watch`` build on it. Imports ``draw``, ``game`` and ``protocol``. The scripts are served as they lie here,
``web/NAME`` beside the ``gui/NAME`` or ``watch/NAME`` of the page.
"""

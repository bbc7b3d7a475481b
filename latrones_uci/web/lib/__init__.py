"""What all pages share: the server for this machine only, markup, charts, notation, replays, and scripts.

Start reading at ``page_server.PageServer`` or ``markup``. Nothing here imports a page.
"""

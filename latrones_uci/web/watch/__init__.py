"""Watch a match in the browser: ``latrones-match --watch`` and ``latrones-uci watch``.

A process of its own serves the page, so that it never delays the games. It reads finished games from the database, and
running games from the match runner, which serves them on loopback. Figures and charts are those of ``report``. Its
modules import each other in this direction:

    live_channel <- scoreboard <- watch_server
"""

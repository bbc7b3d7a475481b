"""A match in the browser: its report, which is one file, and the page that follows it while it runs.

Start reading at ``report.render_report`` or ``watch_server.Watcher``; ``figures`` is what both show. Nothing is played
here: games are read from databases, and running games from the events of their runner.
"""

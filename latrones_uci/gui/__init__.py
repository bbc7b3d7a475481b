"""A board in the browser, for any engine of these games: ``latrones-uci gui``.

The rules are asked here, on the server; the page gets legal moves and positions, and knows no rule itself.

    notation, figures  <-  settings, clocks, player  <-  table  <-  state  <-  registry  <-  server  <-  command
"""

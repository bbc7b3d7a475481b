"""The pages in the browser: the board, a match, and the rules of a game; ``lib`` is what they share.

Scripts and styles are served as they lie here: ``lib/NAME`` beside the ``board/NAME`` or ``match/NAME`` of a page.
"""

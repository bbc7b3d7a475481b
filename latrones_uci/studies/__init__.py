"""What is made of matches: versions compared, nets trained, rulesets measured, puzzles.

Start reading at ``revisions.campaign`` or ``train.trainer``. Public: nothing. Never imports ``web``; only ``train``
plays by an engine in this process.
"""

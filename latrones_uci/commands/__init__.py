"""The command line: one module per subcommand, and the only place that parses arguments. Start reading at ``main``.

Public: nothing. Never imported by another room.
"""

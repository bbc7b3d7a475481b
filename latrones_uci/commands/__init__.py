"""The command line: one module per subcommand, and the only place that parses arguments."""

"""What the page is told when something cannot be done."""


class RefusedError(Exception):
    """A wish of the page that cannot be granted; nothing has changed. The message is one line for people."""

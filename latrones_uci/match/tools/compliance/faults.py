"""How a check says that something is not as it should be. Every message is one line."""


class FaultError(Exception):
    """The engine did something wrong; the message says what was seen."""


class NotOfferedError(Exception):
    """The engine lacks something that it need not have; the message says how it was noticed."""


class NoHandshakeError(Exception):
    """The engine does not come as far as the check needs it."""

"""An engine of your own: a function that chooses moves, served over UCI and UGI."""


def serve() -> None:
    """Placeholder until the engine room is merged."""
    raise NotImplementedError

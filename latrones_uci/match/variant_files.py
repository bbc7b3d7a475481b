"""Games from a file beside the built-in ones."""

from collections.abc import Mapping

from latrones_uci import game
from latrones_uci.game import Ruleset, VariantError, builtin_variants
from latrones_uci.match.errors import SettingsError


def load_variants(path: str | None) -> Mapping[str, Ruleset]:
    """The built-in games, and those of a file if one is named.

    Raises:
        SettingsError: the file cannot be read, or has an error.
    """
    try:
        return builtin_variants() if path is None else game.load_variants(path)
    except VariantError as error:
        raise SettingsError(f"cannot read the games {error}") from error

"""The options by which an engine is told which game is played."""

from latrones_uci.match.tournament.settings import VariantFile, VariantSettings, start_position


def game_options(variant: VariantSettings, variant_file: VariantFile | None) -> dict[str, str]:
    """Names and values in the order in which they must be set.

    Raises:
        SettingsError: there is no such game.
    """
    board = start_position(variant, variant_file).geometry.name
    loaded = {} if variant_file is None else {"VariantPath": variant_file.local_path()}
    return loaded | {"UCI_Variant": variant.name, "BoardSize": board}

"""Tables of small endings: their contents and files, and how to probe and make them. See docs/endings.md."""

from latrones_uci.tablebases.directory import Tables, TableValue
from latrones_uci.tablebases.material import NoTablesError, TablesError

__all__ = ["NoTablesError", "TableValue", "Tables", "TablesError"]

"""Tables of small endings: their contents and files, and how to probe and make them. See docs/endings.md."""

from latrones_uci.engine.tables.directory import Tables, TableValue
from latrones_uci.engine.tables.material import NoTablesError, TablesError

__all__ = ["NoTablesError", "TableValue", "Tables", "TablesError"]

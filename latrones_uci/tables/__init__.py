"""Tables of small endings: what they hold, their files, and how they are probed and made. See docs/endings.md."""

from latrones_uci.tables.directory import Tables, TableValue
from latrones_uci.tables.material import NoTablesError, TablesError

__all__ = ["NoTablesError", "TableValue", "Tables", "TablesError"]

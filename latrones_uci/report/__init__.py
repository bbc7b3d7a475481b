"""The report of a match: one self-contained HTML page.

``collect`` reads a database into a ``ReportData``, and ``render_report`` turns that into HTML. Imports ``match`` (to
read the database), ``records``, ``stats``, ``draw`` and ``game``; never ``engine`` or ``search``.
"""

from latrones_uci.report.data import (
    Estimate,
    ReportData,
    ReportEngine,
    ReportGame,
    ReportPly,
    ReportSprt,
    ReportStanding,
)
from latrones_uci.report.page import render_report

__all__ = [
    "Estimate",
    "ReportData",
    "ReportEngine",
    "ReportGame",
    "ReportPly",
    "ReportSprt",
    "ReportStanding",
    "render_report",
]

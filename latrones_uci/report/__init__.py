"""A match as one self-contained page of HTML.

``render_report`` turns a ``ReportData`` into text; where its values come from is nobody's business here.
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

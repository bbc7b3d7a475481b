"""The report of a match: one self-contained HTML page.

``collect`` reads a database into a ``ReportData``, and ``render_report`` turns that into HTML.
"""

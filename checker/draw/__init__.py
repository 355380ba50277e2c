"""Pictures of traces: space-time diagrams as SVG, PDF and PNG, and pages that step through them."""

from checker.draw.page import html
from checker.draw.rendered import pdf, png
from checker.draw.report import verdict_html
from checker.draw.svg import svg

__all__ = ["html", "pdf", "png", "svg", "verdict_html"]

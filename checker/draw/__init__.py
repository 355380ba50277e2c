"""Pictures of traces: space-time diagrams as SVG and PNG, and pages that step through them."""

from checker.draw.page import html
from checker.draw.png import png
from checker.draw.report import verdict_html
from checker.draw.svg import svg

__all__ = ["html", "png", "svg", "verdict_html"]

"""Pictures of traces: space-time diagrams as SVG and PNG, and pages that step through them."""

from checker.draw.png import png
from checker.draw.svg import svg

__all__ = ["png", "svg"]

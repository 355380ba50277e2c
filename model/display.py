"""Values that show themselves in a notebook's cell. What draws them is found by name when a cell asks, so that the
definitions know nothing of drawing and `import model` loads nothing of it.
"""

from __future__ import annotations

from importlib import import_module

DRAWING = "checker.draw.cells"
"""The module that knows how each value looks: `picture(value)` gives SVG, `page(value)` HTML."""


class DisplayedAsDiagram:
    """Shown as a diagram."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(import_module(DRAWING).picture(self))


class DisplayedAsText:
    """Shown as text and tables."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return str(import_module(DRAWING).page(self))

"""Values that show themselves in a notebook's cell, once it was said who draws them: definitions know no drawing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol


class Drawing(Protocol):
    """What knows how each value looks."""

    def picture(self, value: object) -> str:
        """The value as SVG."""

    def page(self, value: object) -> str:
        """The value as HTML."""


_drawings: list[Callable[[], Drawing]] = []


def drawn_by(load: Callable[[], Drawing]) -> None:
    """From here on values are drawn by what `load` gives, which is called when a cell asks."""
    _drawings[:] = [load]


class DisplayedAsDiagram:
    """Shown as a diagram."""

    __slots__ = ()

    def _repr_svg_(self) -> str | None:
        return _drawings[0]().picture(self) if _drawings else None


class DisplayedAsText:
    """Shown as text and tables."""

    __slots__ = ()

    def _repr_html_(self) -> str | None:
        return _drawings[0]().page(self) if _drawings else None

"""The same diagram as others print or show it: a PDF for a paper, and a PNG for where no SVG is shown.

Both are made by typst, whose renderer of SVG brings its own letters: no system library, no system font is needed.
"""

from __future__ import annotations

from typing import Literal

from checker.draw.svg import svg
from model.errors import missing
from model.trace import Counterexample

SHEET = """#set page(width: auto, height: auto, margin: 0pt)
#set document(date: none)
#image(bytes(sys.inputs.svg), format: "svg")"""
"""A page as large as the picture on it; without a date the same picture is the same file."""

DOTS = 192.0
"""An inch: twice as many as on the page, so that it stays sharp when projected."""


def png(found: Counterexample, bare: bool = False) -> bytes:
    """The diagram as a PNG; `InputError` where the library that renders it is not installed."""
    return _rendered(svg(found, bare), "png")


def pdf(found: Counterexample) -> bytes:
    """The diagram as a figure of a paper, which has its own caption; the letters' shapes go with it."""
    return _rendered(svg(found, bare=True), "pdf")


def _rendered(picture: str, form: Literal["png", "pdf"]) -> bytes:
    try:
        import typst
    except ModuleNotFoundError as error:
        raise missing(error) from None
    return bytes(typst.compile(SHEET.encode(), format=form, ppi=DOTS, sys_inputs={"svg": picture}))

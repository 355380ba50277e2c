"""The same diagram as a PNG, twice as large as on the page so that it stays sharp when projected."""

from __future__ import annotations

from checker.draw.svg import svg
from model.errors import missing
from model.trace import Counterexample

ZOOM = 2


def png(found: Counterexample, bare: bool = False) -> bytes:
    """The diagram as a PNG; `InputError` where the library that renders it is not installed."""
    try:
        import resvg_py
    except ModuleNotFoundError as error:
        raise missing(error) from None
    return bytes(resvg_py.svg_to_bytes(svg_string=svg(found, bare), zoom=ZOOM))

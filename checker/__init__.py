"""How it is checked and shown: engines, traces, reports, Spark, the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import redwhite  # noqa: F401 - before any of model is imported: ours is found first
from checker.check import check

if TYPE_CHECKING:
    from checker.engines.search_options import SearchOptions

__all__ = ["SearchOptions", "check"]


def __getattr__(name: str) -> object:
    """`SearchOptions`, loaded when it is asked for: `import checker` takes milliseconds."""
    if name == "SearchOptions":
        from checker.engines.search_options import SearchOptions

        return SearchOptions
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

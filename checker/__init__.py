"""How it is checked and shown: engines, traces, reports, Spark, the command line."""

from checker import own  # noqa: F401 - before any of model is imported
from checker.check import check
from checker.engines.search_options import SearchOptions

__all__ = ["SearchOptions", "check"]

"""How it is checked and shown: engines, traces, reports, Spark, the command line."""

from checker.bounds import Bounds
from checker.check import check

__all__ = ["Bounds", "check"]

"""Snapshots that real systems recorded, judged from their logs; and a logger that writes such logs."""

from checker.audit.logger import Log

__all__ = ["Log"]

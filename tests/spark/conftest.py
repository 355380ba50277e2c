"""These tests need Spark."""

import pytest

pytest.importorskip("pyspark", reason="pyspark is an optional extra (uv sync --extra spark)")

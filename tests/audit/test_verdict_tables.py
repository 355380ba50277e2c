"""The report of an audit's kept results: rules are told without names, and nothing on the page is cut off."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("pyarrow", reason="pyarrow comes with the extra spark")

import pyarrow as pa
from pyarrow import parquet

from checker.audit.result import Asked, audit
from checker.audit.verdict_rows import batch, snapshot_row
from checker.audit.verdict_tables import report
from tests.audit.logs import LOGS, REAL
from tests.draw.browsing import DESKTOP, PHONE, Browser, browsed, chromium, fits


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """What an audit of the real logs keeps."""
    found = audit([str(LOGS / f"{name}.jsonl.gz") for name in REAL], Asked())
    table = pa.Table.from_batches(list(batch([snapshot_row(audited) for audited in found.snapshots])))
    parquet.write_table(table, tmp_path / "part.parquet")
    return tmp_path


def test_rules_are_sentences_without_names(kept: Path) -> None:
    made = report(kept)
    (rules,) = (table for table in made.tables if table.title == "The first marker rule broken")
    told = {str(row[0]) for row in rules.rows}
    assert "what was announced of ... ends before its marker had closed it" in told
    assert "... accepts ... from ..., and no line sends it" in told
    assert "... is not FIFO: ... is accepted where ... is due (line ...)" in told
    assert sum(int(cell) for row in rules.rows for cell in row[1:]) == 115  # all that are not consistent


@browsed
def test_its_page_shows_all_it_says(kept: Path) -> None:
    """No cell is cut off on a desktop; on a phone tables scroll, and not the page."""
    page = report(kept).page
    with chromium() as launched:
        browser = Browser(launched, kept)
        tab = browser.tab(page.as_uri(), DESKTOP)
        assert fits(tab)
        assert tab.evaluate("[...document.querySelectorAll('.wide')].every(e => e.scrollWidth <= e.clientWidth)")
        assert fits(browser.tab(page.as_uri(), PHONE))
        browser.close()

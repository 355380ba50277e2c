"""The lengths that the text of docs/dataflow.md states are those found."""

from __future__ import annotations

import re

import pytest

from tests.cli.conftest import ROOT
from tests.dataflow.test_manifest import ENTRIES

TEXT = (ROOT / "docs" / "dataflow.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("topology", "program", "protocol", "relax", "name", "words"),
    [
        ("edges:0>2,1>2,2>3,2>4", "dataflow,records=2-0", "barrier,align=false", "", "at-least-once", "9 actions"),
        ("vee", "dataflow,records=1", "barrier", "marker-loss:1", "no-new-deadlock", "after 7 actions on `vee`"),
        ("vee", "dataflow,records=1,sink=eager", "unaligned", "", "output-exactly-once", "`unaligned`, 9 actions"),
    ],
)
def test_the_lengths_in_the_text(topology: str, program: str, protocol: str, relax: str, name: str, words: str) -> None:
    wanted = (topology, program, protocol, relax)
    entry = next(e for e in ENTRIES if (e.topology, e.program, e.protocol, e.relax) == wanted)
    assert words in " ".join(TEXT.split())
    assert re.search(r"\d+", words)[0] == str(entry.violated[name])  # type: ignore[index]

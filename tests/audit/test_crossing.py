"""The messages of a channel that cross cuts, against each message asked in turn."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("pandas", reason="pandas comes with Spark (uv sync --extra spark)")

import pandas as pd

from checker.audit.crossing import crossing

ENDS = st.lists(st.tuples(st.integers(0, 30) | st.none(), st.integers(0, 30) | st.none()), max_size=12)


@given(ENDS, st.lists(st.tuples(st.integers(0, 31), st.integers(0, 31)), min_size=1, max_size=4))
def test_as_each_message_asked_in_turn(ends: list[tuple[int | None, int | None]], cuts: list[tuple[int, int]]) -> None:
    ends = [end for end in ends if end != (None, None)]
    names = [f"m{number}" for number in range(len(ends))]
    pairs = pd.DataFrame({"s": [s for s, _ in ends], "a": [a for _, a in ends], "paired": names}, dtype="object")
    at = {"run": "r", "source": "A", "destination": "B"}
    rows = [{**at, "snapshot": str(number), "sender": s, "accepter": a} for number, (s, a) in enumerate(cuts)]
    found = {
        (row.snapshot, row.machine, row.position, row.paired)
        for row in crossing(pairs, pd.DataFrame(rows)).itertuples()
    }
    wanted = set()
    for number, (sender, accepter) in enumerate(cuts):
        for name, (s, a) in zip(names, ends, strict=True):
            sent, accepted = s is not None and s < sender, a is not None and a < accepter
            if sent != accepted:
                wanted |= {(str(number), m, p, name) for m, p in (("A", s), ("B", a)) if p is not None}
    assert found == wanted

"""The messages of one channel that cross cuts, forwards or backwards."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

WANTED = "run string, snapshot string, machine string, position bigint, paired string"
"""A line of a run that a snapshot's judgement needs; `paired` is what pairs it with another one, if anything does."""


def crossing(pairs: pd.DataFrame, cuts: pd.DataFrame) -> pd.DataFrame:
    """Both ends of the messages that cross each cut.

    pairs: positions s and a of send and accept, missing where there is none, and what pairs them; cuts: positions
    `sender` and `accepter` of the two machines at each snapshot's cut.
    """
    import numpy as np
    import pandas as pd

    s, a = (pairs[end].to_numpy(dtype="float64", na_value=np.inf) for end in "sa")
    paired = pairs["paired"].to_numpy()
    forwards, backwards = Crossing(s, a), Crossing(a, s)
    found: list[tuple[str, str, str, int, str]] = []
    for row in cuts.itertuples():
        ends = ((s, row.source), (a, row.destination))
        for number in (*forwards.of(row.sender, row.accepter), *backwards.of(row.accepter, row.sender)):
            found += [
                (row.run, row.snapshot, machine, int(end[number]), paired[number])
                for end, machine in ends
                if end[number] != np.inf
            ]
    return pd.DataFrame(found, columns=[name.split()[0] for name in WANTED.split(", ")])


class Crossing:
    """The messages whose one end comes before a cut and whose other end does not."""

    def __init__(self, before: np.ndarray, after: np.ndarray) -> None:
        import numpy as np

        self.order = np.argsort(before, kind="stable")
        self.before, self.after = before[self.order], after[self.order]
        self.ended = np.maximum.accumulate(np.where(self.after == np.inf, -1.0, self.after))
        """The latest other end so far, of those that have one: below a cut, all of these so far are on its side."""
        self.never = np.flatnonzero(self.after == np.inf)

    def of(self, here: int, there: int) -> np.ndarray:
        """The numbers of the messages with the one end before `here`, and the other one not before `there`."""
        import numpy as np

        end = np.searchsorted(self.before, here)
        start = min(end, np.searchsorted(self.ended, there))
        late = start + np.flatnonzero(self.after[start:end] >= there)
        found: np.ndarray = self.order[np.concatenate([self.never[: np.searchsorted(self.never, start)], late])]
        return found

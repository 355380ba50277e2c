"""Sleep sets: successors that need not be made, because the search has found them already.

**Lemma.** Let channels be FIFO, each with one sender, let one machine act at a time, and let nothing fail. Let the
search find s first from p, by an action a. Let b be an action of another machine that is enabled in p and comes before
a in the order of events, or that is in the sleep set of p. Then b is enabled in s, and when s is expanded the state to
which b leads from s has been found.

1. a and b commute: neither takes what the other needs, and where one appends to a channel the other removes from its
   other end (EWD864a; the first theorem of `proofs`).
2. If b comes before a, the state q to which b leads from p was found before s, so it is expanded before s.
3. In q, a is enabled and leads to where b leads from s. It is tried there, or is in q's sleep set: then by induction on
   the order in which transitions are tried the state it leads to was found before.
4. If b is in p's sleep set, q was found before p was expanded, by the same induction: go on with 3.
5. Of a's own machine nothing is handed on: it need not commute with a.

So b may be in the *sleep set* of s. These are Godefroid's ("Using partial orders to improve automatic verification
methods", 1990), but that the order is that of a breadth-first search: the set of the first finder is enough, and no
state is expanded twice. Neither the states nor the order in which they are found change, nor their depths, nor the
transitions, since what is in a sleep set is counted. Nor does it change whether the graph is layered: if b from s does
not lead to the next level, then b from p or a from q does not either, and these are tried before.

A *choice* is what one machine may accept (`plan.Plan`). A sleep set is one word: a bit for each choice, and above them,
machine by machine, how many actions they have, the *event count*. It is kept until the state is expanded.
docs/engine/sleep-sets.md has the picture.
"""

from __future__ import annotations

import numpy as np

from checker.engines.native.search.address_space import Space
from checker.engines.native.tables.arrays import ALL_SYNCHRONOUS, FIFO, KINDS_OF_FAULTS, MULTI_CHANNEL, Arrays, Words


class SleepSets:
    """The sleep set of each state, by its number; or none, if `words` is empty. They are read in order, each once."""

    __slots__ = ("_disabled", "space", "words")

    def __init__(self, t: Arrays) -> None:
        alone = not (t.flags[MULTI_CHANNEL] or t.flags[ALL_SYNCHRONOUS] or t.flags[KINDS_OF_FAULTS])
        self._disabled = not (t.flags[FIFO] and alone)  # only actions of different machines commute
        self.space = Space()
        self.words: Words = np.zeros(0, np.uint64)

    def disable(self) -> None:
        """All sleep sets are empty from now on."""
        self._disabled = True
        self.words = self.words[:0].copy()

    def room_for(self, states: int) -> None:
        """Room for the sleep sets of so many states."""
        if not self._disabled:
            self.words = self.space.words(states)

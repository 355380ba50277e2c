"""Whether every transition leads to the next level: shown by counting, in each local state, its machine's own actions.

**Lemma.** Let one machine act at a time, and let nothing crash. Suppose that numbers a(m, l) exist, one for each local
state l of each machine m, such that a is 0 where m starts and every local transition of m from l to l' has a(m, l') =
a(m, l) + 1. Then a state that k actions lead to is at distance k from the start, however it is reached.

1. An action of a machine raises its own a by 1 and leaves all others; a fault takes one from what faults are left.
2. So k actions raise the sum of the a's, and of the faults spent, from 0 to k. The sum is a function of the state.

Hence no state occurs in two levels: whoever expands a level need look for its successors in the next one only.
docs/engine/memory.md says what follows.
"""

from __future__ import annotations

from model.system import System


class Layering:
    """The numbers a of the lemma, as transitions are met; `shown` until they contradict each other."""

    def __init__(self, system: System, start: list[int]) -> None:
        kinds = [kind for kind, _ in system.assumptions.faults]
        self.shown = not system.protocol.synchronous and "crash" not in kinds
        self._actions: list[dict[int, int]] = [{local: 0} for local in start]

    def transition(self, machine: int, before: int, after: int) -> None:
        """One more local transition of a machine, from one local state to another, by their ids."""
        known = self._actions[machine]
        if before not in known or known.setdefault(after, known[before] + 1) != known[before] + 1:
            self.shown = False

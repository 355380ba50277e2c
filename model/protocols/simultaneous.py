"""The simultaneous snapshot: all machines turn red in one action, as if stopped by a common clock (EWD864a's ideal).

Choices: it may happen in any state in which the program lets the initiators begin; complete as for `magic`.
"""

from __future__ import annotations

from model.action import Local, Step
from model.protocols.magic import Coloured


class Simultaneous(Coloured):
    """All machines turn red in one action; white messages accepted afterwards are the channels' record."""

    synchronous = True

    def synchronous_step(self, machine: int, local: Local) -> Step | None:
        """Turn red."""
        held = machine in self.initiators and not self.program.may_initiate(machine, local.state)
        return None if local.memory is not None or held else self.turn_red(machine, local)

"""What the program conserves is conserved, and recorded in full."""

from __future__ import annotations

from model.kinds import Amount, Conserved, ConservedInRecords
from model.property import Evidence, Property

AMOUNT = Amount(
    lambda system: system.program.conserves,
    lambda system, machine, recorded: system.program.held(machine, recorded),
    lambda system, payload: system.program.carried(payload),
)
"""What the program says that it conserves."""

CONSERVATION = Property(
    "conservation",
    "What the program conserves is conserved, in every state and in every recorded one.",
    "Chandy & Lamport 1985, section 2",
    lambda system: system.program.conserves is not None,
    on_state=Conserved(AMOUNT),
    on_recorded=ConservedInRecords(AMOUNT),
    evidence=Evidence.AMOUNT,
    symmetric=True,
    monotone=True,
)

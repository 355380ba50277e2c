"""Checkpoints without coordination: every machine takes one whenever it likes (Randell 1975; Wang et al. 1995).

The rules. A machine may take a checkpoint at any moment: it writes its state to stable storage. It remembers between
which of its checkpoints it sent and accepted each message. After a failure the recovery line is computed from that,
and may be far back: each machine that goes back can drag others with it (the domino effect).

Choices: see `model.recovery.checkpointing`.
"""

from __future__ import annotations

from model.recovery.checkpointing import Checkpointing


class Uncoordinated(Checkpointing):
    """Machines checkpoint whenever they like; the recovery line is found afterwards, and may be far back."""

"""What is taken for granted of channels and machines, and how far a relaxation weakens it; never implicit in code."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from model.action import Fault, Message
from model.channels import Bag, Content, Discipline, Fifo, Overtake, without
from model.errors import InputError, like

FAULTS = {
    "loss": "at most K messages vanish from their channels",
    "duplication": "at most K messages are doubled; the copy goes to the channel's end",
    "marker-loss": "at most K markers (or other control messages) vanish",
    "marker-duplication": "at most K markers (or other control messages) are doubled",
    "crash": "at most K machines stop for ever",
}
RELAXATIONS = {
    "fifo": "channels become bags: any message, marker or not, may be accepted",
    "overtake": "a message may be accepted past at most K others ahead of it; K@C-D: on channels C and D alone",
    **FAULTS,
}


@dataclass(frozen=True, slots=True)
class Assumptions:
    """The channel discipline and how many faults of each kind one run may have; none unless relaxed.

    `faults` holds (kind, most) in the order of `FAULTS`; the state of a system carries what is left of each. `only`:
    the channels that have the discipline, the others being FIFO; if empty all have it.
    """

    discipline: Discipline = field(default_factory=Fifo)
    faults: tuple[tuple[str, int], ...] = ()
    only: tuple[int, ...] = ()

    def of_channel(self, channel: int) -> Discipline:
        """The discipline of this channel."""
        return self.discipline if not self.only or channel in self.only else Fifo()

    @property
    def relaxations(self) -> tuple[str, ...]:
        """The relaxations by the names that `parse_relaxations` reads."""
        order: tuple[str, ...] = ()
        if isinstance(self.discipline, Bag):
            order = ("fifo",)
        if isinstance(self.discipline, Overtake):
            where = "@" + "-".join(map(str, self.only)) if self.only else ""
            order = (f"overtake:{self.discipline.most}{where}",)
        return order + tuple(f"{kind}:{most}" for kind, most in self.faults)

    def describe(self) -> str:
        """One line for people: what is assumed of every channel and machine."""
        if isinstance(self.discipline, Fifo):
            channels = "channels are FIFO"
        elif isinstance(self.discipline, Overtake):
            where = f" on channel{'s' * (len(self.only) > 1)} {', '.join(map(str, self.only))}" if self.only else ""
            channels = f"messages may overtake at most {self.discipline.most} others{where}"
        else:
            channels = "channels are bags (no FIFO)"
        kinds = dict(self.faults)
        faults = ", ".join(f"at most {most} {kind}" for kind, most in kinds.items())
        return f"{channels}; {faults or 'no message is lost, doubled or altered, no machine crashes'}"

    def channel_faults(self, channel: int, content: Content, left: tuple[int, ...]) -> Iterator[tuple[int, Fault]]:
        """(index of the fault's budget, fault) for all that the channel may do by itself now, results distinct."""
        for index, (kind, _) in enumerate(self.faults):
            if kind == "crash" or not left[index]:
                continue
            results = set()
            for position, message in enumerate(content):
                if kind.startswith("marker-") and not message.control:
                    continue
                fault = Fault(kind, channel, position, message)
                result = self.struck(content, fault)
                if result not in results:
                    results.add(result)
                    yield index, fault

    def struck(self, content: Content, fault: Fault) -> Content:
        """The content after the fault."""
        if fault.kind.endswith("loss"):
            return without(content, fault.position)
        assert isinstance(fault.message, Message)
        return self.discipline.push(content, fault.message)

    def underlying(self) -> Assumptions:
        """The same assumptions for the underlying computation alone: no control messages; a crash adds no behaviour."""
        return replace(self, faults=tuple(f for f in self.faults if f[0] in ("loss", "duplication")))


def parse_relaxations(text: str) -> Assumptions:
    """Assumptions from a comma-separated list such as `fifo,loss:1`; `InputError` says what is accepted."""
    discipline: Discipline | None = None
    faults: dict[str, int] = {}
    only: tuple[int, ...] = ()
    for item in filter(None, (part.strip() for part in text.split(","))):
        name, colon, number = item.partition(":")
        if name == "overtake" and "@" in number:
            number, only = _channels(item, number)
        if name not in RELAXATIONS:
            choice = ", ".join(map(_form, RELAXATIONS))
            raise InputError(f"unknown relaxation {item!r}: {like(name, RELAXATIONS)}choose from {choice}")
        if name == "fifo" and colon:
            raise InputError(f"relaxation {item!r}: fifo takes no number")
        if name != "fifo" and not (number.isascii() and number.isdigit() and int(number) > 0):
            raise InputError(f"relaxation {item!r}: write {_form(name)} with K a whole number from 1")
        if name in ("fifo", "overtake"):
            if discipline is not None:
                raise InputError(f"relaxations {text!r}: at most one of fifo and overtake:K, once")
            discipline = Bag() if name == "fifo" else Overtake(int(number))
        elif name in faults:
            raise InputError(f"relaxations {text!r}: {name} is given twice")
        else:
            faults[name] = int(number)
    return Assumptions(discipline or Fifo(), tuple((kind, faults[kind]) for kind in FAULTS if kind in faults), only)


def _channels(item: str, number: str) -> tuple[str, tuple[int, ...]]:
    """How many may be overtaken, and on which channels."""
    most, _, where = number.partition("@")
    numbers = where.split("-")
    if not all(c.isascii() and c.isdigit() for c in numbers):
        raise InputError(f"relaxation {item!r}: after @ channels by their numbers, as in overtake:1@0-2")
    return most, tuple(sorted({int(c) for c in numbers}))


def _form(name: str) -> str:
    return name if name == "fifo" else f"{name}:K"

"""The systems that are measured, written `TOPOLOGY b=B,s=S`: the transfer program under the marker protocol, FIFO."""

from __future__ import annotations

from dataclasses import dataclass

from model.catalogue import build_system
from model.errors import InputError
from model.families import parse_family
from model.system import System

SMALL = ("complete:3 b=1,s=2", "biring:4 b=1,s=1")
LARGE = ("complete:3 b=2,s=2", "ring:5 b=2,s=3", "biring:4 b=1,s=2", "complete:3 b=2,s=3", "complete:4 b=1,s=1")


@dataclass(frozen=True, slots=True)
class Measured:
    """One system by the words of the command line."""

    topology: str
    program: str

    @staticmethod
    def parse(text: str) -> Measured:
        """From `TOPOLOGY` or `TOPOLOGY b=B,s=S`."""
        topology, *options = text.split()
        if len(options) > 1:
            raise InputError(f"system {text!r}: write TOPOLOGY b=B,s=S, as in 'complete:3 b=2,s=2'")
        return Measured(topology, ",".join(["transfer", *options]))

    @property
    def name(self) -> str:
        """As `parse` reads it."""
        return " ".join([self.topology, self.program.removeprefix("transfer").lstrip(",")]).strip()

    def build(self) -> System:
        """The system."""
        return build_system(parse_family(self.topology), self.program)

"""Promela as one would write it by hand for speed: transfer + marker over FIFO, the same state graph as Redwhite's.

Every action is one `d_step`, so that SPIN stores and counts what Redwhite does. All variables are bit fields of the
width that they need: that is the smallest state vector we found, and the fastest. Two ways to write a channel:

counters: a unit has no content, so a FIFO channel is three numbers: units ahead of the marker, whether the marker is
    there, units behind it. The faster, but it is a trick of this one model.
chan: SPIN's own FIFO channels, as any model with messages would be written.

SPIN 6.5.2 must be run with -o2, which switches its dead-variable elimination off: with it, variables that are read
only inside a d_step are taken for dead, and states are lost (ring:3: 205 of 298).
"""

from __future__ import annotations

from collections.abc import Iterator

from model.errors import InputError
from model.programs.transfer import Transfer
from model.protocols.marker import Marker
from model.system import System
from model.topology import Topology


def promela(system: System, style: str = "counters") -> str:
    """The model in Promela; `InputError` for a system other than single-action transfer + marker over FIFO channels."""
    program, protocol = checked(system)
    writer = STYLES[style](system.topology, program.balances, program.sends, protocol.initiators)
    return "\n".join(writer.lines()) + "\n"


def checked(system: System) -> tuple[Transfer, Marker]:
    """Program and protocol of a system that is written here; `InputError` for any other."""
    program, protocol = system.program, system.protocol
    plain = type(program) is Transfer and type(protocol) is Marker and not protocol.multi_channel
    if not plain or system.assumptions.relaxations:
        raise InputError(f"{system.description}: the benchmark model is of transfer with marker, relax none")
    assert isinstance(program, Transfer) and isinstance(protocol, Marker)
    return program, protocol


class Writer:
    """The text of one model, part by part."""

    def __init__(
        self, topology: Topology, balances: tuple[int, ...], sends: tuple[int, ...], initiators: tuple[int, ...]
    ) -> None:
        self.topology = topology
        self.balances = balances
        self.sends = sends
        self.initiators = initiators

    def lines(self) -> Iterator[str]:
        """The whole module."""
        for machine in range(self.topology.machines):
            yield from self.machine(machine)
        for channel, (source, _) in enumerate(self.topology.channels):
            yield from self.channel(channel, self.sends[source])
        yield from ("", "init {", "  do")
        for machine in self.initiators:
            yield f"  :: d_step {{ !red{machine} -> {self.turn_red(machine)} }}"
        for channel in range(len(self.topology.channels)):
            yield from self.actions(channel)
        yield from ("  od", "}")

    def machine(self, machine: int) -> Iterator[str]:
        """Its balance and sends left; once red, the balance that it recorded."""
        units = sum(self.balances)
        yield variable(f"balance{machine}", units, self.balances[machine])
        yield variable(f"sends{machine}", self.sends[machine], self.sends[machine])
        yield variable(f"red{machine}", 1)
        yield variable(f"saved{machine}", units)

    def channel(self, channel: int, most: int) -> Iterator[str]:
        """What is in it, and what its receiver recorded of it; it never holds more than its sender may send."""
        yield variable(f"ahead{channel}", most)
        yield variable(f"marker{channel}", 1)
        yield variable(f"behind{channel}", most)
        yield variable(f"closed{channel}", 1)
        yield variable(f"kept{channel}", most)

    def turn_red(self, machine: int) -> str:
        """Record the balance and put a marker on each output channel."""
        markers = "".join(f" marker{channel} = 1;" for channel in self.topology.outputs[machine])
        return f"red{machine} = 1; saved{machine} = balance{machine};{markers}"

    def actions(self, channel: int) -> Iterator[str]:
        """Send a unit; accept a unit, recording it while red and open; accept the marker, turning red if white."""
        c, (x, y) = channel, self.topology.channels[channel]
        yield (
            f"  :: d_step {{ balance{x} && sends{x} -> balance{x}--; sends{x}--;"
            f" if :: marker{c} -> behind{c}++ :: else -> ahead{c}++ fi }}"
        )
        yield (
            f"  :: d_step {{ ahead{c} -> ahead{c}--; balance{y}++;"
            f" if :: red{y} && !closed{c} -> kept{c}++ :: else -> skip fi }}"
        )
        yield (
            f"  :: d_step {{ marker{c} && !ahead{c} -> marker{c} = 0; ahead{c} = behind{c}; behind{c} = 0;"
            f" closed{c} = 1; if :: red{y} -> skip :: else -> {self.turn_red(y)} fi }}"
        )


class ChanWriter(Writer):
    """The same with SPIN's channels: of bits, 0 for a unit, 1 for the marker."""

    def channel(self, channel: int, most: int) -> Iterator[str]:
        """Room for all that its sender may send, and the marker."""
        yield f"chan c{channel} = [{most + 1}] of {{ bit }};"
        yield variable(f"closed{channel}", 1)
        yield variable(f"kept{channel}", most)

    def turn_red(self, machine: int) -> str:
        """Record the balance and send a marker on each output channel."""
        markers = "".join(f" c{channel}!1;" for channel in self.topology.outputs[machine])
        return f"red{machine} = 1; saved{machine} = balance{machine};{markers}"

    def actions(self, channel: int) -> Iterator[str]:
        """Send a unit; accept a unit, recording it while red and open; accept the marker, turning red if white."""
        c, (x, y) = channel, self.topology.channels[channel]
        yield f"  :: d_step {{ balance{x} && sends{x} -> balance{x}--; sends{x}--; c{c}!0 }}"
        yield (f"  :: d_step {{ c{c}?0 -> balance{y}++; if :: red{y} && !closed{c} -> kept{c}++ :: else -> skip fi }}")
        yield f"  :: d_step {{ c{c}?1 -> closed{c} = 1; if :: red{y} -> skip :: else -> {self.turn_red(y)} fi }}"


STYLES = {"counters": Writer, "chan": ChanWriter}


def variable(name: str, most: int, initial: int = 0) -> str:
    """A bit field just wide enough for 0..most."""
    return f"unsigned {name} : {max(1, most.bit_length())} = {initial};"

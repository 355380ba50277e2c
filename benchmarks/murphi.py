"""Murphi, as Rumur reads it, for the graph that `promela.py` writes: channels as counters, one rule an action."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.promela import checked
from model.system import System


def murphi(system: System) -> str:
    """The model; `InputError` for a system other than single-action transfer + marker over FIFO channels."""
    program, protocol = checked(system)
    topology, units = system.topology, sum(program.balances)

    def variables() -> Iterator[str]:
        for machine in range(topology.machines):
            yield from (f"balance{machine}: 0..{units};", f"sends{machine}: 0..{max(1, program.sends[machine])};")
            yield from (f"red{machine}: 0..1;", f"saved{machine}: 0..{units};")
        for c, (source, _) in enumerate(topology.channels):
            most = max(1, program.sends[source])
            yield from (f"{name}{c}: 0..{most};" for name in ("ahead", "behind", "kept"))
            yield from (f"{name}{c}: 0..1;" for name in ("marker", "closed"))

    def start() -> Iterator[str]:
        for text in variables():
            name = text.partition(":")[0]
            given = {"balance": program.balances, "sends": program.sends}
            kind, number = name.rstrip("0123456789"), int(name.lstrip("abcdefghijklmnopqrstuvwxyz"))
            yield f"{name} := {given[kind][number] if kind in given else 0};"

    def turn_red(machine: int) -> str:
        markers = " ".join(f"marker{c} := 1;" for c in topology.outputs[machine])
        return f"red{machine} := 1; saved{machine} := balance{machine}; {markers}"

    def rules() -> Iterator[tuple[str, str]]:
        for machine in protocol.initiators:
            yield f"red{machine} = 0", turn_red(machine)
        for c, (x, y) in enumerate(topology.channels):
            added = f"if marker{c} = 1 then behind{c} := behind{c} + 1; else ahead{c} := ahead{c} + 1; end;"
            sent = f"balance{x} := balance{x} - 1; sends{x} := sends{x} - 1; {added}"
            yield f"balance{x} > 0 & sends{x} > 0", sent
            kept = f"if red{y} = 1 & closed{c} = 0 then kept{c} := kept{c} + 1; end;"
            yield f"ahead{c} > 0", f"ahead{c} := ahead{c} - 1; balance{y} := balance{y} + 1; {kept}"
            ahead = f"marker{c} := 0; ahead{c} := behind{c}; behind{c} := 0; closed{c} := 1;"
            yield f"marker{c} = 1 & ahead{c} = 0", f"{ahead} if red{y} = 0 then {turn_red(y)} end;"

    return "\n".join(
        [
            *("var", *(f"  {text}" for text in variables())),
            *("startstate begin", *(f"  {text}" for text in start()), "end;"),
            *(f'rule "{n}" {guard} ==> begin {body} end;' for n, (guard, body) in enumerate(rules())),
            "",
        ]
    )

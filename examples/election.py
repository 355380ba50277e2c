"""A program of one's own: Chang and Roberts' election of a leader on a ring.

    redwhite check ring:3 --program examples/election.py:Election
    redwhite check ring:3 --program examples/election.py:Election,names=2-0-1 --relax fifo

Each machine has a name. It may send its name on; a machine passes on names greater than its own and swallows lesser
ones; whose own name comes back is the leader.
"""

from typing import NamedTuple

from redwhite import Action, InputError, Program


class Candidate(NamedTuple):
    """`stands`: it has sent its name, or passed on a greater one; `queue`: names yet to be passed on."""

    stands: bool
    queue: tuple[int, ...]
    leader: bool


class Election(Program):
    """Machine m is called names[m]; a ring is needed."""

    def __init__(self, topology, *, names: tuple[int, ...] = ()):
        super().__init__(topology)
        self.names = names or tuple(range(topology.machines))
        if len(set(self.names)) != topology.machines or any(len(outputs) != 1 for outputs in topology.outputs):
            raise InputError(f"names={self.names}: a ring, and a name for each of its {topology.machines} machines")

    def initial(self, machine):
        return Candidate(False, (), False)

    def actions(self, machine, state, offered):
        (output,) = self.topology.outputs[machine]
        mine = self.names[machine]
        if not offered and not state.stands:
            yield Action("stand", state._replace(stands=True), sends={output: mine})
        if not offered and state.queue:
            yield Action("pass on", state._replace(queue=state.queue[1:]), sends={output: state.queue[0]})
        for name in offered.values():
            if name == mine:
                yield Action("win", state._replace(leader=True), accepts=offered)
            elif name > mine:
                queue = (*state.queue, name)
                yield Action("yield", Candidate(True, queue, False), accepts=offered)
            else:
                yield Action("swallow", state, accepts=offered)

    def stable_predicates(self):
        return {"a leader is elected": lambda state: any(machine.leader for machine in state.machines)}

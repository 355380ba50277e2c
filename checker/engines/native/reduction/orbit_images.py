"""The images of all that a search has numbered, and the check that they behave as they must.

A relabelling may be relied on if it carries the steps of each local configuration to the steps of the relabelled one.
By induction over a run that is all it takes: let each configuration that a representative met be so, for all of the
group; a reachable state is an image g(r) of a representative r, its configurations are those of r relabelled, so its
successors are the g(t) with t a successor of r, and t is an image of a representative. Contents, disciplines, budgets
of faults and ghost colours name no machine, so channels and faults take care of themselves.

Checked of each configuration are its moves (what is accepted and sent, the state after, the colour, the action of the
program, which claims about moves are broken), of each local state what was recorded of it, whether it is done, what it
has outstanding and holds; and that the relabellings compose. Images of checked configurations need no check.
"""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np

from checker.engines.native.reduction import canonical
from checker.engines.native.reduction.symmetry_group import Group, image_action, image_local, image_move, image_recorded
from checker.engines.native.tables.local_tables import Tables
from checker.judging.local_predicates import LocalPredicates
from model.action import Accepted, Move
from model.errors import InputError
from model.program import exact_actions
from model.relabelling import Relabelling
from model.system import System, move, uncoloured
from model.values import Value

Accepts = tuple[tuple[int, int], ...]
Key = tuple[int, int, Accepts]
SYNCHRONOUS: Accepts = ((-1, -1),)


class Asymmetric(Exception):
    """These members of the group are no symmetries of the system."""

    def __init__(self, failed: set[int]) -> None:
        super().__init__(f"{len(failed)} relabellings change what the system does")
        self.failed = failed


class Images:
    """The images under a group of the local states, messages and contents of some tables, kept up to date."""

    def __init__(self, system: System, tables: Tables, predicates: LocalPredicates, group: Group) -> None:
        self.system, self.tables, self.predicates, self.group = system, tables, predicates, group
        members, machines, channels = group.members, system.topology.machines, len(system.channels)
        self.locals: list[list[list[int]]] = [[[] for _ in range(machines)] for _ in members]
        self.contents: list[list[list[int]]] = [[[] for _ in range(channels)] for _ in members]
        self._generators = group.generators()
        self._composed = [0] * machines
        self._configurations = 0
        self._checked: set[Key] = set()
        size = machines + channels + 1
        self._sources = np.tile(np.arange(size, dtype=np.int64), (len(members), 1))
        for g, by in enumerate(members):
            self._sources[g, list(by.machines)] = np.arange(machines)
            self._sources[g, [machines + c for c in by.channels]] = machines + np.arange(channels)
        self._arrays: canonical.Images | None = None

    def extend(self) -> None:
        """Number the images of all that is new, and check it; raises `Asymmetric`."""
        while self._number():
            self._arrays = None
        self._compose()
        failed: set[int] = set()
        for key in self.tables.configurations[self._configurations :]:
            if key not in self._checked:
                self._check(key, failed)
        self._configurations = len(self.tables.configurations)
        if failed:
            raise Asymmetric(failed)

    def arrays(self) -> canonical.Images:
        """The images as the kernels read them."""
        left = list(range(len(self.tables.left)))
        if self._arrays is None or self._arrays.counts[-1] < len(left):
            parts = [[*own, *held, left] for own, held in zip(self.locals, self.contents, strict=True)]
            ids = np.array([[i for part in all_of for i in part] for all_of in parts], np.int32)
            counts = np.array(list(map(len, parts[0])), np.int64)
            self._arrays = canonical.Images(ids, np.cumsum(counts) - counts, self._sources, counts)
        return self._arrays

    # -- numbering -------------------------------------------------------------------------------------------------

    def _number(self) -> bool:
        """Number the images of what is there; whether there was anything new."""
        found = False
        for machine in range(self.system.topology.machines):
            known = self.tables.locals[machine]
            for number in range(len(self.locals[0][machine]), len(known)):
                found = True
                for g, by in enumerate(self.group.members):
                    image = image_local(self.system, by, machine, known[number])
                    self.locals[g][machine].append(self.tables.local(by.machines[machine], image))
        for channel in range(len(self.system.channels)):
            held = self.tables.contents[channel]
            for number in range(len(self.contents[0][channel]), len(held)):
                found = True
                for g, by in enumerate(self.group.members):
                    self.contents[g][channel].append(self.tables.content(by.channels[channel], held[number]))
        return found

    def _compose(self) -> None:
        """Check that images of images are images, and that what is judged of a local state is judged of its images."""
        members, products = self.group.members, self.group.product
        failed: set[int] = set()
        for machine, own in enumerate(self.locals[0]):
            for number in range(self._composed[machine], len(own)):
                if own[number] != number:
                    raise self._no_action()
                for h in self._generators:
                    there, image = members[h].machines[machine], self.locals[h][machine][number]
                    if any(
                        self.locals[g][there][image] != self.locals[products[g][h]][machine][number]
                        for g in range(len(members))
                    ):
                        raise self._no_action()
                failed.update(g for g in range(1, len(members)) if not self._alike(g, machine, number))
            self._composed[machine] = len(own)
        if failed:
            raise Asymmetric(failed)

    def _alike(self, g: int, machine: int, number: int) -> bool:
        predicates, by = self.predicates, self.group.members[g]
        there, image = by.machines[machine], self.locals[g][machine][number]
        held = [summed.held for summed in predicates.amounts.values()]
        columns = [predicates.red, predicates.done, *held, predicates.with_message, *predicates.outstanding]
        if any(column.parts[machine][number] != column.parts[there][image] for column in columns):
            return False
        for column in predicates.recorded:
            own = predicates.records[machine].values[column.parts[machine][number]]
            other = predicates.records[there].values[column.parts[there][image]]
            if other != (own and image_recorded(self.system, by, machine, own)):
                return False
            amounts = predicates.amounts if own else ()
            if any(a.held(self.system, machine, own.state) != a.held(self.system, there, other.state) for a in amounts):
                return False
        return True

    def _no_action(self) -> InputError:
        kinds = type(self.system.program).__name__, type(self.system.protocol).__name__
        return InputError(f"symmetry on: `relabelled` of {kinds[0]} or {kinds[1]} does not compose; accepted is off")

    # -- checking --------------------------------------------------------------------------------------------------

    def _check(self, key: Key, failed: set[int]) -> None:
        """Note the members that do not carry the moves of this configuration to those of its image."""
        machine, local, accepted = key
        made = [(one, self._broken(one), self.tables.local(machine, one.after)) for one in self._moves(key)]
        found: dict[Key, Counter[object]] = {}
        for g, by in enumerate(self.group.members):
            there, image = by.machines[machine], self.locals[g][machine][local]
            pairs = (
                accepted if accepted == SYNCHRONOUS else tuple(sorted(self._accepted(by, c, q) for c, q in accepted))
            )
            if (there, image, pairs) not in found:
                found[there, image, pairs] = self._found((there, image, pairs))
            own, afters = self.locals[g][machine], self.tables.locals[there]
            mine = Counter((image_move(self.system, by, one, afters[own[n]]), broken) for one, broken, n in made)
            if mine != found[there, image, pairs]:
                failed.add(g)
        self._checked.update(found)

    def _accepted(self, by: Relabelling, channel: int, message: int) -> tuple[int, int]:
        there = by.channels[channel]
        return there, self.tables.message(there, *self.tables.messages[channel][message])

    def _found(self, key: Key) -> Counter[object]:
        """What the moves of a configuration do, with the claims about moves that they break."""
        same = self.group.members[0]
        return Counter((image_move(self.system, same, one, one.after), self._broken(one)) for one in self._moves(key))

    def _moves(self, key: Key) -> list[Move]:
        machine, local, accepted = key
        system, before = self.system, self.tables.locals[machine][local]
        if before.crashed:
            return []
        if accepted == SYNCHRONOUS:
            step = system.protocol.synchronous_step(machine, before)
            return [] if step is None else [move(machine, before, (), step)]
        met = [(c, *self.tables.messages[c][q]) for c, q in accepted]
        taken = tuple(Accepted(c, position, message) for c, message, position in met)
        return [move(machine, before, taken, step) for step in system.steps(machine, before, uncoloured(taken))]

    def _broken(self, made: Move) -> tuple[bool, ...]:
        asked = (judged.on_move for judged in self.predicates.moving)
        return tuple(on_move is not None and on_move(self.system, made) is not None for on_move in asked)

    def check_program(self) -> None:
        """The same for the program alone, in all that its machines were found in and might be offered."""
        system, kinds = self.system, self.predicates.kinds_of_payload
        failed: set[int] = set()
        for machine, states in enumerate(self.predicates.states):
            offers = [[None, *((c, p) for p in kinds[c])] for c in system.topology.inputs[machine]]
            for state, chosen in product(states.values, list(product(*offers))):
                offered = dict(pair for pair in chosen if pair is not None)
                if system.program.multi_channel or len(offered) <= 1:
                    self._check_actions(machine, state, offered, failed)
        if failed:
            raise Asymmetric(failed)

    def _check_actions(self, machine: int, state: Value, offered: dict[int, Value], failed: set[int]) -> None:
        system, program, members = self.system, self.system.program, self.group.members
        own = exact_actions(program, machine, state, offered)
        for g, by in enumerate(members[1:], 1):
            image = program.relabelled(machine, state, by)
            there = by.machines[machine]
            other = exact_actions(program, there, image, {by.channels[c]: p for c, p in offered.items()})
            mine = Counter(image_action(system, by, machine, action) for action in own)
            if mine != Counter(image_action(system, members[0], there, action) for action in other):
                failed.add(g)

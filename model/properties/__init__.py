"""The catalogue of properties (CONTRACT section 5) in the order in which verdicts list them, and what is chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from model.asking import asked
from model.claims import property_of
from model.errors import InputError, like
from model.own_monitors import Monitor
from model.properties.colours import COLOUR_PROPERTIES
from model.properties.conservation import CONSERVATION
from model.properties.cuts import CUT_PROPERTIES
from model.properties.implementation import IMPLEMENTATION_PROPERTIES
from model.properties.order import SNAPSHOTS_ORDERED
from model.properties.recovery import RECOVERY_PROPERTIES, counted
from model.properties.restored import OUTPUT_PROPERTIES, RESTORE_PROPERTIES
from model.properties.runs import RUN_PROPERTIES
from model.properties.stability import STABILITY_PROPERTIES
from model.properties.superposition import SUPERPOSITION_PROPERTIES
from model.property import Property
from model.system import System
from model.user_code import load_file

PROPERTIES: dict[str, Property] = {
    p.name: p
    for p in (
        *COLOUR_PROPERTIES,
        CONSERVATION,
        *CUT_PROPERTIES,
        *SUPERPOSITION_PROPERTIES,
        *RUN_PROPERTIES,
        *STABILITY_PROPERTIES,
        SNAPSHOTS_ORDERED,
        *RESTORE_PROPERTIES,
        *OUTPUT_PROPERTIES,
        *RECOVERY_PROPERTIES,
        *IMPLEMENTATION_PROPERTIES,
    )
}


def known(system: System) -> dict[str, Property]:
    """The catalogue, and behind it what the system's program brings along."""
    found = dict(PROPERTIES)
    program = system.program
    for one in asked(program.properties, owner=type(program)):
        brought = property_of(one)
        if brought is None:
            raise InputError(f"{type(program).__name__}.properties gave {one!r}: it must give properties (always, ...)")
        if found.setdefault(brought.name, brought) is not brought:
            raise InputError(f"property {brought.name!r}: two have this name; give one of them another claim or name")
    return found


def chosen(system: System, wanted: Sequence[str | Property] = ()) -> list[Property]:
    """The properties named or given, in the catalogue's order, `FILE.py:NAME` being one's own.

    If none is: all of the catalogue that apply, unless they are judged only when named, and the program's own.
    `InputError` for an unknown one, for one that cannot apply, and for two of one name.
    """
    all_known = known(system)
    if not wanted:
        own = set(all_known) - set(PROPERTIES)
        return [p for p in all_known.values() if p.applies(system) and (not p.asked or p.name in own)]
    found: dict[str, Property] = {}
    for one in wanted:
        judged = find_property(one, all_known)
        if not judged.applies(system):
            description = system.description.get("program"), system.description.get("protocol")
            raise InputError(
                f"property {judged.name!r} says nothing about program {description[0]} with {description[1]}"
            )
        same = all_known.get(judged.name, judged) is judged
        if found.setdefault(judged.name, judged) is not judged or not same:
            raise InputError(f"property {judged.name!r}: two have this name; give one of them another claim or name")
    order = {name: number for number, name in enumerate(all_known)}
    return sorted(found.values(), key=lambda p: order.get(p.name, len(order)))


def find_property(one: object, among: Mapping[str, Property] = PROPERTIES) -> Property:
    """The property that is named or given, `FILE.py:NAME` being one's own; `InputError` where there is none."""
    found = one if not isinstance(one, str) else own_property(one) if ".py:" in one else named(one, among)
    if found is None:
        near = like(str(one), among)
        raise InputError(f"unknown property {one!r}: {near}choose from {', '.join(among)}, or FILE.py:NAME")
    judged = property_of(found)
    if judged is None:
        raise InputError(f"property {found!r}: accepted are names and properties, as always('...', ...) makes them")
    return judged


def named(text: str, among: Mapping[str, Property] = PROPERTIES) -> Property | None:
    """The property of this name, a number after a colon where it takes one."""
    return among.get(text) or counted(text)


def own_property(text: str) -> Property:
    """The property in a Python file of the user's, `path/to/file.py:NAME`; it is called just that, as it is named."""
    path, _, name = text.rpartition(":")
    module = load_file(path)
    found = property_of(vars(module).get(name), text)
    if found is None:
        known = [own for own, value in vars(module).items() if _is_property(value)]
        raise InputError(f"{path} has no property {name!r}; it has: {', '.join(known) or 'none'}")
    return found


def _is_property(value: object) -> bool:
    made = isinstance(value, type) and issubclass(value, Monitor) and value is not Monitor
    return made or isinstance(value, Property | Monitor)

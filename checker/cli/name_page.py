"""`redwhite list NAME`: one page on what has this name, made from the code itself: claim, options, rules, source."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator
from textwrap import indent

from model.errors import InputError

NETWORKS = ("ring:3", "vee", "chain:2", "biring:3")
"""Where an option's choices are asked for: a network of each kind that programs and protocols are for."""

SYSTEMS = (
    ("ring:3", "transfer", "marker"),
    ("ring:3", "diffusing", "marker"),
    ("ring:3", "transfer", "concurrent"),
    ("vee", "dataflow", "barrier"),
    ("vee", "dataflow,sink=two-phase", "barrier"),
    ("ring:3", "transfer", "hmnr"),
)
"""Systems to one of which each property applies."""

NONSENSE = "?"


def page(name: str) -> list[str]:
    """The lines about everything of this name; none where nothing has it."""
    from model.assumptions import RELAXATIONS
    from model.catalogue import PROGRAMS, PROTOCOLS
    from model.properties import PROPERTIES

    parts: list[Iterator[str]] = []
    plain = name.partition(":")[0]
    if name in PROGRAMS:
        parts.append(_class(name, "program", PROGRAMS[name]))
    if name in PROTOCOLS:
        parts.append(_class(name, "protocol", PROTOCOLS[name]))
    if name in PROPERTIES:
        parts.append(_property(name))
    if plain in RELAXATIONS:
        form = plain if plain == "fifo" else f"{plain}:K"
        parts.append(_words(form, "relaxation", RELAXATIONS[plain], f"check ring:3 --relax {form.replace('K', '1')}"))
    parts += _others(name, plain)
    return [line for number, part in enumerate(parts) for line in ([""] if number else []) + list(part)]


def _others(name: str, plain: str) -> list[Iterator[str]]:
    """Topologies, engines and theorems of this name."""
    from checker.engines import ENGINES
    from checker.topologies import FORMS

    found = [
        _words(form, "topology", text, f"check {form.replace('N', '3')}")
        for form, text in FORMS.items()
        if plain == form.partition(":")[0] and form[:1].islower() and "#" not in form
    ]
    if name in ENGINES:
        takes = ", ".join(sorted(ENGINES[name].extras)) or "no option of its own"
        found.append(_words(name, "engine", f"{ENGINES[name].does}\n\ntakes: {takes}", f"check ring:3 --engine {name}"))
    if not found and "-" in name:
        from proofs.command import theorems

        known = theorems()
        found += [_words(name, "theorem", known[name], f"prove {name}")] if name in known else []
    return found


def _words(name: str, kind: str, text: str, example: str) -> Iterator[str]:
    yield f"{name}, a {kind}" if kind[0] not in "aeiou" else f"{name}, an {kind}"
    yield from ("", text, "", f"example: redwhite {example}")


def _property(name: str) -> Iterator[str]:
    from model.properties import PROPERTIES

    found = PROPERTIES[name]
    kinds = {
        "each transition": found.on_move,
        "each state": found.on_state,
        "each recorded snapshot state (SSS) by itself": found.on_recorded,
        "each completed snapshot, with S0, SSS and S1": found.on_completed,
        "every weakly fair run" if found.fair else "every maximal run": found.goal,
        "what the superposition keeps of the computation": found.preserves,
    }
    judged = ", ".join(words for words, part in kinds.items() if part)
    yield from (f"{name}, a property", "", found.claim, "")
    yield f"about    {judged or 'every run'}"
    yield f"source   {found.source}"
    yield f"judged   {'only when it is named' if found.asked else 'unless others are named, where it applies'}"
    yield from ("", f"example: redwhite {_property_example(name)}")


def _class(name: str, kind: str, found: type) -> Iterator[str]:
    """A program or a protocol: claim, options, rules, source."""
    yield from (f"{name}, a {kind}", "", inspect.getdoc(found) or "")
    options = list(_options(name, kind, found))
    width = max((len(option) for option, _ in options), default=0)
    yield from ("", "options" if options else "options  none")
    yield from (f"  {option:<{width}}  {text}" for option, text in options)
    rules = list(_rules(found))
    if rules:
        yield from ("", "rules")
        yield from rules
    about = inspect.getdoc(sys.modules[found.__module__]) or ""
    yield from ("", f"source   {found.__module__.replace('.', '/')}.py")
    yield indent(about, "  ")
    yield from ("", f"example: redwhite {_example(name, kind, found)}")


def _options(name: str, kind: str, found: type) -> Iterator[tuple[str, str]]:
    """Each option with its default, and with what it accepts."""
    from model.catalogue import options_of

    for option, parameter in options_of(found).items():
        default = parameter.default
        shown = "required" if default is parameter.empty else f"default {_plain(default)}"
        yield f"{option}=", f"{_accepted(name, kind, option)}; {shown}"


def _plain(value: object) -> str:
    return "none" if value in (None, "", ()) else str(value).lower() if isinstance(value, bool) else str(value)


def _accepted(name: str, kind: str, option: str) -> str:
    """What the option accepts, in the words in which nonsense is refused: so the two never differ."""
    from checker.topologies import parse
    from model.catalogue import build_system

    words = {kind: f"{name},{option}={NONSENSE}"}
    for network in NETWORKS:
        program = words.get("program", "dataflow" if network == "vee" else "transfer")
        try:
            build_system(parse(network)[0], program, words.get("protocol", "marker"), "0", "")
        except InputError as error:
            accepted = str(error).partition(f"{option}={NONSENSE}: ")[2]
            if accepted:
                return accepted
    return "a word"


def _example(name: str, kind: str, found: type) -> str:
    """A command line with this name that is understood."""
    from checker.topologies import parse
    from model.catalogue import build_system, options_of

    required = "".join(f",{o}=..." for o, p in options_of(found).items() if p.default is p.empty)
    for network in NETWORKS:
        for program in ("transfer", "dataflow", "implementation") if kind == "protocol" else (name,):
            try:
                build_system(parse(network)[0], program, name if kind == "protocol" else "marker", "0", "")
            except InputError:
                continue
            used = f" --program {program}" if program != "transfer" else ""
            return f"check {network}{used}" + (f" --protocol {name}" if kind == "protocol" else "")
    return f"check {NETWORKS[0]} --{kind} {name}{required or ',...'}"


def _property_example(name: str) -> str:
    """A command line that judges the property."""
    from checker.topologies import parse
    from model.catalogue import build_system
    from model.properties import chosen

    for network, program, protocol in SYSTEMS:
        try:
            chosen(build_system(parse(network)[0], program, protocol, "0", ""), (name,))
        except InputError:
            continue
        used = f" --program {program}" if program != "transfer" else ""
        return f"check {network}{used}{f' --protocol {protocol}' if protocol != 'marker' else ''} --property {name}"
    return f"check ... --property {name}"


def _rules(found: type) -> Iterator[str]:
    """What the class's own functions do, in the order in which they stand."""
    inherited = {"Program", "RuleProgram", "Protocol", "object", "Generic"}
    seen: set[str] = set()
    for kind in found.__mro__:
        if kind.__name__ in inherited:
            continue
        for name, member in vars(kind).items():
            rule: Callable[..., object] | None = member if inspect.isfunction(member) else None
            if rule is None or name.startswith("_") or name in seen or not rule.__doc__:
                continue
            seen.add(name)
            yield f"  {name:<16}  {inspect.cleandoc(rule.__doc__).splitlines()[0]}"

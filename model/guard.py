"""A user's program or protocol with its answers checked as it gives them, so that a slip is told in one line.

Checked is that an answer is of the kind it must be, comes within a time, and is the same when the same is asked again:
a search asks each question once and relies on it. Our own programs and protocols are checked by their tests
instead: there the checks would only cost time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any, NamedTuple, TypeVar, cast

from model.action import Action, Step
from model.asking import asked, at
from model.errors import InputError
from model.program import Program
from model.protocol import Protocol, Recorded
from model.values import order_key, show

LONGEST = 80
"""Characters of a payload that a warning shows."""

Kind = TypeVar("Kind", Program, Protocol)

MOST_ANSWERS = 10_000
"""Actions of one machine in one local configuration; more come of a generator that does not end."""
KEPT, EACH = 4096, 16
"""Of each method the first KEPT questions are asked twice, and once more at the end; of those after, every EACH-th."""


class Question(NamedTuple):
    """A method of the user's, with the arguments that it is called with; `check` refuses a wrong answer."""

    user: Any
    method: Any
    check: Callable[[Question, Any], Any]
    arguments: tuple[Any, ...]

    def answer(self) -> Any:
        """What the user's method answers, checked; a generator is run to its end."""
        # In objects of their own: what the user does to his arguments is not done to ours.
        arguments = tuple(dict(a) if isinstance(a, dict) else a for a in self.arguments)
        return asked(lambda: self.check(self, self.method(self.user, *arguments)), owner=self.method)

    def compare(self, answer: Any) -> None:
        """Ask again; `InputError` if the answer is another one."""
        again = self.answer()
        if answer != again:
            of = ", ".join(map(repr, self.arguments))
            raise self.wrong(
                f"asked twice, it answers differently: of ({of}) first {answer!r}, then {again!r}; it must answer as a"
                " function does, without chance, counters or globals"
            )

    def wrong(self, what: str) -> InputError:
        """The refusal of an answer, with the place where the method is written."""
        return InputError(f"{self.place()}: {what}")

    def place(self) -> str:
        """Where the method is written; of one that is inherited from ours, where the user's class is."""
        place = at(self.method)
        return place if ", line " in place else f"{at(type(self.user).guards)}: {place}"


class Questions:
    """What one guarded program or protocol was asked, and what its author should know of."""

    def __init__(self) -> None:
        self.count: dict[Any, int] = {}
        self.kept: list[tuple[Question, Any]] = []
        self.accepted: dict[tuple[int, Any], bool] = {}
        self.warnings: dict[str, None] = {}


def guarded(user: type[Kind]) -> type[Kind]:
    """The class of the same name and options that answers as the user's does, or says with `InputError` what is wrong;
    a class of ours is given back as it is."""
    if user.__module__.partition(".")[0] == "model" or hasattr(user, "guards"):
        return user
    lacking = sorted(getattr(user, "__abstractmethods__", ()))
    if lacking:
        raise InputError(f"{at(user)}: it lacks the method {' and '.join(lacking)}")
    checks = PROGRAM if Program in user.__mro__ else PROTOCOL
    methods = {name: _checked(getattr(user, name), check) for name, check in checks.items()}
    names = {"__module__": user.__module__, "__qualname__": user.__qualname__, "__doc__": user.__doc__}
    make = cast(Any, type(user))
    return cast(type[Kind], make(user.__name__, (user,), {**names, **methods, "guards": user}))


def ask_again(user: Program | Protocol) -> None:
    """Ask all that was kept once more: all of a small search, a sample of a large one."""
    for question, answer in _asked_of(user).kept:
        question.compare(answer)


def warnings(program: Program) -> tuple[str, ...]:
    """What the author of a program that was asked all there is to ask should know of."""
    found = _asked_of(program)
    refused = [where for where, accepted in found.accepted.items() if not accepted]
    for channel, payload in refused[:3]:
        source, destination = program.topology.channels[channel]
        words = show(payload)
        words = ascii(words)[1:-1] if not words.isprintable() else words
        words = words if len(words) <= LONGEST else f"{words[:LONGEST]}..."
        found.warnings.setdefault(
            f"{at(type(program).actions)}: machine {source} sends {words} on channel {channel}, and no action"
            f" of machine {destination} ever accepts it"
        )
    return tuple(found.warnings)


def _asked_of(user: Any) -> Questions:
    found: Questions = user.__dict__.setdefault("_questions", Questions())
    return found


def _checked(method: Any, check: Callable[[Question, Any], Any]) -> Any:
    def ask(self: Any, *arguments: Any, **named: Any) -> Any:
        question = Question(self, method, check, (*arguments, *named.values()))
        answer, own = question.answer(), _asked_of(self)
        number = own.count[method] = own.count.get(method, 0) + 1
        if number <= KEPT or number % EACH == 0:
            question.compare(answer)
        if number <= KEPT:
            own.kept.append((question, answer))
        return answer

    ask.__wrapped__ = method  # type: ignore[attr-defined]  # where inspect looks for the user's own
    return ask


# -- what an answer must be ------------------------------------------------------------------------------------


def _any(question: Question, answer: Any) -> Any:
    return answer


def _whole(question: Question, answer: Any) -> Any:
    if not isinstance(answer, int):
        raise question.wrong(f"it gave {answer!r}: it must give a whole number")
    return answer


def _all(question: Question, answer: Any, kind: type[Any]) -> Any:
    accepted = f"it must give model.{kind.__name__} values, in a list or one by one"
    if not isinstance(answer, Iterable) or isinstance(answer, (kind, str)):
        raise question.wrong(f"it gave {answer!r}: {accepted}")
    found = tuple(islice(answer, MOST_ANSWERS + 1))
    for one in found:
        if not isinstance(one, kind):
            raise question.wrong(f"it gave {one!r}: {accepted}")
    if len(found) > MOST_ANSWERS:
        raise question.wrong(f"it gave more than {MOST_ANSWERS:,} answers: is it endless?")
    return found


def _steps(question: Question, answer: Any) -> Any:
    return _all(question, answer, Step)


def _actions(question: Question, answer: Any) -> Any:
    found = _all(question, answer, Action)
    machine, state, offered = question.arguments
    wanted, own = tuple(sorted(offered.items())), _asked_of(question.user)
    if len(wanted) == 1:
        own.accepted.setdefault(wanted[0], False)
    for action in found:
        if action.accepts == wanted:
            own.accepted.update(dict.fromkeys(wanted, True))
            continue
        if not own.warnings and action not in question.method(question.user, machine, state, dict(action.accepts)):
            own.warnings[
                f"{question.place()}: action {action.name!r} of machine {machine} accepts {dict(action.accepts)} where"
                f" {dict(wanted)} is offered, and is not given where it would be: it never happens"
            ] = None
    return found


def _recorded(question: Question, answer: Any) -> Any:
    if answer is None:
        return None
    if not isinstance(answer, Recorded):
        raise question.wrong(f"it gave {answer!r}: it must give a Recorded or None")
    order_key((answer.state, answer.channels))
    machine, protocol = question.arguments[0], question.user
    inputs, channels, program = protocol.topology.inputs[machine], cast(Any, answer.channels), protocol.program
    if not isinstance(channels, tuple) or len(channels) != len(inputs):
        raise question.wrong(f"machine {machine} records channels {channels!r}: one tuple for each of {inputs}")
    if program.conserves is not None:
        try:
            program.held(machine, answer.state)
        except Exception as error:
            name = type(program).__name__
            raise question.wrong(f"machine {machine} records {answer.state!r}: no state of program {name}") from error
    return answer


def _done(question: Question, answer: Any) -> Any:
    machine, local, snapshot = (*question.arguments, 0)[:3]
    if answer and question.user.recorded(machine, local, snapshot) is None:
        raise question.wrong(f"machine {machine} is done with snapshot {snapshot}, but has recorded nothing")
    return bool(answer)


PROGRAM = {
    "initial": _any,
    "actions": _actions,
    "record": _any,
    "may_initiate": _any,
    "held": _whole,
    "carried": _whole,
}
PROTOCOL = {"initial": _any, "steps": _steps, "recorded": _recorded, "done": _done, "outstanding": _whole}

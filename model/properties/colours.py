"""Red and white: no red message is accepted in a white action, and each channel carries one marker."""

from __future__ import annotations

from model.action import Message, Move
from model.applying import cuts
from model.kinds import AtMostOne
from model.property import Evidence, Property, Reason
from model.system import System
from model.values import to_json


def _red_in_white(system: System, move: Move) -> Reason | None:
    for channel, _, message in move.accepts:
        if not message.control and message.red & ~move.acting:
            return {
                "kind": "a red message is accepted in a white action",
                "machine": move.machine,
                "channel": channel,
                "message": to_json(message.payload),
            }
    return None


def _second_marker_accepted(system: System, move: Move) -> Reason | None:
    for channel, _, message in move.accepts:
        if message.control and system.protocol.had_marker(move.machine, move.before, channel, message):
            return {"kind": "a second marker comes along a channel", "channel": channel}
    return None


def _snapshot_of_marker(system: System, message: Message) -> int | None:
    """The number of the snapshot whose marker it is; None of what is no marker."""
    if not message.control:
        return None
    snapshots = range(system.protocol.snapshots)
    return 0 if len(snapshots) == 1 else next((number for number in snapshots if number == message.tag), None)


COLOUR_PROPERTIES = (
    Property(
        "no-red-in-white",
        "No red message is accepted in a white action.",
        'EWD864a, "no red message is accepted in a white action"',
        cuts,
        on_move=_red_in_white,
        evidence=Evidence.RED_ACCEPTED,
        positions=False,
        begun=True,
        symmetric=True,
        monotone=True,
    ),
    Property(
        "one-marker-per-channel",
        "Each channel carries at most one marker.",
        "EWD864a, second part; Chandy & Lamport 1985, section 3.2",
        lambda system: system.protocol.marks,
        on_move=_second_marker_accepted,
        on_state=AtMostOne("a channel carries two markers at once", _snapshot_of_marker),
        evidence=Evidence.MARKERS,
        positions=False,
        symmetric=True,
        monotone=True,
    ),
)

"""How machines, channels, messages and states are called in everything that people read."""

from __future__ import annotations

from model.action import Message
from model.program import Underlying
from model.system import System
from model.values import Value, show

LONGEST = 400
"""Characters of a value that are shown."""


def printable(text: str) -> str:
    """The text with what a terminal might obey (escapes, newlines) written out: names come from users' files."""
    return text if text.isprintable() else "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def value_name(value: Value) -> str:
    """A value as printable text, its middle left out where it is longer than anybody reads."""
    text = show(value)
    if len(text) > LONGEST:
        text = f"{text[: LONGEST // 2]}... ({len(text):,} characters) ...{text[-LONGEST // 4 :]}"
    return printable(text)


def machine_name(system: System, machine: int) -> str:
    """The program's own name for the machine, or the topology's label, or P0, P1, ..."""
    labels = system.program.labels
    return printable(labels[machine] if labels else system.topology.label(machine))


def channel_name(system: System, channel: int) -> str:
    """From>to; a parallel channel also by its number (P0>P1#2), a channel of the protocol's own as such."""
    ends = system.channels[channel]
    name = ">".join(machine_name(system, machine) for machine in ends)
    if channel >= len(system.topology.channels):
        return f"{name} (the protocol's)"
    return f"{name}#{channel}" if system.topology.channels.count(ends) > 1 else name


def message_name(message: Message) -> str:
    """A marker by its name or number, a message by its payload, with the protocol's tag if it has one."""
    if message.control:
        return f"marker {message.tag}" if isinstance(message.tag, int) else value_name(message.tag)
    shown = "message" if message.payload is None else value_name(message.payload)
    return shown if message.tag in (None, "white", "red") else f"{shown} [{value_name(message.tag)}]"


def control_name(message: Message) -> str:
    """What a control message is called, without what it carries: the text that its tag is or begins with."""
    tag = message.tag[0] if isinstance(message.tag, tuple) and message.tag else message.tag
    return tag if isinstance(tag, str) else "marker" if isinstance(tag, int) else "the protocol's message"


def content_name(payloads: tuple[Value, ...]) -> str:
    """A channel's payloads as a short list; - for none."""
    return " ".join("message" if payload is None else value_name(payload) for payload in payloads) or "-"


def state_name(system: System, state: Underlying) -> str:
    """An underlying state in one line: each machine's state, then the channels that are not empty."""
    parts = [f"{machine_name(system, m)} {value_name(value)}" for m, value in enumerate(state.machines)]
    for channel, payloads in enumerate(state.channels):
        if payloads:
            parts.append(f"{channel_name(system, channel)}: {content_name(payloads)}")
    if not any(state.channels):
        parts.append("channels empty")
    return ", ".join(parts)


def listed(words: list[str]) -> str:
    """Words as a person lists them: a, b and c."""
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1]

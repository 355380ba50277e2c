"""Marker algorithms broken where channels are recorded; each class says what it forgets of the marker-receiving rule.

"q records the state of c as the sequence of messages received along c after q's state was recorded and before q
received the marker along c" (Chandy & Lamport 1985, section 3).
"""

from __future__ import annotations

from collections.abc import Mapping

from model.action import Local, Message
from model.protocols.marker import Marker
from model.recording import Recording


class NoChannelState(Marker):
    """Forgets the channels: only the machines' states are recorded."""

    def record(self, machine: int, recording: Recording, messages: Mapping[int, Message]) -> Recording:
        """Nothing."""
        return recording


class KeepRecording(Marker):
    """Forgets "along c": a channel is recorded until all markers came, not only its own."""

    def record(self, machine: int, recording: Recording, messages: Mapping[int, Message]) -> Recording:
        """Everything that comes, until every input channel is closed."""
        if all(recording.closed):
            return recording
        for channel, message in messages.items():
            recording = recording.add(self.topology.inputs[machine].index(channel), message.payload)
        return recording


class Overwrite(Marker):
    """Forgets that a channel is closed: a second marker records what came since the first, which is nothing."""

    def close(self, machine: int, recording: Recording, channel: int) -> Recording:
        """The channel closed; its record lost if it was closed already."""
        index = self.topology.inputs[machine].index(channel)
        if recording.closed[index]:
            channels = (*recording.channels[:index], (), *recording.channels[index + 1 :])
            return recording._replace(channels=channels)
        return recording.close(index)


class EarlyComplete(Marker):
    """Forgets "before q received the marker along c": the snapshot is announced once the last state is recorded.

    Channels that are still open are announced with what was recorded of them so far. Found in a public implementation,
    which passes its course's own tests.
    """

    def done(self, machine: int, local: Local, snapshot: int = 0) -> bool:
        """Red, whatever its channels."""
        return isinstance(local.memory, Recording)


class DuplicateLog(Marker):
    """Forgets that each message is received once: what is logged at two places is recorded twice."""

    def record(self, machine: int, recording: Recording, messages: Mapping[int, Message]) -> Recording:
        """The messages, and once more."""
        return super().record(machine, super().record(machine, recording, messages), messages)

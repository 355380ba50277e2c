"""A protocol of one's own: no markers; a message carries its sender's colour, and red turns white machines red.

    redwhite check complete:3 --protocol examples/colours.py:Colours --relax fifo
    redwhite check complete:3 --protocol examples/colours.py:Colours,careful=false

A machine may turn red at any moment, and must do so before it accepts a red message. A red machine records the white
messages that it accepts. Right on any channels; with `careful=false` the rule of the red message is forgotten.
"""

from redwhite import Protocol, Recorded, Recording, Step, payloads

WHITE, RED = "white", "red"


class Colours(Protocol):
    """Complete when all machines are red and no white message is in any channel."""

    everyone = True  # every machine may turn red by itself
    completes_on_empty_channels = True  # complete only once no white message is under way

    def __init__(self, topology, program, initiators, *, careful: bool = True):
        super().__init__(topology, program, initiators)
        self.careful = careful

    def steps(self, machine, local, offered):
        white = local.memory is None
        if white and not offered and self.program.may_initiate(machine, local.state):
            yield Step("turn red", local.state, self.begin(machine, local), turns=1)
        turns = int(white and self.careful and any(message.tag == RED for message in offered.values()))
        memory = self.begin(machine, local) if turns else local.memory
        if memory is not None:
            late = [(channel, message) for channel, message in offered.items() if message.tag == WHITE]
            memory = memory.add_open(self.topology.inputs[machine], late)
        colour = WHITE if memory is None else RED
        for action in self.underlying(machine, local, offered):
            yield Step(action.name, action.state, memory, payloads(action, colour), action, turns)

    def begin(self, machine, local):
        return Recording.begin(self.program.record(machine, local.state), len(self.topology.inputs[machine]))

    def recorded(self, machine, local, snapshot=0):
        return None if local.memory is None else Recorded(local.memory.state, local.memory.channels)

    def done(self, machine, local, snapshot=0):
        return local.memory is not None

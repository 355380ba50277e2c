"""A lease is granted and released; a monitor follows the run: between two grants there is a release.

redwhite check star:3 --program examples/claims/leases.py:Leases --property examples/claims/leases.py:Exclusive
"""

from redwhite import Action, Monitor, Program


class Leases(Program):
    """Machine 0 grants a lease to each client in turn; with `hasty=true` it does not wait for the release."""

    def __init__(self, topology, hasty: bool = False):
        super().__init__(topology)
        self.hasty = hasty

    def initial(self, machine):
        return (self.topology.outputs[0], False) if machine == 0 else "idle"

    def actions(self, machine, state, offered):
        if machine == 0:
            left, lent = state
            if left and not offered and (self.hasty or not lent):
                yield Action("grant", (left[1:], True), sends={left[0]: "lease"})
            for channel, word in offered.items():
                yield Action("take back", (left, False), {channel: word})
        elif state == "holding" and not offered:
            yield Action("release", "done", sends={self.topology.outputs[machine][0]: "released"})
        for channel, word in offered.items() if machine else ():
            yield Action("use", "holding", {channel: word})


class Exclusive(Monitor):
    claim = "between two grants a release"
    initial = 0

    def next(self, value, event):
        return min(2, max(0, value + (event.name == "grant") - (event.name == "release")))

    def error(self, value):
        return value == 2

"""A two-phase commit, and what must hold in every state: nobody commits where another aborts.

redwhite check star:3 --program examples/claims/two_phase_commit.py:TwoPhase --protocol none \
    --property examples/claims/two_phase_commit.py:agree
"""

from redwhite import Action, Program, always


class TwoPhase(Program):
    """Machine 0 asks all others to vote, and commits if each votes yes. Its state: (phase, votes still to come)."""

    def initial(self, machine):
        return ("ask", self.topology.outputs[0], ()) if machine == 0 else "working"

    def actions(self, machine, state, offered):
        outputs = self.topology.outputs[machine]
        if machine == 0:
            phase, left, votes = state
            if phase == "ask" and not offered and left:
                rest = left[1:]
                yield Action("ask", ("ask" if rest else "count", rest, votes), sends={left[0]: "vote?"})
            if phase == "count" and not offered and len(votes) == len(outputs):
                yield Action("decide", ("commit" if "no" not in votes else "abort", outputs, votes))
            if phase in ("commit", "abort") and not offered and left:
                yield Action("tell", (phase, left[1:], votes), sends={left[0]: phase})
            for channel, vote in offered.items():
                yield Action("hear", (phase, left, tuple(sorted((*votes, vote)))), {channel: vote})
        for channel, word in offered.items() if machine else ():
            if word == "vote?":
                yield Action("vote yes", "prepared", {channel: word}, {outputs[0]: "yes"})
                yield Action("vote no", "abort", {channel: word}, {outputs[0]: "no"})
            else:
                yield Action("obey", word, {channel: word})


agree = always(
    "no participant commits where one aborts", lambda view: not {"commit", "abort"} <= set(view.machines[1:])
)

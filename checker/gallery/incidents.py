"""The incidents, in the order of their numbers: what is known of each from the public tracker named as its source."""

from __future__ import annotations

from dataclasses import dataclass

from model.errors import InputError
from model.properties.restored import AT_LEAST_ONCE, EXACTLY_ONCE
from model.properties.runs import COMPLETION


@dataclass(frozen=True, slots=True)
class Incident:
    """A failure from a public issue tracker and its model: a protocol with `fixed=false` and `fixed=true`.

    story: what went wrong. fix: the rule that was changed. property: the claim that fails for a user.
    """

    name: str
    title: str
    source: str
    story: str
    fix: str
    topology: str
    program: str
    property: str

    def protocol(self, fixed: bool) -> str:
        """The protocol's name on the command line."""
        return f"{self.name},fixed={str(fixed).lower()}"


INCIDENTS: dict[str, Incident] = {
    told.name: told
    for told in (
        Incident(
            "flink-17568",
            "data after the barrier consumed before the unaligned snapshot",
            "https://github.com/apache/flink/pull/12034",
            "The first barrier only enqueues the checkpoint in the task's mailbox. The task thread, looping over the"
            " input, goes on reading, and processes data from behind the barrier. Then it takes the snapshot; sources"
            " replay that data, and it counts twice.",
            "after a barrier the task returns to its mailbox before it reads anything else",
            "chain:2",
            "dataflow,records=1",
            EXACTLY_ONCE.name,
        ),
        Incident(
            "flink-18139",
            "unaligned checkpoints check the wrong channels for data in flight",
            "https://github.com/apache/flink/pull/12506",
            "Whether a channel has data in flight was asked without saying of which input gate, so every gate got the"
            " answer for the first one. Data in flight on another gate was not saved, and is lost.",
            "a channel is asked about by its index over all gates",
            "vee",
            "dataflow,records=1",
            AT_LEAST_ONCE.name,
        ),
        Incident(
            "flink-20645",
            "a channel keeps the status that an older barrier gave it",
            "https://github.com/apache/flink/pull/14721",
            "A channel has received the barrier of a checkpoint that did not go on. When a newer checkpoint begins over"
            " another channel, its status is still that of the old one, so it is not set to pending: what comes from it"
            " before the newer barrier is not saved, and is lost.",
            "a newer checkpoint sets every channel to pending, whatever an older one left",
            "vee",
            "dataflow,records=1",
            AT_LEAST_ONCE.name,
        ),
        Incident(
            "flink-20654",
            "a late barrier of a declined checkpoint decides which buffers are saved",
            "https://github.com/apache/flink/pull/14807, and the release notes of Flink 1.13",
            "After a checkpoint was declined a newer one can reach a task before all barriers of the older one have."
            " Which buffers of a channel belong to the newer was then decided by the barrier last seen there, the"
            " obsolete one: what lies between the two is not saved, and is lost.",
            "a barrier older than the checkpoint in progress is ignored",
            "vee",
            "dataflow,records=1",
            AT_LEAST_ONCE.name,
        ),
        Incident(
            "flink-21104",
            "a newer barrier processed before an obsolete one fails the job",
            "https://github.com/apache/flink/pull/14807",
            "As in FLINK-20654 a task has the barrier of a declined checkpoint on one channel, a newer one on another."
            " If the newer is processed first, a check that the older checkpoint was stopped fails: on this task it had"
            " never begun. The job fails, and no snapshot completes.",
            "a barrier older than the checkpoint in progress is ignored",
            "vee",
            "dataflow,records=1",
            COMPLETION.name,
        ),
        Incident(
            "iceberg-15846",
            "a sink's committer loses files with unaligned checkpoints when one fails",
            "https://github.com/apache/iceberg/issues/15846",
            "Results of a checkpoint can reach the committer after it recorded its state for that checkpoint. At the"
            " next one they are written under the same name as the first ones, which are not committed yet, because"
            " their checkpoint failed: the first ones are replaced, and lost. Aligned barriers let none come late.",
            "results that come late go by the next checkpoint's name (proposed in pull request 15913, not merged)",
            "chain:2",
            "dataflow,records=2",
            AT_LEAST_ONCE.name,
        ),
    )
}


def incident(name: str) -> Incident:
    """The incident of this name, in any case of letters; `InputError` for an unknown one."""
    found = INCIDENTS.get(name.lower())
    if found is None:
        raise InputError(f"unknown incident {name!r}: choose from {', '.join(INCIDENTS)}")
    return found

"""The incidents, in the order of their numbers: what is known of each from the public tracker named as its source."""

from __future__ import annotations

from dataclasses import dataclass

from model.errors import InputError, like
from model.properties.conservation import CONSERVATION
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
        Incident(
            "flink-10377",
            "a late notification of an earlier checkpoint fails the job",
            "https://github.com/apache/flink/pull/6723",
            "Notifications of completed checkpoints can overtake one another. The later one makes a sink commit the"
            " transactions of both; when the earlier one comes nothing is pending, and a check that something must be"
            " fails the job.",
            "the check is removed: a late notification is ignored",
            "chain:2",
            "dataflow,records=1",
            COMPLETION.name,
        ),
        Incident(
            "flink-34117",
            "the end of the input comes before the snapshot, and files are discarded",
            "https://github.com/apache/flink/pull/24120",
            "A coordinator of file compaction takes files that came in over to what is to be committed when its state"
            " is recorded, and commits on a message that ends the checkpoint. When a job ends, that message can come"
            " before the state is recorded: the files are discarded.",
            "files that came in are taken over then as well (how it was fixed is not told: conjecture)",
            "chain:2",
            "dataflow,records=1",
            AT_LEAST_ONCE.name,
        ),
        Incident(
            "flink-cdc-2538",
            "a position read after the snapshot is confirmed when the checkpoint completes",
            "https://github.com/apache/flink-cdc/issues/2538",
            "When a checkpoint is complete the source confirms to the database what it has read by then, which is more"
            " than the checkpoint has. The database forgets what is confirmed: after a failure the events in between"
            " are lost.",
            "the position in the checkpoint is confirmed",
            "chain:2",
            "dataflow,records=1",
            AT_LEAST_ONCE.name,
        ),
        Incident(
            "jet-809",
            "barriers go out while an item is emitted to some of the queues only",
            "https://github.com/hazelcast/hazelcast-jet/pull/809",
            "A source has emitted an item to one queue, another one being full, when a snapshot begins: its offset is"
            " past the item, and in the other queue the barrier is ahead of it. Restored, the item is lost there.",
            "a source emits what is pending before it begins a snapshot",
            "edges:0>1,0>2",
            "dataflow,records=1,routing=broadcast",
            AT_LEAST_ONCE.name,
        ),
        Incident(
            "jet-1435",
            "the order to begin a snapshot is lost, and others wait for the barrier for ever",
            "https://github.com/hazelcast/hazelcast-jet/pull/1435",
            "The master's operation that begins a snapshot is lost on its way to one member. It sends no barrier, and a"
            " processor behind a distributed edge waits for that for ever.",
            "the operation is sent again",
            "vee",
            "dataflow,records=1",
            COMPLETION.name,
        ),
        Incident(
            "jet-2824",
            "a late answer of the last execution clears the snapshot that is being restored",
            "https://github.com/hazelcast/hazelcast-jet/pull/2824, and 2503",
            "While the master handles a member's answer that phase 1 of snapshot 2 was a success, the job is restarted,"
            " to be restored from snapshot 1. Then the master goes on, takes snapshot 2 for the last one, and clears"
            " the map of snapshot 1: the state is not restored, and the source begins from 0.",
            "completion is locked; an answer for another execution is ignored",
            "chain:2",
            "dataflow,records=1",
            EXACTLY_ONCE.name,
        ),
        Incident(
            "hazelcast-22207",
            "an item behind its barrier is returned ahead of the snapshot",
            "https://github.com/hazelcast/hazelcast/pull/22207",
            "When the last of several queues shows its barrier, all are unblocked and the barrier is put aside; but the"
            " same call goes on to the next queue, and an item that follows its barrier there is returned first. It is"
            " in the snapshot, and comes again.",
            "the call ends where the last barrier is met",
            "vee",
            "dataflow,records=1",
            EXACTLY_ONCE.name,
        ),
        Incident(
            "risingwave-12654",
            "updates are dropped by a backfill that spans two barriers",
            "https://github.com/risingwavelabs/risingwave/pull/12654",
            "A new view reads a snapshot of its table over several barriers. At each barrier updates of rows not read"
            " yet are dropped, since the snapshot will have them; but it is of the table as it was at the first of the"
            " barriers: a later update is dropped, and the row is read without it.",
            "updates are kept until the next snapshot is begun",
            "chain:2",
            "dataflow,records=1",
            AT_LEAST_ONCE.name,
        ),
        Incident(
            "mana-312",
            "a message being made is invisible when the network is drained",
            "https://github.com/mpickpt/mana/pull/312",
            "To checkpoint an MPI program all threads are stopped, ranks tell how many messages they have sent, and"
            " these are drained from the network. A thread of the MPI library can be stopped while it makes a message"
            " that the program has sent: nobody sees it, and it is in no checkpoint.",
            "messages are drained before the threads are stopped (proposed, not merged)",
            "biring:2",
            "transfer",
            CONSERVATION.name,
        ),
    )
}


def incident(name: str) -> Incident:
    """The incident of this name, in any case of letters; `InputError` for an unknown one."""
    found = INCIDENTS.get(name.lower())
    if found is None:
        raise InputError(
            f"unknown incident {name!r}: {like(name.lower(), INCIDENTS)}choose from {', '.join(INCIDENTS)}"
        )
    return found

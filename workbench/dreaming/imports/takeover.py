"""From another store's memories to memories here: each is a candidate, and the ledger's one write function decides.

By default nothing of its standing there is believed, and every memory waits. Where the person says that the store is
theirs, what they kept there is theirs here, what was in force is in force, and what was rejected stays rejected.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TypeVar

from workbench import guard, text
from workbench.dreaming import wordings
from workbench.dreaming.imports.model import Item, Memory, Notes, Relation, Standing
from workbench.errors import WorkbenchError
from workbench.home import Home
from workbench.ledger import gate, lifecycle, quota, relations, review, revisions, standing, store, supersede, write
from workbench.ledger.change import Change, fetch
from workbench.ledger.gate import Checked
from workbench.ledger.model import PERSON, Actor, Candidate, Proposal, Reason, RelationType, Status
from workbench.ledger.time import observed

# So many memories are written in one transaction: others who write need not wait for the whole store.
BATCH = 200
_T = TypeVar("_T")
# Of these the store's own word is taken, where it is trusted at all.
_IN_USE = (Standing.ENDORSED, Standing.IN_FORCE)


@dataclass
class Takeover:
    """One store coming in: one change set, in as many transactions as it takes.

    :param name: whose memories they are; the writer's name in the ledger.
    :param trusted: the person says that the store is their own.
    :param counts: what became of the memories.
    :param ids: id there → id here, of what is here now.
    """

    name: str
    policy: write.Policy
    notes: Notes
    trusted: bool = False
    change_id: str | None = None
    counts: Counter[str] = field(default_factory=Counter)
    ids: dict[str, str] = field(default_factory=dict)
    _replaced: list[tuple[str, Memory]] = field(default_factory=list)

    def run(self, home: Home, items: Iterable[Item]) -> None:
        """Take over every item; scanning comes before each transaction."""
        for batch in _batches(self._checked(items), BATCH):
            with store.writing(home) as connection:
                for item, checked in batch:
                    change = self._change(Change(connection, Actor("system", self.name)))
                    if isinstance(item, Relation):
                        self._relate(change, item)
                    elif checked is not None:
                        self._take(change, item, checked)
        for replaced in _batches(self._newest_first(), BATCH):
            with store.writing(home) as connection:
                for memory_id, memory in replaced:
                    self._retire(self._change(Change(connection, PERSON)), memory_id, memory)

    def _change(self, change: Change) -> Change:
        """The change, as a part of the one change set of this takeover."""
        self.change_id = self.change_id or change.id
        change.id = self.change_id
        return change

    def _checked(self, items: Iterable[Item]) -> Iterator[tuple[Item, Checked | None]]:
        for item in items:
            if isinstance(item, Relation):
                yield item, None
                continue
            try:
                yield item, gate.check(self._own(item))
            except WorkbenchError as error:
                self._leave(item, _why(error))

    def _own(self, memory: Memory) -> Candidate:
        """Its candidate, named so that a second run knows it again; in force there, where that counts, is said."""
        key = text.sha256(f"{memory.ref}\x1f{memory.candidate.content}")[:32]
        return replace(
            memory.candidate if self.trusted else wordings.named(memory.candidate, ()),
            idempotency_key=f"{self.name}:{key}",
            explicit=self._claim(memory) in _IN_USE,
        )

    def _claim(self, memory: Memory) -> Standing:
        return memory.standing if self.trusted else Standing.WAITING

    def _take(self, change: Change, memory: Memory, checked: Checked) -> None:
        checked = replace(checked, candidate=replace(checked.candidate, batch_id=change.id))
        claim = self._claim(memory)
        try:
            proposal = self._propose(change, checked, claim)
        except quota.QuotaExceeded:
            self._leave(memory, "there is no room for more; rule on what waits, and run this again")
            return
        if proposal is None or proposal.outcome == "repeated":
            self.counts["repeated"] += 1
        elif proposal.outcome != "created":
            self.counts["known" if proposal.outcome == "seen_again" else proposal.outcome] += 1
            return
        if proposal is None or proposal.memory_id is None:
            return
        self.ids[memory.ref] = proposal.memory_id
        if proposal.outcome == "created":
            self.counts["created"] += 1
            self._complete(change, proposal, memory, claim)

    def _propose(self, change: Change, checked: Checked, claim: Standing) -> Proposal | None:
        """None where this was taken over before, and reads otherwise since."""
        try:
            if claim is Standing.ENDORSED:
                try:
                    return _attempt(self._change(Change(change.connection, PERSON)), checked, self.policy)
                except lifecycle.NeedsConfirmation:
                    pass  # what the person locked here stands; that of the other store waits beside it
            if claim is Standing.IN_FORCE:
                return _attempt(change, checked, replace(self.policy, auto=0.0))
            checked = replace(checked, candidate=replace(checked.candidate, explicit=False))
            return _attempt(change, checked, self.policy, _must_wait(checked))
        except write.Conflict:
            return None

    def _complete(self, change: Change, proposal: Proposal, memory: Memory, claim: Standing) -> None:
        """What comes with a new memory: how it read before, its links, and its end where the store's word is taken."""
        memory_id = str(proposal.memory_id)
        self._keep_wordings(change, memory_id, memory)
        for link in memory.links:
            try:
                with change.attempt():
                    relations.link_resource(change, memory_id, link.resource_type, link.reference, link.type)
                self.counts["links"] += 1
            except WorkbenchError as error:
                self.notes.leave("links", _why(error), memory.ref)
        self.counts["evidence"] += len(memory.candidate.evidence)
        person = self._change(Change(change.connection, PERSON))
        if claim is Standing.REJECTED:
            review.reject(person, memory_id, f"rejected in {self.name}")
            self.counts["rejected"] += 1
        elif claim is Standing.PUT_AWAY:
            standing.archive(person, memory_id)
            self.counts["archived"] += 1
        elif claim is Standing.SUPERSEDED:
            self._replaced.append((memory_id, memory))
        else:
            self.counts["waiting" if proposal.review_reason else str(proposal.status)] += 1

    def _keep_wordings(self, change: Change, memory_id: str, memory: Memory) -> None:
        row = fetch(change.connection, "memories", memory_id)
        kept = 0
        for said in memory.wordings:
            try:
                content = gate.wording(said)
                gate.refuse_secrets(guard.inspect(content).secrets)
            except WorkbenchError as error:
                self.notes.leave("wordings", _why(error), memory.ref)
                continue
            revisions.keep(change, {**(row or {}), "content": content})
            kept += 1
        if kept:
            change.record("imported", memory_id, wordings=kept)
            self.counts["wordings"] += kept

    def _newest_first(self) -> list[tuple[str, Memory]]:
        """What was replaced there, each behind what replaced it."""
        successors = {memory.ref: memory.successor for _, memory in self._replaced}

        def steps(ref: str | None) -> int:
            passed: set[str] = set()
            while ref in successors and ref not in passed:
                passed.add(ref)
                ref = successors[ref]
            return len(passed)

        return sorted(self._replaced, key=lambda each: steps(each[1].ref))

    def _retire(self, change: Change, memory_id: str, memory: Memory) -> None:
        """End what was replaced there: in favour of what replaced it, or, where that is not in force, by itself."""
        row = fetch(change.connection, "memories", memory_id)
        successor = self.ids.get(memory.successor or "")
        newer = fetch(change.connection, "memories", successor or "") or {}
        # What was replaced in its turn has its own successor in force.
        stands = newer.get("status") in (Status.ACTIVE, Status.SUPERSEDED)
        if row is None or successor is None or successor == memory_id or not stands:
            standing.archive(change, memory_id)
            self.counts["archived"] += 1
            return
        at = row["valid_to"] or observed(newer.get("valid_from")) or change.at
        supersede.retire(change, row, by=successor, at=min(at, change.at))
        supersede.relate(change, successor, memory_id, RelationType.SUPERSEDES)
        change.record("linked", successor, to=memory_id, type=RelationType.SUPERSEDES)
        supersede.settle(change, memory_id)
        self.counts["superseded"] += 1

    def _relate(self, change: Change, relation: Relation) -> None:
        ends = [self.ids.get(ref) for ref in (relation.ref, relation.related_ref)]
        try:
            if relation.type == RelationType.SUPERSEDES:
                raise WorkbenchError("what replaced what is a ruling, and comes with the memory or not at all")
            if ends[0] is None or ends[1] is None:
                raise WorkbenchError("one of both was not taken over")
            with change.attempt():
                if relations.link(change, ends[0], ends[1], relation.type):
                    self.counts["relations"] += 1
        except WorkbenchError as error:
            self.notes.leave("relations", _why(error), relation.ref)

    def _leave(self, memory: Memory, why: str) -> None:
        self.counts["refused"] += 1
        self.notes.leave("memories", why, memory.ref)


def _attempt(change: Change, checked: Checked, policy: write.Policy, must_wait: Reason | None = None) -> Proposal:
    """Propose one memory of many: what is refused leaves nothing behind."""
    with change.attempt():
        return write.propose(change, checked, policy, must_wait=must_wait)


def _must_wait(checked: Checked) -> Reason:
    """Why it waits: what the scanner found says more than that it was imported."""
    if checked.unscanned:
        return Reason.SCANNER_UNAVAILABLE
    return Reason.INJECTION_FLAGGED if checked.flags else Reason.IMPORTED


def _why(error: WorkbenchError) -> str:
    """The reason without what is particular to one memory: text of another store is not repeated."""
    if isinstance(error, gate.SecretRefused):
        return "holds a credential"
    return text.one_line(str(error))


def _batches(items: Iterable[_T], size: int) -> Iterator[list[_T]]:
    iterator = iter(items)
    while batch := list(itertools.islice(iterator, size)):
        yield batch

"""Builds the two workers of a process, with every flow and activity. Slow to import: only the host and worker do."""

from collections.abc import Callable
from dataclasses import dataclass

from temporalio.client import Client
from temporalio.worker import Worker

from caseworker.activities.bug.brief import BugBriefs
from caseworker.activities.bug.bug_work import BugWork
from caseworker.activities.bug.fixes import Fixes
from caseworker.activities.bug.posts import BugPosts
from caseworker.activities.bug.records import BugRecords
from caseworker.activities.bug.sla import SlaKeeping
from caseworker.activities.bug.turn import BugTurns
from caseworker.activities.issue.brief import IssueBriefs
from caseworker.activities.issue.builds import Building
from caseworker.activities.issue.delivery import Delivering
from caseworker.activities.issue.follow_ups import FollowUps
from caseworker.activities.issue.investigation import InvestigationTurns
from caseworker.activities.issue.posts import IssuePosts
from caseworker.activities.issue.pull_checks import PullChecking
from caseworker.activities.issue.pull_texts import PullTexts
from caseworker.activities.issue.recipe_lessons import RecipeLessons
from caseworker.activities.issue.records import Records
from caseworker.activities.issue.skills import Skills
from caseworker.activities.issue.turn import IssueTurnParts, IssueTurns
from caseworker.activities.pull.pull_branch import PullBranchWork
from caseworker.activities.pull.pull_brief import PullBriefs, PullSources
from caseworker.activities.pull.pull_builds import PullBuilds
from caseworker.activities.pull.pull_looks import PullLooks
from caseworker.activities.pull.pull_ports import PullPorts
from caseworker.activities.pull.pull_post_facts import PullPosts
from caseworker.activities.pull.pull_publish import PullPublisher
from caseworker.activities.pull.pull_records import PullRecords
from caseworker.activities.pull.pull_turns import PullTurnParts, PullTurns
from caseworker.activities.pull.reproductions import Reproductions
from caseworker.activities.shared.any_case import AnyCase
from caseworker.activities.shared.attached_files import AttachedFiles
from caseworker.activities.shared.linked_cases import LinkedCases
from caseworker.activities.shared.posts import Posting, Posts, RecordPhrasing
from caseworker.activities.shared.run_discussion import RunDiscussions
from caseworker.activities.shared.workspaces import WorkspaceKeeping
from caseworker.activities.turn.attempts import Attempts
from caseworker.activities.turn.transaction import Transaction
from caseworker.app.wiring import Parts
from caseworker.chats.button_words import ButtonPhrasing
from caseworker.chats.surface_phrasing import TerminalPhrasing
from caseworker.core.base.policy import Policy
from caseworker.engine.identity import own_identity
from caseworker.engine.worker import Activities, make_workers
from caseworker.flows.bug import BugInvestigationWorkflow
from caseworker.flows.issue import IssueWorkflow
from caseworker.flows.pull import PullWorkflow
from caseworker.flows.sla import SLATrackingWorkflow

FLOWS = [IssueWorkflow, BugInvestigationWorkflow, PullWorkflow, SLATrackingWorkflow]


def _discussions(parts: Parts) -> RunDiscussions | None:
    if parts.discussions is None:
        return None
    return RunDiscussions(store=parts.store, model=parts.model, discussions=parts.discussions)


def _linked(parts: Parts) -> LinkedCases:
    return LinkedCases(store=parts.store, forge=parts.forge)


def _files(parts: Parts) -> AttachedFiles:
    return AttachedFiles(store=parts.store, chats=parts.chats)


def _records(parts: Parts, today: Callable[[], Policy] | None) -> Records:
    return Records(
        store=parts.store,
        doorbell=parts.doorbell,
        terminal=TerminalPhrasing(),
        copy=parts.case_file,
        today=today,
    )


def make_case_workers(
    client: Client, parts: Parts, *, slots: int, cached: int = 200, today: Callable[[], Policy] | None = None
) -> list[Worker]:
    """`today`: the policy of a case that is opened now. None: no settings are read again."""
    store, workspaces = parts.store, parts.workspaces
    records, any_case = _records(parts, today), AnyCase(store=store)
    keeping = WorkspaceKeeping(store=store, workspaces=workspaces)
    texts = PullTexts(store=store, model=parts.model)
    delivering = Delivering(store=store, workspaces=workspaces, forge=parts.forge, copy=parts.case_file, texts=texts)
    following = FollowUps(store=store, linked=_linked(parts), doorbell=parts.doorbell)
    lessons = RecipeLessons(store=store, workspaces=workspaces, builder=parts.builder, model=parts.model)
    building = Building(store=store, workspaces=workspaces, builder=parts.builder, lessons=lessons)
    transaction = _transaction(parts)
    skills = Skills(store=store, bisector=parts.bisector, instruments=parts.instruments)
    turns = IssueTurns(
        transaction=transaction,
        parts=IssueTurnParts(
            store=store,
            workspaces=workspaces,
            briefs=IssueBriefs(
                store=store,
                workspaces=workspaces,
                files=_files(parts),
                discussions=_discussions(parts),
                state=parts.forge.state,
            ),
            investigation=InvestigationTurns(store=store, workspaces=workspaces, skills=skills),
        ),
    )
    bugs = _bug_activities(parts, transaction)
    pulls = _pull_activities(parts, transaction)
    return make_workers(
        client,
        workflows=FLOWS,
        short=[
            *bugs.short,
            *pulls.short,
            records.load_case,
            any_case.claim_messages,
            any_case.given_to,
            any_case.remarks_to,
            any_case.settle_messages,
            records.record_move,
            records.save_case,
            any_case.record_stall,
            records.renew_policy,
            keeping.prepare_workspace,
            keeping.remove_workspace,
            delivering.push_branch,
            delivering.keep_branch,
            delivering.adopt_branch,
            delivering.open_pull_request,
            delivering.deliver,
            PullChecking(store=store, forge=parts.forge).read_checks,
            following.open_follow_up,
        ],
        long=[turns.run_turn, building.run_build, *bugs.long, *pulls.long],
        slots=slots,
        cached=cached,
    )


def _transaction(parts: Parts) -> Transaction:
    attempts = Attempts(store=parts.store, runtime=parts.runtime, worker=own_identity())
    return Transaction(
        store=parts.store,
        workspaces=parts.workspaces,
        attempts=attempts,
        capacity=parts.capacity,
        files=_files(parts),
    )


@dataclass(frozen=True, kw_only=True)
class _Work:
    short: Activities
    long: Activities


def _pull_activities(parts: Parts, transaction: Transaction) -> _Work:
    """The activities of pull cases. None without GitHub: there are no pull cases then."""
    ports = parts.pulls
    if ports is None:
        return _Work(short=[], long=[])
    records, looks = PullRecords(store=parts.store), PullLooks(ports)
    publisher = PullPublisher(store=parts.store, threads=ports.forge.threads, redactor=ports.forge.redactor)
    branch = PullBranchWork(ports, publisher)
    turns = PullTurns(transaction=transaction, parts=_turn_parts(parts, ports))
    return _Work(
        short=[
            records.load_pull,
            records.save_pull,
            looks.look_at_pull,
            looks.read_failures,
            looks.rerun_checks,
            looks.see_head,
            looks.foresee_push,
            looks.report_verdict,
            branch.prepare_pull,
            branch.bring_base_in,
            branch.publish,
            branch.keep_work,
        ],
        long=[PullBuilds(ports).run_pull_build, turns.run_pull_turn],
    )


def _turn_parts(parts: Parts, ports: PullPorts) -> PullTurnParts:
    sources = PullSources(
        threads=ports.forge.threads,
        probe=ports.forge.probe,
        failures=ports.forge.failures,
        discussions=_discussions(parts),
        state=parts.forge.state,
    )
    return PullTurnParts(
        store=ports.store,
        workspaces=ports.workspaces,
        branches=ports.branches,
        briefs=PullBriefs(store=ports.store, workspaces=ports.workspaces, sources=sources),
        reproductions=Reproductions(workspaces=ports.workspaces, builder=ports.builder),
    )


def _bug_activities(parts: Parts, transaction: Transaction) -> _Work:
    store = parts.store
    records = BugRecords(store=store)
    of_bugs = BugPosts(store=store)
    posting = Posting(
        store=store,
        chats=parts.chats,
        recorded_in=RecordPhrasing(terminal=TerminalPhrasing(), buttons=ButtonPhrasing()),
        developers=parts.developers,
        opening=of_bugs.opening,
    )
    posts = Posts(
        store=store,
        posting=posting,
        writers={"bug": of_bugs, "issue": IssuePosts(store=store), "pull": PullPosts(store=store)},
    )
    files = _files(parts)
    work = BugWork(
        store=store,
        files=files,
        workspaces=parts.workspaces,
        doorbell=parts.doorbell,
        fixes=Fixes(store=store, linked=_linked(parts), doorbell=parts.doorbell),
    )
    clock = SlaKeeping(store=store, posting=posting)
    turns = BugTurns(
        store=store,
        transaction=transaction,
        briefs=BugBriefs(store=store, workspaces=parts.workspaces, files=files),
    )
    return _Work(
        short=[
            records.load_bug,
            records.read_report,
            records.save_bug,
            records.messages_since,
            records.fence_turn,
            records.has_files,
            work.fetch_files,
            work.wake_sla_clock,
            work.prepare_bug_workspace,
            posts.say,
            posts.post,
            work.open_fix,
            work.stop_fix,
            clock.load_sla,
            clock.check_sla,
        ],
        long=[turns.run_investigation],
    )

"""A pull request: conversation, checks, commits, changes with review threads, and the merge box."""

from collections.abc import Sequence

from caseworker.github_double import git_store
from caseworker.github_double.access import PUSH, may
from caseworker.github_double.derive.check_results import latest_runs, latest_statuses, suites_of
from caseworker.github_double.derive.merge_state import blockers, known_mergeable, merge_state, try_merge
from caseworker.github_double.entities.check_records import CheckRun, CheckSuite, Status
from caseworker.github_double.entities.repository import PullRequest, ReviewThread
from caseworker.github_double.git_diffs import changed_files
from caseworker.github_double.page.frame import View, button, hidden, issue_path, path_of
from caseworker.github_double.page.markup import Html, join, markdown, tag
from caseworker.github_double.page.talk_page import conversation, labels, title


def pull_live(view: View, pull: PullRequest) -> Html:
    talk = tag("div", conversation(pull.issue), _merge_box(view, pull))
    return join(
        title(pull.issue),
        tag("p", tag("code", pull.head.ref), " into ", tag("code", pull.base.ref), class_="quiet"),
        tag("div", talk, labels(view, pull.issue), class_="columns"),
        tag("h2", "Checks"),
        _checks(view, pull),
        tag("h2", "Commits"),
        _commits(pull),
        tag("h2", "Changes"),
        *_files(pull),
        tag("h2", "Review threads") if pull.threads else None,
        *(_thread(view, thread) for thread in pull.threads),
    )


def review_forms(pull: PullRequest) -> Html:
    if not pull.is_open:
        return join()
    return tag(
        "form",
        tag("h2", "Review"),
        tag("textarea", name="body", rows=2, aria_label="Your review"),
        tag("label", "About the file ", tag("input", name="path", placeholder="optional")),
        tag("label", "and line ", tag("input", name="line", inputmode="numeric", placeholder="optional")),
        tag("button", "Comment on the code", name="deed", value="review"),
        tag("button", "Approve", name="deed", value="approve", class_="main"),
        tag("button", "Ask for changes", name="deed", value="changes"),
        method="post",
        action=issue_path(pull.issue),
        class_="say",
    )


def _merge_box(view: View, pull: PullRequest) -> Html:
    if not pull.is_open:
        return join()
    if known_mergeable(pull) == "UNKNOWN":
        try_merge(pull)
    state = merge_state(pull, known_mergeable(pull))
    reasons = list(blockers(pull)) if state == "BLOCKED" else []
    words = {
        "CLEAN": "This can be merged.",
        "UNSTABLE": "This can be merged, but not all checks have passed.",
        "DIRTY": "This branch has conflicts with its base.",
        "BLOCKED": "Merging is blocked.",
        "BEHIND": "This branch is out of date with its base.",
        "DRAFT": "This is a draft.",
        "UNKNOWN": "Whether this can be merged is not known yet.",
    }
    merge = button("merge", "Merge", style="main") if may(view.actor, pull.repository, PUSH) else None
    offered = merge if state in ("CLEAN", "UNSTABLE") else None
    return tag(
        "section",
        tag("strong", words[state]),
        tag("ul", *(tag("li", reason) for reason in reasons)) if reasons else None,
        offered,
        class_=f"merge {state.lower()}",
    )


def _checks(view: View, pull: PullRequest) -> Html:
    repository, sha = pull.repository, pull.head.sha
    rows = [_run_row(pull, run) for run in latest_runs(repository, sha)]
    rows += [_status_row(status) for status in latest_statuses(repository, sha)]
    rows += [_waiting_row(view, pull, suite) for suite in suites_of(repository, sha) if suite.awaits_approval]
    return tag("ul", *rows, class_="list") if rows else tag("p", "Nothing has been reported.", class_="quiet")


def _run_row(pull: PullRequest, run: CheckRun) -> Html:
    word = run.conclusion or run.status
    workflow = run.suite.workflow_run
    home = path_of(pull.repository)
    again = None
    if workflow is not None and run.status == "completed":
        again = button("rerun", "Run again", hidden("run", workflow.id), style="tiny")
    name = tag("a", run.name, href=f"{home}/runs/{run.id}", class_="title")
    return tag("li", _mark(word), name, f" {word.replace('_', ' ')} ", again)


def _status_row(status: Status) -> Html:
    return tag("li", _mark(status.state), tag("strong", status.context), f" {status.state} ", status.description or "")


def _waiting_row(view: View, pull: PullRequest, suite: CheckSuite) -> Html:
    run = suite.workflow_run
    name = run.name if run is not None else suite.app.name
    allowed = run is not None and may(view.actor, pull.repository, PUSH)
    let = button("approve_run", "Let it run", hidden("run", run.id), style="tiny") if run and allowed else None
    return tag("li", _mark("action_required"), tag("strong", name), " waits for a maintainer ", let)


def _mark(word: str) -> Html:
    kind = {"success": "good", "neutral": "quiet", "skipped": "quiet"}.get(word, "bad")
    if word in ("queued", "in_progress", "pending", "waiting", "requested"):
        kind = "busy"
    sign = {"good": "✓", "bad": "✗", "busy": "●", "quiet": "–"}[kind]
    return tag("span", sign, class_=f"mark {kind}", title=word)


def _start(pull: PullRequest) -> str:
    return git_store.merge_base(pull.repository.path, pull.base.sha, pull.head.sha) or pull.base.sha


def _commits(pull: PullRequest) -> Html:
    found = git_store.log(pull.repository.path, "--reverse", f"{_start(pull)}..{pull.head.sha}")
    rows = [
        tag("li", tag("code", one.sha[:7]), f" {one.headline} ", tag("span", one.author_name, class_="quiet"))
        for one in found
    ]
    return tag("ul", *rows, class_="list")


def _files(pull: PullRequest) -> Sequence[Html]:
    found = changed_files(pull.repository.path, _start(pull), pull.head.sha)
    return [
        tag(
            "details",
            tag("summary", tag("code", one.path), f" +{one.additions} −{one.deletions}"),
            _diff(one.patch or "This file is not text."),
            open=True,
        )
        for one in found
    ]


def _diff(patch: str) -> Html:
    kinds = {"+": "added", "-": "removed", "@": "place"}
    lines = [tag("span", f"{line}\n", class_=kinds.get(line[:1])) for line in patch.splitlines()]
    return tag("pre", *lines, class_="diff")


def _thread(view: View, thread: ReviewThread) -> Html:
    place = f"{thread.path}:{thread.line}" if thread.line is not None else thread.path
    notes = [word for word, holds in (("outdated", thread.is_outdated), ("resolved", thread.resolved_by)) if holds]
    said = [tag("div", tag("strong", one.author.login), markdown(one.body)) for one in thread.comments]
    settle = ("unresolve", "Unresolve") if thread.resolved_by is not None else ("resolve", "Resolve")
    answer = button("reply", "Reply", hidden("thread", thread.node_id), tag("input", name="body", aria_label="Reply"))
    head = tag("header", tag("code", place), " ", *(tag("span", word, class_="pill") for word in notes))
    return tag("article", head, *said, answer, button(*settle, hidden("thread", thread.node_id)), class_="card")


def run_live(run: CheckRun, pull_path: str | None) -> Html:
    """One check run with its log."""
    workflow = run.suite.workflow_run
    job = next((one for one in workflow.jobs if one.check_run is run), None) if workflow is not None else None
    steps = (
        [tag("li", _mark(step.conclusion or step.status), step.name) for step in job.steps] if job is not None else []
    )
    notes = [tag("li", f"{one.path}:{one.start_line} {one.message}") for one in run.output.annotations]
    return join(
        tag("p", tag("a", "Back to the pull request", href=pull_path)) if pull_path is not None else None,
        tag("h1", _mark(run.conclusion or run.status), f" {run.name}"),
        tag("p", f"{workflow.name}, attempt {workflow.attempt}", class_="quiet") if workflow is not None else None,
        markdown(run.output.summary) if run.output.summary else None,
        tag("ul", *notes, class_="list") if notes else None,
        tag("ul", *steps, class_="list") if steps else None,
        tag("pre", job.log if job is not None else run.output.text or "There is no log.", class_="log"),
    )

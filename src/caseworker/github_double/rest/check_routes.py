"""Check runs, check suites and commit statuses."""

from caseworker.github_double.access import READ_CHECKS, READ_STATUSES, WRITE_CHECKS, WRITE_STATUSES
from caseworker.github_double.acts.check_acts import (
    CheckReport,
    create_check_run,
    create_status,
    find_check_run,
    find_suite,
    rerequest_check_run,
    update_check_run,
)
from caseworker.github_double.derive.check_results import latest_runs, runs_of, suites_of
from caseworker.github_double.entities.check_records import (
    CHECK_STATUSES,
    CONCLUSIONS,
    STATUS_STATES,
    Annotation,
    CheckRun,
)
from caseworker.github_double.entities.repository import Repository
from caseworker.github_double.front import Answer
from caseworker.github_double.refusals import FieldError, Unprocessable
from caseworker.github_double.rest.exchange import Call, RestRoute
from caseworker.github_double.rest.fields import Fields
from caseworker.github_double.shapes.check_shapes import (
    annotation_json,
    check_run_json,
    check_suite_json,
    combined_status_json,
    status_json,
)


def post_check_run(call: Call) -> Answer:
    repository, fields = call.repository(WRITE_CHECKS), call.fields
    run = create_check_run(
        call.github,
        call.actor,
        repository,
        name=fields.required("name"),
        sha=fields.required("head_sha"),
        report=_report(fields),
    )
    return Answer(check_run_json(call.github, repository, run), 201)


def get_check_run(call: Call) -> Answer:
    repository = call.repository(READ_CHECKS)
    return Answer(check_run_json(call.github, repository, find_check_run(repository, call.number("id"))))


def patch_check_run(call: Call) -> Answer:
    repository = call.repository(WRITE_CHECKS)
    run = find_check_run(repository, call.number("id"))
    update_check_run(call.github, call.actor, repository, run, _report(call.fields), name=call.fields.text("name"))
    return Answer(check_run_json(call.github, repository, run))


def rerequest(call: Call) -> Answer:
    repository = call.repository(WRITE_CHECKS)
    rerequest_check_run(call.github, call.actor, repository, find_check_run(repository, call.number("id")))
    return Answer({}, 201)


def list_annotations(call: Call) -> Answer:
    repository = call.repository(READ_CHECKS)
    run = find_check_run(repository, call.number("id"))
    return call.page(run.output.annotations, lambda one: annotation_json(call.github, repository, run.head_sha, one))


def list_commit_check_runs(call: Call) -> Answer:
    repository = call.repository(READ_CHECKS)
    sha = call.commit(repository)
    every = call.query("filter", "latest") == "all"
    return _runs(call, repository, runs_of(repository, sha) if every else latest_runs(repository, sha))


def list_suite_check_runs(call: Call) -> Answer:
    repository = call.repository(READ_CHECKS)
    return _runs(call, repository, find_suite(repository, call.number("id")).runs)


def list_commit_suites(call: Call) -> Answer:
    repository = call.repository(READ_CHECKS)
    found = suites_of(repository, call.commit(repository))
    return call.counted_page("check_suites", found, lambda one: check_suite_json(call.github, repository, one))


def get_suite(call: Call) -> Answer:
    repository = call.repository(READ_CHECKS)
    return Answer(check_suite_json(call.github, repository, find_suite(repository, call.number("id"))))


def get_combined_status(call: Call) -> Answer:
    repository = call.repository(READ_STATUSES)
    return Answer(combined_status_json(call.github, repository, call.commit(repository)))


def list_statuses(call: Call) -> Answer:
    repository = call.repository(READ_STATUSES)
    sha = call.commit(repository)
    found = [one for one in reversed(repository.records.statuses) if one.sha == sha]
    return call.page(found, lambda one: status_json(call.github, repository, one))


def post_status(call: Call) -> Answer:
    repository, fields = call.repository(WRITE_STATUSES), call.fields
    state = next((one for one in STATUS_STATES if one == fields.text("state")), None)
    if state is None:
        raise Unprocessable("Validation Failed", FieldError(resource="Status", field="state", code="invalid"))
    status = create_status(
        call.github,
        call.actor,
        repository,
        sha=call.part("ref"),
        state=state,
        context=fields.text("context") or "default",
        description=fields.text("description"),
        target_url=fields.text("target_url"),
    )
    return Answer(status_json(call.github, repository, status), 201)


def _runs(call: Call, repository: Repository, runs: list[CheckRun]) -> Answer:
    name, status, app = call.query("check_name"), call.query("status"), call.query("app_id")
    found = [
        run
        for run in runs
        if name in ("", run.name) and status in ("", run.status) and app in ("", str(run.suite.app.id))
    ]
    return call.counted_page("check_runs", found, lambda run: check_run_json(call.github, repository, run))


def _report(fields: Fields) -> CheckReport:
    output = fields.record("output") or Fields({})
    status, conclusion = fields.text("status"), fields.text("conclusion")
    known_status = next((one for one in CHECK_STATUSES if one == status), None)
    known_end = next((one for one in CONCLUSIONS if one == conclusion), None)
    if (status and known_status is None) or (conclusion and known_end is None):
        raise Unprocessable('Invalid request.\n\nNo subschema in "oneOf" matched.')
    if known_status == "completed" and known_end is None:
        raise Unprocessable('Invalid request.\n\n"conclusion" wasn\'t supplied.')
    return CheckReport(
        status=known_status,
        conclusion=known_end,
        title=output.text("title"),
        summary=output.text("summary"),
        text=output.text("text"),
        annotations=tuple(_annotation(one) for one in output.records("annotations")),
        details_url=fields.text("details_url"),
        external_id=fields.text("external_id"),
    )


def _annotation(fields: Fields) -> Annotation:
    start = fields.number("start_line") or 1
    level = fields.text("annotation_level")
    return Annotation(
        path=fields.required("path"),
        start_line=start,
        end_line=fields.number("end_line") or start,
        level="failure" if level == "failure" else "warning" if level == "warning" else "notice",
        message=fields.required("message"),
        title=fields.text("title"),
    )


_HOME = "/repos/{owner}/{repo}"

ROUTES = (
    RestRoute("POST", f"{_HOME}/check-runs", post_check_run),
    RestRoute("GET", f"{_HOME}/check-runs/{{id:int}}", get_check_run),
    RestRoute("PATCH", f"{_HOME}/check-runs/{{id:int}}", patch_check_run),
    RestRoute("POST", f"{_HOME}/check-runs/{{id:int}}/rerequest", rerequest),
    RestRoute("GET", f"{_HOME}/check-runs/{{id:int}}/annotations", list_annotations),
    RestRoute("GET", f"{_HOME}/check-suites/{{id:int}}", get_suite),
    RestRoute("GET", f"{_HOME}/check-suites/{{id:int}}/check-runs", list_suite_check_runs),
    RestRoute("GET", f"{_HOME}/commits/{{ref:path}}/check-runs", list_commit_check_runs),
    RestRoute("GET", f"{_HOME}/commits/{{ref:path}}/check-suites", list_commit_suites),
    RestRoute("GET", f"{_HOME}/commits/{{ref:path}}/status", get_combined_status),
    RestRoute("GET", f"{_HOME}/commits/{{ref:path}}/statuses", list_statuses),
    RestRoute("POST", f"{_HOME}/statuses/{{ref}}", post_status),
)

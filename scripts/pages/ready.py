"""The page of the reasons why a pull request is not ready: docs/ready.md."""

from caseworker.core.pull.own_check import BARRIER, SETTLE
from caseworker.core.pull.reasons import EXPLANATIONS
from caseworker.core.pull.verdict import LOOKS

_HEAD = """\
# Is a pull request ready?

For everybody who waits for a merge. Written by `make pages` from `core/pull/reasons.py`.

```
caseworker ready OWNER/REPO/pull/57          # or the address of its page; '!57' if it has a case here
caseworker ready OWNER/REPO/pull/57 --json   # a stable model, for programs
```

It needs a token that may read the repository (`CASEWORKER_GITHUB_TOKEN`), and no case. It ends with 0 if the pull
request is ready, 1 if not, and 2 if it could not be judged: GitHub did not answer, or only in part. It changes nothing,
and Caseworker never merges.

*All* reasons are told. The first in the order of this page leads. Where no rule requires checks, all checks count. No
checks at all are not green before {settle} minutes have passed since the newest commit. While GitHub computes the
merge, Caseworker looks again after {looks} seconds.

The check `caseworker/ready` of a [session](pulls.md) and this command judge by the same rules and the same
knowledge: where the session is on record here, its record is read; elsewhere its check on the head carries what it
knows (whether and when it pushed this head, and how long it waits). Without both, a head whose committer is Caseworker
is taken for a push of Caseworker. So they can differ only by the time at which they looked. An App makes a check run,
neutral until it is ready, which tells that time, and when no session keeps it up to date any more. With a token alone
it is a status, which knows no neutral: pending until it is ready.

If somebody has put the pull request into the merge queue or switched auto-merge on, a person has decided, and that is
told instead.

| reason | what it means | who must move | what helps |
|---|---|---|---|
"""
_FOOT = """
For some reasons only Caseworker waits, and GitHub would allow the merge: `human_took_over`, `review_barrier`
({barrier} minutes), `ci_awaiting_approval`, `mergeable_pending` while the trial merge is older than the base; where no
rule demands it, `open_threads` and `changes_requested`; where no check is required, `failing_checks` and
`pending_checks`.
"""


def ready_page() -> str:
    rows = [f"| `{kind.value}` | {one.means} | {one.moves} | {one.helps} |\n" for kind, one in EXPLANATIONS.items()]
    looks = ", ".join(f"{seconds:g}" for seconds in LOOKS[:-1]) + f" and {LOOKS[-1]:g}"
    head = _HEAD.format(settle=int(SETTLE.total_seconds() // 60), looks=looks)
    return head + "".join(rows) + _FOOT.format(barrier=int(BARRIER.total_seconds() // 60))

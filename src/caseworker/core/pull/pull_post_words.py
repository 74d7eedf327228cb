"""Words the posts of a pull case. Made when a post is said, from the case as it stands in the record."""

from typing import Final, assert_never

from pydantic import BaseModel, ConfigDict

from caseworker.core.people.commands import MessageKind
from caseworker.core.people.phrasing import Phrasing, begin
from caseworker.core.pull.case import PullCase, SessionEnd
from caseworker.core.pull.pull_posts import PullAbout, PullPost
from caseworker.core.pull.unpushed_words import unpushed_words

K = MessageKind
_WHO_HAS_IT: Final = {
    SessionEnd.READY: "It is in people's hands now: Caseworker never merges.",
    SessionEnd.MERGED: "",
    SessionEnd.CLOSED: "",
    SessionEnd.DEADLINE: "It is in people's hands now.",
    SessionEnd.TAKEN_OVER: "It is in that person's hands now.",
    SessionEnd.ABORTED: "It is in people's hands now.",
    SessionEnd.BLOCKED: "It needs a person now.",
    SessionEnd.DONE: "",
    SessionEnd.INCOMPLETE: "What is left is in the tracking comment.",
}


class PullPostContext(BaseModel):
    model_config = ConfigDict(frozen=True)

    case: PullCase
    author: str = ""
    reply: str = ""
    """The developer's words to people."""


def pull_post_words(post: PullPost, about: PullPostContext, phrasing: Phrasing) -> str:
    case = about.case
    match post.about:
        case PullAbout.PUSH:
            names = ", ".join(post.names)
            commit = post.commit[:10] if post.commit else "a commit"
            voids = "voids" if post.is_certain else "may void"
            return f"I am about to push {commit}, which {voids} the approval of {names}."
        case PullAbout.UPDATED:
            commit = post.commit[:10] if post.commit else "the branch"
            asked = f" {', '.join(post.names)}: if your approval is gone, please give it again." if post.names else ""
            same = f" {post.note}" if post.note else ""
            return f"I brought the branch up to date ({commit}).{same}{asked}"
        case PullAbout.UP_TO_DATE:
            return "The branch has all of its base already."
        case PullAbout.ASK_CONTRIBUTOR:
            who = f"{about.author}: " if about.author else ""
            return (
                f"{who}the branch is behind its base or in conflict with it. It is in a fork, where I don't push: "
                "please bring it up to date. Meanwhile I go on with the head as it is."
            )
        case PullAbout.PAUSED:
            resume = begin(phrasing.command(case.id, K.RESUME))
            at = case.session.resume_at
            later = f" It goes on by itself at {at:%Y-%m-%d %H:%M} UTC." if at is not None else ""
            return _parts(f"Paused: {post.note}{later} {resume} lets it go on.", unpushed_words(case))
        case PullAbout.RESUMED:
            return "It goes on, from the head as it is now. What people have pushed meanwhile is adopted."
        case PullAbout.BUDGET_NEAR:
            more = begin(phrasing.command(case.id, K.BUDGET, "+5"))
            return f"Over 80 % of the budget is used. {more} adds to it."
        case PullAbout.REPLY:
            return _parts(post.note, about.reply)
        case PullAbout.ENDED:
            if case.session.end is None:
                return ""
            has_it = _WHO_HAS_IT[case.session.end]
            more = _begins_again(case, phrasing)
            return _parts(" ".join(part for part in (post.note, has_it, more) if part), unpushed_words(case))
        case _:
            assert_never(post.about)


def _begins_again(case: PullCase, phrasing: Phrasing) -> str:
    if case.session.end in (SessionEnd.MERGED, SessionEnd.CLOSED):
        return ""
    if case.session.end is SessionEnd.TAKEN_OVER:
        return f"{begin(phrasing.command(case.id, K.RESUME))} lets Caseworker go on from the head as it is then."
    return f"{begin(phrasing.start(case.id, case.session.workflow))} begins again."


def _parts(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)

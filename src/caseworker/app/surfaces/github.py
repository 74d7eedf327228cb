"""GitHub as a surface: its settings, its chat, and how it is listened to: webhooks, looks, and tracking comments.

Each part is imported only when it is asked for, so that commands start fast.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import structlog

from caseworker.app.parts import github_access, read_rehearsal
from caseworker.app.settings import Settings
from caseworker.app.surface_port import IntakeDesk, Listening
from caseworker.core.base.redaction import Redactor
from caseworker.ports import Chat, Forge, Store, StoredAny, Thread

if TYPE_CHECKING:
    from caseworker.core.base.pace import Pace
    from caseworker.core.base.policy import Policy
    from caseworker.core.base.repositories import RemoteRepository
    from caseworker.core.runs.run import Run
    from caseworker.core.telling.tracking_comment import Tracked
    from caseworker.forges.github.api import GitHubApi
    from caseworker.forges.github.forge import GitHubForge
    from caseworker.intake.github import GitHubIntake
    from caseworker.intake.show_runs import Looks, RunComments

log = structlog.get_logger()


@dataclass(frozen=True)
class GitHub:
    settings: Settings
    pace: Pace | None = None
    """Of our writes; by default GitHub's own limits."""
    looks: Looks | None = None
    """How often tracking comments are looked at."""
    name: Final = "GitHub"

    @property
    def is_wanted(self) -> bool:
        """A token alone may be there only for pull requests of cases from elsewhere."""
        settings = self.settings
        listens = bool(settings.github_repositories) or settings.github_webhook_secret is not None
        return bool(settings.github_app_id) or listens

    def missing(self) -> list[str]:
        settings, missing = self.settings, []
        if settings.github_app_id and settings.github_app_private_key is None:
            missing.append("github_app_private_key (the App's .pem file)")
        if not settings.github_app_id and settings.github_token is None:
            missing.append("github_app_id with github_app_private_key, or github_token")
        if not settings.github_app_id and not settings.github_repositories:
            missing.append("github_repositories (those to listen to, such as acme/shop)")
        if settings.anthropic_api_key is None and settings.reports_rehearsal is None:
            missing.append("anthropic_api_key, or reports_rehearsal to try it out without a model")
        return missing

    async def check(self) -> None:
        from caseworker.forges.github.reads import GitHubReader

        read_rehearsal(self.settings.reports_rehearsal)
        await GitHubReader(self._api).whoami()

    def chat(self, forge: Forge) -> Chat | None:
        if forge.comments is None:
            return None
        from caseworker.chats.github_chat import GitHubChat
        from caseworker.forges.github.address import ApiAddress

        web = ApiAddress(self.settings.github_api_url).web
        return GitHubChat(forge.comments, web=web, redactor=Redactor(self.settings.secrets()))

    def developers(self) -> Thread | None:
        return None

    async def listen(self, desk: IntakeDesk) -> Listening:
        from caseworker.forges.github.forge import make_github_forge
        from caseworker.forges.github.intake_reads import IntakeChanges
        from caseworker.intake.github_door import GitHubDoor
        from caseworker.intake.github_reconcile import GitHubReconciler
        from caseworker.intake.github_webhook import Webhook
        from caseworker.intake.github_work import DeliveryWork
        from caseworker.workspaces.git import SafeGit

        settings, store = self.settings, desk.store
        github = make_github_forge(self._api, store, SafeGit(), pace=self.pace)
        bot = await github.reader.whoami()
        work = DeliveryWork(store=store, intake=self._intake(desk, github, bot))
        door = GitHubDoor(store=store, on_new=work.wake)
        changes = IntakeChanges(self._api, served=settings.github_repositories)
        reconciler = GitHubReconciler(store=store, door=door, changes=changes)
        runs = {
            "GitHub's events": work.run,
            "GitHub's changes": reconciler.run,
            "tracking comments": self._run_comments(store, github).run,
        }
        held = (settings.github_webhook_secret, settings.github_webhook_secret_old)
        secrets = [secret.get_secret_value() for secret in held if secret is not None]
        log.info("listening to GitHub", by="webhooks" if secrets else "looking every two minutes", bot=bot)
        routes = [Webhook(door=door, secrets=secrets).route] if secrets else []
        return Listening(routes=routes, work=runs)

    def _intake(self, desk: IntakeDesk, github: GitHubForge, bot: str) -> GitHubIntake:
        from caseworker.agents.questions.mention_reader import MentionPlace
        from caseworker.app.github_mentions import make_mention_reader
        from caseworker.forges.github.intake_reads import IntakeReads
        from caseworker.forges.github.intake_writes import IntakeWrites
        from caseworker.forges.github.served_repositories import ServedRepositories
        from caseworker.intake.github import GitHubIntake
        from caseworker.intake.github_facts import GitHubPlace, GitHubPorts

        async def policy(_: RemoteRepository) -> Policy:
            return self.settings.policy()

        writes = IntakeWrites(github.broker, redactor=Redactor(self.settings.secrets()))
        place = GitHubPlace(
            bot=bot,
            is_person=not self._api.credentials.is_app,
            policy=policy,
            serves=ServedRepositories(self._api, self.settings.github_repositories).serves,
            owners=frozenset(self.settings.allowed_owners),
            rehearsal=read_rehearsal(self.settings.reports_rehearsal),
        )
        reads, store = IntakeReads(github.reader), desk.store
        mentions = MentionPlace(reads=reads, writes=writes, labels=github.labels, state=github.state)
        classifier = make_mention_reader(self.settings, store, mentions)
        return GitHubIntake(
            store=store,
            conversation=desk.conversation,
            doorbell=desk.doorbell,
            ports=GitHubPorts(reads=reads, writes=writes, classifier=classifier),
            place=place,
        )

    def _run_comments(self, store: Store, github: GitHubForge) -> RunComments:
        from caseworker.chats.surface_phrasing import CommentPhrasing
        from caseworker.intake.show_runs import RunComments
        from caseworker.views.tracked_runs import tracked_run

        async def tell(stored: StoredAny, run: Run) -> Tracked:
            return await tracked_run(store, stored, run, CommentPhrasing())

        redactor = Redactor(self.settings.secrets())
        return RunComments(store=store, comments=github.comments, tell=tell, redactor=redactor, looks=self.looks)

    @cached_property
    def _api(self) -> GitHubApi:
        """One connection for all of it: tokens, ETags and known limits are kept with it."""
        from caseworker.forges.github.connect import connect

        access = github_access(self.settings)
        assert access is not None, "what is missing was told before"
        return connect(access)

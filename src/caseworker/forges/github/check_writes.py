"""Check runs and statuses of ours, and new attempts of failed workflow runs."""

from caseworker.core.base.repositories import RemoteRepository
from caseworker.forges.github.address import repository_path
from caseworker.forges.github.check_reads import CheckReader
from caseworker.forges.github.counted_writes import CountedWrites
from caseworker.forges.github.payloads import CheckRunData, StatusData
from caseworker.forges.github.writes import ReportCheck, ReportStatus, RerunFailedJobs, Written


class CheckWrites:
    def __init__(self, writes: CountedWrites, reader: CheckReader) -> None:
        self._writes = writes
        self._reader = reader

    async def report(self, repository: RemoteRepository, write: ReportCheck) -> Written:
        """The key is GitHub's `external_id`: by it the run is found again."""
        told: dict[str, object] = {"name": write.name, "status": write.status, "external_id": write.key}
        if write.conclusion is not None:
            told["conclusion"] = write.conclusion
        if write.title or write.summary:
            told["output"] = {"title": write.title or write.name, "summary": write.summary}
        found = [one for one in await self._reader.runs(repository, write.commit) if one.external_id == write.key]
        if found:
            path = repository_path(repository, "check-runs", found[0].id)
            made = await self._writes.send(repository, "check run", "PATCH", path, CheckRunData, told)
        else:
            path = repository_path(repository, "check-runs")
            body = told | {"head_sha": write.commit}
            made = await self._writes.send(repository, "check run", "POST", path, CheckRunData, body)
        return Written(id=str(made.id), url=made.html_url or "", new=not found)

    async def report_status(self, repository: RemoteRepository, write: ReportStatus) -> Written:
        told = StatusData(context=write.context, state=write.state, target_url=write.url, description=write.description)
        if told in await self._reader.statuses(repository, write.commit):
            return Written(url=write.url, new=False)
        path = repository_path(repository, "statuses", write.commit)
        await self._writes.send(repository, "status", "POST", path, object, told.model_dump())
        return Written(url=write.url)

    async def rerun(self, repository: RemoteRepository, write: RerunFailedJobs) -> Written:
        run = await self._reader.workflow_run(repository, write.run)
        if run.run_attempt > write.attempt:
            return Written(id=str(write.run), url=run.html_url, new=False)
        path = repository_path(repository, "actions", "runs", write.run, "rerun-failed-jobs")
        await self._writes.send(repository, "rerun", "POST", path, object)
        return Written(id=str(write.run), url=run.html_url)

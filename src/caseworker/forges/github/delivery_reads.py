"""Reads the log of webhook deliveries, to find those that failed. Changes nothing."""

from datetime import datetime
from typing import Final

from caseworker.forges.github.api import GitHubApi
from caseworker.forges.github.api_errors import GitHubRefused
from caseworker.forges.github.payloads import DeliveryData, DeliveryDetail

_PAGE: Final = 100
_MOST: Final = 2_000
_LOG: Final = "app/hook/deliveries"


class DeliveryReader:
    """The deliveries of the App's webhook. Without an App, every call is `Refused`."""

    def __init__(self, api: GitHubApi) -> None:
        self._api = api

    async def since(self, since: datetime) -> list[DeliveryData]:
        """All of them since then, oldest first, each GUID once. Empty: the App has no webhook."""
        log: list[DeliveryData] = []
        for most in (_PAGE, 4 * _PAGE, _MOST):  # newest first: most looks need one page
            try:
                log = await self._api.app_pages(_LOG, DeliveryData, most=most)
            except GitHubRefused as refused:
                if refused.is_absent:
                    return []
                raise
            if len(log) < most or log[-1].delivered_at < since:
                break
        return list({one.guid: one for one in reversed(log) if one.delivered_at >= since}.values())

    async def failed(self, *, since: datetime) -> list[DeliveryData]:
        """Those that failed and were not delivered later, oldest first, each GUID once."""
        log = await self._api.app_pages(_LOG, DeliveryData, most=_MOST)
        recent = [one for one in log if one.delivered_at >= since]
        arrived = {one.guid for one in recent if 200 <= one.status_code < 300}
        failed = {one.guid: one for one in recent if one.guid not in arrived}
        return sorted(failed.values(), key=lambda one: one.delivered_at)

    async def detail(self, delivery: int) -> DeliveryDetail:
        """With headers and body, as they were sent."""
        return await self._api.app_get(f"{_LOG}/{delivery}", DeliveryDetail)

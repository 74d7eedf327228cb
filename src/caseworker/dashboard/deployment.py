"""What the health page tells about this deployment besides its records."""

from collections.abc import Awaitable, Callable

from pydantic import BaseModel, ConfigDict


class Deployment(BaseModel):
    """Facts that the app knows, not the store."""

    model_config = ConfigDict(frozen=True)

    version: str = ""
    database: str = ""
    """`SQLite` or `PostgreSQL`."""
    engine: str = ""
    """Where Temporal is."""
    engine_answers: bool | None = None
    """Null: not known."""
    host: str = ""
    """The host process of this home, in words. Empty: there is none, as on a cluster."""
    slots: int = 0
    developers: int = 0
    problem: str = ""
    """What is wrong, and what to do. Empty: nothing."""


DeploymentLook = Callable[[], Awaitable[Deployment]]


async def unknown_deployment() -> Deployment:
    return Deployment()

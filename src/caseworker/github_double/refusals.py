"""Answers of GitHub that are no success: each face turns them into its own form."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class FieldError:
    """One entry of the `errors` of a 422."""

    resource: str
    field: str
    code: str
    message: str | None = None


class Refusal(Exception):
    """Base of all. `graphql_type` is the `type` of the GraphQL error."""

    status = 400
    graphql_type = "UNPROCESSABLE"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class Unauthorized(Refusal):
    status = 401
    graphql_type = "UNAUTHORIZED"


class Forbidden(Refusal):
    status = 403
    graphql_type = "FORBIDDEN"

    def __init__(self, message: str, *, accepted: str = "") -> None:
        super().__init__(message)
        self.accepted = accepted
        """The permissions that would do, as in `X-Accepted-GitHub-Permissions`."""


class NotFound(Refusal):
    """Not there, or not for these eyes: GitHub does not say which."""

    status = 404
    graphql_type = "NOT_FOUND"

    def __init__(self, message: str = "Not Found") -> None:
        super().__init__(message)


class MethodNotAllowed(Refusal):
    """A merge that the rules forbid."""

    status = 405


class Conflict(Refusal):
    status = 409


class Gone(Refusal):
    status = 410
    graphql_type = "NOT_FOUND"


class Unprocessable(Refusal):
    status = 422

    def __init__(self, message: str = "Validation Failed", *errors: FieldError | str) -> None:
        super().__init__(message)
        self.errors = errors


class Moved(Refusal):
    """The repository was renamed or the issue transferred; `location` is where it is now."""

    status = 301
    graphql_type = "NOT_FOUND"

    def __init__(self, location: str) -> None:
        super().__init__("Moved Permanently")
        self.location = location

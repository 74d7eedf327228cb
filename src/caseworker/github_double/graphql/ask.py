"""What a resolver is given, and the tables that resolvers are kept in."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Generic, TypeVar

from caseworker.github_double.entities.accounts import Actor
from caseworker.github_double.entities.details import TrialMerge
from caseworker.github_double.graphql.costs import Cost
from caseworker.github_double.refusals import Unprocessable
from caseworker.github_double.state import GitHub

T = TypeVar("T")


class WrongArgument(Unprocessable):
    """The schema lets the argument through, the resolver cannot use it."""


@dataclass(frozen=True, kw_only=True)
class Budget:
    """What is left of the asker's points in this hour."""

    limit: int
    remaining: int
    resets_at: datetime


@dataclass(frozen=True, kw_only=True)
class Request:
    """One request: the state, who asks, and what the query costs."""

    github: GitHub
    actor: Actor
    cost: Cost
    budget: Budget
    trials: dict[str, TrialMerge | None] = field(default_factory=dict)
    """What the first look of this request saw, by node id: all fields of one answer agree."""


@dataclass(frozen=True, kw_only=True)
class Ask:
    """One field of a request, with its arguments."""

    request: Request
    field: str
    args: Mapping[str, object]

    @property
    def github(self) -> GitHub:
        return self.request.github

    @property
    def actor(self) -> Actor:
        return self.request.actor

    def text(self, name: str) -> str:
        return _text(name, self.args.get(name))

    def text_or_none(self, name: str) -> str | None:
        return None if self.args.get(name) is None else self.text(name)

    def number(self, name: str) -> int:
        return _number(name, self.args.get(name))

    def number_or_none(self, name: str) -> int | None:
        return None if self.args.get(name) is None else self.number(name)

    def flag(self, name: str, default: bool = False) -> bool:
        value = self.args.get(name, default)
        return default if value is None else value is True

    def texts(self, name: str) -> list[str] | None:
        """A list of strings or enum values; None where the argument is not given."""
        value = self.args.get(name)
        if value is None:
            return None
        if not isinstance(value, list):
            raise WrongArgument(f"{name} is not a list")
        return [_text(name, entry) for entry in value]

    def part(self, name: str) -> "Ask":
        """The same with the fields of an input object as arguments; empty where it is not given."""
        value = self.args.get(name)
        if value is None:
            return Ask(request=self.request, field=self.field, args={})
        if not isinstance(value, Mapping):
            raise WrongArgument(f"{name} is not an object")
        return Ask(request=self.request, field=self.field, args=value)

    def parts(self, name: str) -> list["Ask"]:
        """The same for a list of input objects."""
        value = self.args.get(name)
        if value is None:
            return []
        if not isinstance(value, list):
            raise WrongArgument(f"{name} is not a list")
        return [Ask(request=self.request, field=self.field, args={name: one}).part(name) for one in value]


Resolver = Callable[[T, Ask], object]
Fields = Mapping[str, Resolver[T]]


@dataclass(frozen=True)
class Subject(Generic[T]):
    """The fields of one GraphQL type, resolved from one Python class."""

    kind: type[T]
    fields: Fields[T]

    def knows(self, name: str) -> bool:
        return name in self.fields

    def resolve(self, source: object, name: str, ask: Ask) -> object:
        if not isinstance(source, self.kind):
            raise TypeError(f"{name} is a field of {self.kind.__name__}, not of {type(source).__name__}")
        return self.fields[name](source, ask)


def _text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise WrongArgument(f"{name} is not a string")
    return value


def _number(name: str, value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise WrongArgument(f"{name} is not a number")
    return value

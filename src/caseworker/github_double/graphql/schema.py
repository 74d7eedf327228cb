"""GitHub's schema as graphql-core has it, and how its fields and types are resolved."""

from functools import cache
from importlib.resources import files

from graphql import GraphQLAbstractType, GraphQLError, GraphQLResolveInfo, GraphQLSchema, build_schema

from caseworker.github_double.graphql.ask import Ask, Request
from caseworker.github_double.graphql.node_views import Absent, Payload
from caseworker.github_double.graphql.type_table import subject_of, type_of


class NotResolved(GraphQLError):
    """The schema has the field and this GitHub does not, yet."""


@cache
def load_schema() -> GraphQLSchema:
    """Takes about half a second, once for each process."""
    here = files("caseworker.github_double.graphql")
    # Ids are declared as Int and are larger than graphql-core lets an Int be.
    names = here.joinpath("names.graphql").read_text().replace("atabaseId:Int", "atabaseId:LargeInt")
    names = names.replace("integrationId:Int", "integrationId:LargeInt")
    text = names + here.joinpath("additions.graphql").read_text()
    # The published schema breaks rules that graphql-core would check: fields declared twice, for one.
    return build_schema(text, assume_valid=True, assume_valid_sdl=True)


def resolve_field(source: object, info: GraphQLResolveInfo[Request], **arguments: object) -> object:
    """Resolves every field of every type, by the tables."""
    request = info.context
    name, kind = info.field_name, info.parent_type.name
    if isinstance(source, Payload | Absent):
        return _from_values(source, kind, name)
    subject = subject_of(kind)
    if subject is None or not subject.knows(name):
        raise _not_resolved(kind, name)
    return subject.resolve(source, name, Ask(request=request, field=name, args=arguments))


def resolve_type(value: object, _info: GraphQLResolveInfo[Request], _abstract: GraphQLAbstractType) -> str:
    return type_of(value)


def _from_values(source: Payload | Absent, kind: str, name: str) -> object:
    if name not in source.values:
        raise _not_resolved(kind, name)
    return source.values[name]


def _not_resolved(kind: str, name: str) -> NotResolved:
    return NotResolved(f"This GitHub has no {kind}.{name} yet: add it to caseworker.github_double.graphql.")

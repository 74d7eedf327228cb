"""The addresses of pages. A case's id has characters that an address can't have, so `#` is written `~`."""

from typing import Final

from starlette.convertors import Convertor, register_url_convertor

from caseworker.core.base.ids import CaseId

CASE_PATTERN: Final = r"bug-[0-9A-Za-z]+|[\w.-]+/[\w.-]+[~!][0-9]+"


class _CaseConvertor(Convertor[CaseId]):
    regex = CASE_PATTERN

    def convert(self, value: str) -> CaseId:
        return CaseId(value.replace("~", "#"))

    def to_string(self, value: CaseId) -> str:
        return case_slug(value)


def register_case_paths() -> None:
    """Lets routes say `{case:case}`. Repeated: a no-op."""
    register_url_convertor("case", _CaseConvertor())


def case_slug(case: CaseId | str) -> str:
    return case.replace("#", "~")


def case_path(case: CaseId | str) -> str:
    return f"/cases/{case_slug(case)}"


def own_path(to: str) -> str:
    """Where to go after a log-in: the path that was asked for, if it is one of ours."""
    return to if to.startswith("/") and not to.startswith(("//", "/\\")) and to.isprintable() else "/"

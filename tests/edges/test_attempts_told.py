"""What the flow is told of an attempt that ended by an error: whether the attempt is to blame."""

import errno

import pytest
from temporalio.exceptions import ApplicationError

from caseworker.activities.shared.context import attempts_told
from caseworker.contract.names import PASSING, REFUSED
from caseworker.core.base.errors import Refused, Transient


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (Transient("The disk with the database is full."), PASSING),
        (OSError(errno.ENOSPC, "No space left on device"), PASSING),
        (OSError(errno.EDQUOT, "Disk quota exceeded"), PASSING),
        (Refused("There is no such branch."), REFUSED),
    ],
)
def test_an_end_has_a_type_that_says_who_can_help(error: Exception, kind: str) -> None:
    with pytest.raises(ApplicationError) as told, attempts_told():
        raise error
    assert told.value.type == kind


def test_any_other_error_is_the_attempts_own() -> None:
    with pytest.raises(PermissionError), attempts_told():
        raise PermissionError(errno.EACCES, "Permission denied")

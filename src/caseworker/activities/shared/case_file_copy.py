"""Keeps a copy of the case file where GitHub Actions looks for it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import structlog

from caseworker.core.casefile.model import CaseFile

log = structlog.get_logger()

NAME: Final = "issue-state.json"


@dataclass(frozen=True, kw_only=True)
class CaseFileCopy:
    folder: Path | None = None
    """`$GITHUB_WORKSPACE`. Null: no copy is kept."""

    def write(self, file: CaseFile) -> None:
        """Write the whole file or nothing. A folder that can't be written to is logged: the case itself goes on."""
        if self.folder is None:
            return
        draft = self.folder / f".{NAME}.new"
        try:
            draft.write_text(file.dump(), encoding="utf-8")
            draft.rename(self.folder / NAME)
        except OSError as error:
            log.warning("the case file was not copied", folder=str(self.folder), error=str(error))

"""The findings of the linter, their levels, and the exit status that follows from them."""

from collections.abc import Iterable
from typing import NamedTuple

LEVELS = (ERROR, WARNING, NOTE) = ('error', 'warning', 'note')
#: the level of a rule that does not run unless the settings give it another one
OFF = 'off'
_EXIT_STATUS = {ERROR: 2, WARNING: 1}


class Finding(NamedTuple):
    """A violation of a rule at a place in a file. Lines and columns count from one."""

    file: str
    line: int
    column: int
    level: str
    rule: str
    text: str

    def __str__(self) -> str:
        return f'{self.file}:{self.line}:{self.column}: {self.level} {self.rule}: {self.text}'


def exit_status(findings: Iterable[Finding]) -> int:
    """Return 2 where there are errors, 1 where there are warnings, else 0."""
    return max((_EXIT_STATUS.get(finding.level, 0) for finding in findings), default=0)

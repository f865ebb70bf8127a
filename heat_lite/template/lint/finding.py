"""What the linter says: findings, how grave they are, and the exit status that follows."""

from typing import NamedTuple

LEVELS = (ERROR, WARNING, NOTE) = ('error', 'warning', 'note')
_EXIT = {ERROR: 2, WARNING: 1}


class Finding(NamedTuple):
    """One thing to mend; lines and columns count from one."""

    file: str
    line: int
    column: int
    level: str
    rule: str
    text: str

    def __str__(self):
        return f'{self.file}:{self.line}:{self.column}: {self.level} {self.rule}: {self.text}'


def exit_status(findings) -> int:
    """2 where there are errors, 1 where there are warnings, else 0."""
    return max((_EXIT.get(finding.level, 0) for finding in findings), default=0)

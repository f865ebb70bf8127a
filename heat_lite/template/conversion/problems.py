"""What the conversion of a template could not do, and what its user must know."""

from typing import NamedTuple


class Remark(NamedTuple):
    """A text about the part of the original template at a path."""

    path: tuple
    text: str


class Unconvertible(Exception):
    """A part has no equivalent. The text says why, and what to do."""


class Remarks:
    """The ``problems``, parts without an equivalent, and the ``notes`` about a conversion."""

    def __init__(self) -> None:
        self.problems: list[Remark] = []
        self.notes: list[Remark] = []

    def problem(self, path: tuple, text: object) -> None:
        self._add(self.problems, path, text)

    def note(self, path: tuple, text: object) -> None:
        self._add(self.notes, path, text)

    @staticmethod
    def _add(remarks: list[Remark], path: tuple, text: object) -> None:
        remark = Remark(path, str(text))
        if remark not in remarks:
            remarks.append(remark)

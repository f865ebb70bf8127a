"""What an editor asks about the texts of a template, an environment and files.

Nothing of a cloud, a database or a file is read.

Tests: tests/functional/test_template_editor.py.
"""

import functools
import posixpath
from collections.abc import Mapping

from heat_lite.engine.registry import Registry
from heat_lite.engine.type_catalog import TypeCatalog
from heat_lite.engine.validation import offline_validation
from heat_lite.template.editing import completion, cursor
from heat_lite.template.functions import budget
from heat_lite.template.lint.finding import Finding
from heat_lite.template.lint.linter import Linter

#: the names of the two texts that are no files of the template
TEMPLATE, ENVIRONMENT = 'template', 'environment'
#: number of findings and of completions in an answer
MAX_FINDINGS, MAX_ITEMS = 200, 500
#: keys and values of a text: a text as long as the API permits has rarely more than this
MAX_NODES = 60_000


class TextFiles:
    """Files that are given as ``{name: text}``.

    A reference is relative to the folder of the file that contains it.
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts

    def join(self, name: str, reference: str) -> str:
        """Return the name of the file that the file ``name`` refers to as ``reference``."""
        if '://' in reference or reference in self._texts:
            return reference
        return posixpath.normpath(posixpath.join(posixpath.dirname(name), reference))

    def has(self, name: str) -> bool | None:
        """Whether the file is given; None for a URL, which is not read."""
        return True if name in self._texts else None if '://' in name else False

    def read(self, name: str) -> str:
        """Return the text of a file. Raises ValueError if it is not given."""
        if name not in self._texts:
            raise ValueError('The file is not among those of the request')
        return self._texts[name]


class TemplateEditor:
    """The findings and the completions of texts, by the resource types of a registry.

    Texts are ``{name: text}``, with TEMPLATE and, optionally, ENVIRONMENT among them.
    """

    def __init__(self, registry: Registry) -> None:
        self._types = TypeCatalog(registry)

    def findings(self, texts: Mapping[str, str]) -> list[Finding]:
        """Return the first findings of the linter in all texts that are used."""
        found = self._linter(texts).lint([TEMPLATE, *_environments(texts)])
        return found[:MAX_FINDINGS]

    def completions(
        self, texts: Mapping[str, str], name: str, line: int, column: int
    ) -> tuple[list[completion.Item], int]:
        """Return the completions at a place, and the length of the word that they complete.

        Lines and columns count from one.
        """
        draft = cursor.draft(texts[name], line, column)
        if draft is None:
            return [], 0
        linter = self._linter({**texts, name: draft.text})
        document = linter.template(name, _environments(texts))
        return completion.complete_draft(document, draft)[:MAX_ITEMS], len(draft.word)

    def _linter(self, texts: Mapping[str, str]) -> Linter:
        return Linter(
            self._types,
            TextFiles(texts),
            functools.partial(offline_validation.validation_errors, self._types),
            base=self._types.base,
            pause=budget.Stopwatch('lint').step,  # it ends after the seconds of a request
            max_nodes=MAX_NODES,
        )


def _environments(texts: Mapping[str, str]) -> list[str]:
    return [ENVIRONMENT] if texts.get(ENVIRONMENT) else []

"""The RPC endpoint for those who write templates: findings, completions, objects to choose from.

Findings and completions read nothing of a cloud, a database or a file.

Tests: tests/functional/test_template_editor.py.
"""

import functools
import posixpath
from collections.abc import Mapping

from heat_lite.common.context import RequestContext
from heat_lite.engine.endpoints.base import Endpoint, Wire
from heat_lite.engine.runtime import Runtime
from heat_lite.engine.type_catalog import TypeCatalog
from heat_lite.engine.validation import offline_validation
from heat_lite.template.editing import completion, cursor
from heat_lite.template.functions import budget
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


class TextQueries(Endpoint):
    """Texts are ``{name: text}``, with TEMPLATE and, optionally, ENVIRONMENT among them."""

    def __init__(self, runtime: Runtime) -> None:
        super().__init__(runtime)
        self._types = TypeCatalog(runtime.registry)

    def lint_template(self, context: RequestContext, texts: dict[str, str]) -> list[Wire]:
        """Return the first findings of the linter, each with its file, line and column."""
        found = self._linter(texts).lint([TEMPLATE, *_environments(texts)])
        return [finding._asdict() for finding in found[:MAX_FINDINGS]]

    def complete_template(
        self, context: RequestContext, texts: dict[str, str], file: str, line: int, column: int
    ) -> Wire:
        """Return what may stand at a place: ``items``, and ``length`` of the word before it.

        Lines and columns count from one.
        """
        draft = cursor.draft(texts[file], line, column)
        if draft is None:
            return {'items': [], 'length': 0}
        linter = self._linter({**texts, file: draft.text})
        document = linter.template(file, _environments(texts))
        items = completion.complete_draft(document, draft)[:MAX_ITEMS]
        return {'items': [item._asdict() for item in items], 'length': len(draft.word)}

    def list_choices(self, context: RequestContext, constraint: str) -> list[Wire]:
        """Return the objects of the cloud that a custom constraint allows, by name."""
        return self._runtime.registry.choices(self._runtime.clients(context), constraint)

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

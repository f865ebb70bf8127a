"""The RPC endpoint for those who write templates: findings, completions, objects to choose from.

Tests: tests/functional/test_template_editor.py.
"""

from heat_lite.common.context import RequestContext
from heat_lite.engine.endpoints.base import Endpoint, Wire
from heat_lite.engine.runtime import Runtime
from heat_lite.engine.stack.template_editor import TemplateEditor


class TextQueries(Endpoint):
    def __init__(self, runtime: Runtime) -> None:
        super().__init__(runtime)
        self._editor = TemplateEditor(runtime.registry)

    def lint_template(self, context: RequestContext, texts: dict[str, str]) -> list[Wire]:
        """Return the findings of the linter, each with its file, line and column."""
        return [finding._asdict() for finding in self._editor.findings(texts)]

    def complete_template(
        self, context: RequestContext, texts: dict[str, str], file: str, line: int, column: int
    ) -> Wire:
        """Return what may stand at a place: ``items``, and ``length`` of the word before it."""
        items, length = self._editor.completions(texts, file, line, column)
        return {'items': [item._asdict() for item in items], 'length': length}

    def list_choices(self, context: RequestContext, constraint: str) -> list[Wire]:
        """Return the objects of the cloud that a custom constraint allows, by name."""
        return self._runtime.registry.choices(self._runtime.clients(context), constraint)

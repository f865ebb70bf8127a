"""The linter: documents in, findings out. It knows no file and no service; whoever calls it hands these in.

``types`` answers ``names()``, ``knows(name)`` and ``get(name)``, a Type. ``files`` answers ``read(name)`` (ValueError where that cannot be
done), ``has(name)`` (None: it is far away, nobody looks) and ``join(name, reference)``, the name of a file as another one refers to it.
``refusals(document)`` yields the exceptions that resource types raise about a template when they are asked themselves. ``base`` is the
operator's Environment, which maps types for everybody.
"""

from collections.abc import Iterable

from heat_lite.template.environment import Environment
from heat_lite.template.lint.document import Document, EnvironmentDocument, TemplateDocument, is_environment, merged
from heat_lite.template.lint.finding import ERROR, Finding
from heat_lite.template.lint.rules import RULES
from heat_lite.template.lint.rules.base import ANY, ENVIRONMENT, TEMPLATE
from heat_lite.template.lint.rules.properties import Validation
from heat_lite.template.positions import Position
from heat_lite.template.registry import is_template


def _none(document):
    return ()


class Linter:
    """Looks at templates and environments together: environments map the types of the templates and give values to their parameters."""

    def __init__(self, types, files, refusals=_none, ignored=(), base=None):
        self._types = types
        self._base = base
        self._files = files
        self._refusals = refusals
        self._rules = [rule for rule in RULES if rule.name not in ignored]
        self._templates: dict[str, TemplateDocument | None] = {}

    def lint(self, names: Iterable[str]) -> list[Finding]:
        """All findings about these files and the templates that they are made of; file by file, in the order of the lines."""
        documents = [self._document(name) for name in dict.fromkeys(names)]
        environments = [EnvironmentDocument(each, self._files, self._types, self._base) for each in documents if is_environment(each)]
        environment = merged(environments, self._base)
        for document in documents:
            if not is_environment(document):
                self._templates[document.name] = self._template(document, environment)
        templates = [document for document in self._templates.values() if document is not None]
        for each in environments:
            each.templates = templates
            self._map(each, environment)
        found = {each.name: self._of_environment(each) for each in environments}
        found.update(self._of_templates())
        order = dict.fromkeys([document.name for document in documents] + list(found))
        return [finding for name in order for finding in sorted(set(found[name]))]

    def _document(self, name):
        try:
            return Document(name, self._files.read(name))
        except ValueError as error:
            return Document(name, '', error)

    def _template(self, document, environment):
        return TemplateDocument(document, self._files, self._types, environment, self.nested, self._refusals)

    def nested(self, file: str, environment: Environment) -> TemplateDocument | None:
        """The template of a file that another document names, to be looked at as well."""
        if file not in self._templates:
            known = self._files.has(file)
            self._templates[file] = self._template(self._document(file), environment) if known else None
        return self._templates[file]

    def _map(self, document, environment):
        """The templates that an environment puts in the place of types."""
        for name, target in document.registry().items():
            if is_template(target):
                self.nested(target, environment.child('', {}, without=name))

    # ------------------------------------------------------------ findings

    def _of_templates(self):
        """Looking at one may bring further ones."""
        found: dict[str, list[Finding]] = {}
        while len(found) < len(self._templates):
            for name, document in list(self._templates.items()):
                if name not in found:
                    found[name] = [] if document is None else self._of_template(document)
        return found

    def _of_environment(self, document):
        return [finding for finding, _ in self._applied(document, (ANY, ENVIRONMENT))]

    def _of_template(self, document):
        readable = document.error is None and document.data
        subjects = (ANY, TEMPLATE) if readable and document.template is not None else (ANY,)
        found = list(self._applied(document, subjects))
        if readable and document.template is None:
            found += self._applied(document, (TEMPLATE,), [rule for rule in self._rules if rule.name == 'version'])
        return [finding for finding, where in found if finding.rule != Validation.name or _is_news(where, found)]

    def _applied(self, document, subjects, rules=None):
        """Pairs of findings and the paths that they are about."""
        for rule in self._rules if rules is None else rules:
            if rule.subject in subjects:
                for where, text in rule().check(document):
                    position = where if isinstance(where, Position) else document.positions.find(where)
                    yield Finding(document.name, *position, rule.level, rule.name, text), where


def _is_news(where, found):
    """Whether what a type says is not the consequence of something that was found already."""
    errors = [place for finding, place in found if finding.level == ERROR and finding.rule != Validation.name]
    return not any(len(where) < 2 or _owner(place) == _owner(where) for place in errors)


def _owner(path):
    """The section and the name in it that a path leads into, spelt alike in both dialects."""
    return [str(part).lower() for part in path[:2]]

"""The linter, which turns documents into findings.

It opens no file and calls no service. Its caller passes these in:

- ``types``: ``names()``, ``knows(name)`` and ``get(name)``, a TypeInfo.
- ``files``: ``read(name)`` (raises ValueError for a file that cannot be read), ``has(name)`` (None
  for a remote or forbidden file, which is not read) and ``join(name, reference)``, the name of a
  file that another one refers to.
- ``validation_errors(document)`` yields the exceptions that resource types raise when they validate
  a template.
- ``base`` is the operator's Environment, which maps types for all users.
- ``pause()`` is called between two rules or findings.
"""

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping

from heat_lite.common.value_types import Value
from heat_lite.template import dialects, resource_registry
from heat_lite.template.environment import (
    PARAMETER_DEFAULTS,
    PARAMETERS,
    RESOURCE_REGISTRY,
    Environment,
)
from heat_lite.template.lint import environment_choice, levels
from heat_lite.template.lint.document import (
    READ_ERRORS,
    Document,
    EnvironmentDocument,
    Files,
    TemplateDocument,
    Types,
    is_environment,
    looks_like_heat,
)
from heat_lite.template.lint.finding import ERROR, OFF, Finding
from heat_lite.template.lint.rules import RULES
from heat_lite.template.lint.rules.base import ANY, ENVIRONMENT, TEMPLATE, Rule
from heat_lite.template.lint.rules.properties import check_validation
from heat_lite.template.lint.rules.shape import check_version
from heat_lite.template.lint.rules.text import without_excerpt
from heat_lite.template.lint.suppressions import Suppressions
from heat_lite.template.source_positions import Position


def _no_errors(document: TemplateDocument) -> tuple:
    return ()


def _no_pause() -> None:
    return


@dataclasses.dataclass(eq=False)
class Linter:
    """Checks templates and environments together.

    The environments map the types of the templates and set their parameters. ``ignored`` rules do
    not run, nor do those with the level OFF. ``levels`` is ``{rule: level}`` for rules whose level
    differs from the usual one. ``max_nodes`` limits the keys and values of each text: LimitExceeded
    is raised beyond it.
    """

    types: Types
    files: Files
    validation_errors: Callable[[TemplateDocument], Iterable[Exception]] = _no_errors
    ignored: Iterable[str] = ()
    base: Environment | None = None
    levels: Mapping[str, str] = dataclasses.field(default_factory=dict)
    pause: Callable[[], None] = _no_pause
    max_nodes: int | None = None
    #: the texts that reports may quote: {name: text}
    texts: dict[str, str] = dataclasses.field(default_factory=dict)

    def __post_init__(self) -> None:
        self._rules = [
            rule
            for rule in RULES
            if rule.name not in self.ignored and self.levels.get(rule.name, rule.level) != OFF
        ]
        self._documents: dict[str, Document] = {}
        self._templates: dict[str, TemplateDocument | None] = {}
        #: what environments map: files to all, and types those of folders only
        self._mapped_files: set[str] = set()
        self._mapped_types: set[str] = set()

    def lint(self, names: Iterable[str], candidates: Iterable[str] = ()) -> list[Finding]:
        """Return all findings in these files and in their nested templates, by file and line.

        ``candidates`` are files of folders. Those that are neither templates nor environments are
        left out.
        """
        names = dict.fromkeys(names)
        documents = self._read(names, candidates)
        environments = [each for each in documents if isinstance(each, EnvironmentDocument)]
        self._take_entries(environments)
        templates = [
            self._template(each, _merged([], self.base))
            for each in documents
            if not isinstance(each, EnvironmentDocument)
        ]
        chosen = environment_choice.assign(environments, templates)
        for template in templates:
            template.use(_merged(chosen[template.name], self.base))
            template.given = {
                name
                for each in chosen[template.name]
                for section in (PARAMETERS, PARAMETER_DEFAULTS)
                for name in each.section(section)
            }
        for each in [] if templates else environments:
            self._load_mapped(each, _merged(environments, self.base))
        first = [each for each in templates if chosen[each.name] or each.name in names]
        self._templates.update({each.name: each for each in first})
        # a file of a folder without environments gets that of the template that uses it
        found = self._check_templates([each for each in templates if each not in first])
        used_targets = self._used_targets() if environments else set()
        for each in environments:
            each.used_targets = used_targets
            found[each.name] = self._check_environment(each)
        order = dict.fromkeys([document.name for document in documents] + list(found))
        return [
            finding._replace(level=self.levels.get(finding.rule, finding.level))
            for name in order
            for finding in sorted(set(found[name]))
        ]

    def _read(self, names: Iterable[str], candidates: Iterable[str]) -> list[Document]:
        """Return the documents of a run. Without an empty one, where there is a template."""
        named = {name: self._document(name) for name in names}
        beside = {name: self._document(name) for name in candidates if name not in named}
        used = {
            name: each
            for name, each in beside.items()
            if looks_like_heat(each) or _has_resources(each.data)
        }
        for name in beside.keys() - used.keys():
            self.texts.pop(name, None)
        found = [*named.values(), *used.values()]
        has_template = any(each.data and not is_environment(each) for each in found)
        self._documents = {
            each.name: self._environment(each, each.name in named) if is_environment(each) else each
            for each in found
            if not (has_template and each.is_blank)
        }
        return list(self._documents.values())

    def _environment(self, document: Document, is_named: bool = True) -> EnvironmentDocument:
        return EnvironmentDocument(document, self.files, self.types, self.base, is_named)

    def _take_entries(self, environments: Iterable[EnvironmentDocument]) -> None:
        for environment in environments:
            for _path, name, target in environment.mapped():
                if resource_registry.is_template(target):
                    self._mapped_files.add(self.files.join(environment.name, target))
                if not environment.is_named:
                    self._mapped_types.add(name)

    def template(self, name: str, environments: Iterable[str] = ()) -> TemplateDocument | None:
        """Return one template with the types of environments, None for another document."""
        found = self._document(name)
        if found.error is not None or is_environment(found) or not found.data:
            return None
        given = [self._environment(self._document(each)) for each in environments]
        document = self._template(found, _merged(given, self.base))
        self._templates[name] = document
        return document

    def _document(self, name: str) -> Document:
        try:
            text = self.texts[name] = self.files.read(name)
            return Document(name, text, max_nodes=self.max_nodes)
        except ValueError as error:
            return Document(name, '', error)

    def _nested_document(self, name: str) -> Document:
        """Return a document that another one names.

        A file that is no template is not quoted: a template may name any file as a type.
        """
        is_new = name not in self.texts
        document = self._documents.get(name) or self._document(name)
        if document.text and document.error is not None:
            self._forget(name, is_new)
            return Document(name, '', ValueError(without_excerpt(document.error)))
        if document.data and not any(key in document.data for key in dialects.VERSION_KEYS):
            self._forget(name, is_new)
            return Document(name, '', ValueError('The file is no template: it has no version'))
        return document

    def _forget(self, name: str, is_new: bool) -> None:
        """Keep a text that the user did not name out of reports."""
        if is_new:
            self.texts.pop(name, None)

    def _template(self, document: Document, environment: Environment) -> TemplateDocument:
        made = TemplateDocument(
            document, self.files, self.types, environment, self.nested, self.validation_errors
        )
        made.is_mapped = document.name in self._mapped_files
        made.mapped_types = self._mapped_types
        return made

    def nested(self, file: str, environment: Environment) -> TemplateDocument | None:
        """Return the template in a file that another document names, and add it to the checks."""
        if file not in self._templates:
            exists = self.files.has(file)
            self._templates[file] = (
                self._template(self._nested_document(file), environment) if exists else None
            )
        document = self._templates[file]
        if document is not None:
            document.is_nested = True
        return document

    def _load_mapped(self, document: EnvironmentDocument, environment: Environment) -> None:
        """Load the templates that an environment maps types to."""
        for name, target in document.registry().items():
            if resource_registry.is_template(target):
                self.nested(target, environment.child('', {}, excluded_type=name))

    # ------------------------------------------------------------ findings

    def _check_templates(self, last: Iterable[TemplateDocument]) -> dict[str, list[Finding]]:
        """Check the loaded templates, then those in ``last`` that are not loaded meanwhile."""
        found: dict[str, list[Finding]] = {}
        self._check_loaded(found)
        for template in last:
            self._templates.setdefault(template.name, template)
            self._check_loaded(found)
        return found

    def _check_loaded(self, found: dict[str, list[Finding]]) -> None:
        """Add the findings in the loaded templates that are not in ``found`` yet.

        A check may load others.
        """
        while len(found) < len(self._templates):
            for name in list(self._templates)[len(found) :]:
                document = self._templates[name]
                found[name] = [] if document is None else self._check_template(document)

    def _used_targets(self) -> set[str]:
        """Return the targets of the entries of environments that templates use."""
        templates = [each for each in self._templates.values() if each is not None]
        used = (each.used_targets() for each in templates if each.template is not None)
        return set().union(*used)

    def _check_environment(self, document: EnvironmentDocument) -> list[Finding]:
        return [finding for finding, _ in self._apply(self._rules_for(ENVIRONMENT), document)]

    def _check_template(self, document: TemplateDocument) -> list[Finding]:
        rules = self._rules_for()
        if document.error is None and document.data:
            if document.template is not None:
                rules = self._rules_for(TEMPLATE)
            else:
                rules += [rule for rule in self._rules if rule is check_version]
        found = list(self._apply(rules, document))
        faulty = {
            _owner(path)
            for finding, path in found
            if finding.level == ERROR and finding.rule != check_validation.name
        }
        return [
            finding
            for finding, where in found
            if finding.rule != check_validation.name or _is_independent(where, faulty)
        ]

    def _rules_for(self, *subjects: str) -> list[Rule]:
        return [rule for rule in self._rules if rule.subject in (ANY, *subjects)]

    def _apply(self, rules: list[Rule], document: Document) -> Iterator[tuple]:
        """Yield the findings, each with the path or Position that its rule gave."""
        hidden = Suppressions(document.text)
        for rule in rules:
            self.pause()
            for where, text in rule.check(document):
                self.pause()
                known = isinstance(where, Position)
                position: Position = where if known else rule.position(document.positions, where)
                level = rule.level if known else _level(document, rule, where)
                if not hidden.hide(rule.name, position[0]):
                    yield Finding(document.name, *position, level, rule.name, text), where


def _level(document: Document, rule: Rule, path: tuple) -> str:
    if isinstance(document, EnvironmentDocument):
        return levels.environment_level_at(document, rule, path)
    if not isinstance(document, TemplateDocument) or document.template is None:
        return rule.level
    return levels.level_at(document, rule, path)


def _is_independent(where: Value, faulty: set[tuple]) -> bool:
    """Whether the error of a type has no other error in the same resource as its cause."""
    return not faulty or len(where) >= 2 and _owner(where) not in faulty


def _owner(path: tuple) -> tuple:
    """Return the section and the name in a path, in lower case: both dialects then agree."""
    return tuple(str(part).lower() for part in path[:2])


def _merged(
    environments: list[EnvironmentDocument], base: Environment | None = None
) -> Environment:
    """Return the types of several environments on top of the operator's; later ones win.

    Invalid entries are left out: the rule ``registry-entry`` reports them.
    """
    entries: dict = {}
    per_resource: dict = {}
    for environment in environments:
        for name, value in environment.registry().items():
            if name == resource_registry.PER_RESOURCE and isinstance(value, dict):
                valid = {key: each for key, each in value.items() if _is_valid({name: {key: each}})}
                per_resource.update(valid)
            elif _is_valid({name: value}):
                entries[name] = value
    registry = {**entries, resource_registry.PER_RESOURCE: per_resource}
    return Environment({RESOURCE_REGISTRY: registry}, base)


def _is_valid(entries: Mapping[str, Value]) -> bool:
    try:
        resource_registry.TypeRegistry(entries)
    except READ_ERRORS:
        return False
    return True


def _has_resources(data: Mapping[str, Value]) -> bool:
    """Whether a document has resources with types: a template that lacks its version."""
    sections = [data.get(key) for key in ('resources', 'Resources')]
    entries = [each for part in sections if isinstance(part, dict) for each in part.values()]
    return any(isinstance(each, dict) and {'type', 'Type'} & each.keys() for each in entries)

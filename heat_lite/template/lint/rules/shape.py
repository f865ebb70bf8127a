"""Rules about the shape of a template: version, sections, resources, outputs, groups."""

from heat_lite.common import exception
from heat_lite.template import dependencies, parameter_groups, sections, versions
from heat_lite.template.lint.document import UNREADABLE
from heat_lite.template.lint.finding import WARNING
from heat_lite.template.lint.rules.base import Rule, meant, reaches, text_of


class Version(Rule):
    """The template says in which version of the language it is written, and there is such a version."""

    name = 'version'

    def check(self, document):
        try:
            versions.of_template(document.data)
        except exception.InvalidTemplateVersion as error:
            said = [key for key in versions.TABLE if key in document.data]
            yield tuple(said[:1]), text_of(error)


class UnknownSection(Rule):
    """Every key at the top is a section that this version knows."""

    name = 'unknown-section'

    def check(self, document):
        for key in document.data:
            if key not in document.version.sections:
                yield (key,), meant(f'There is no section "{key}"', key, document.version.sections)


class SectionType(Rule):
    """Sections are maps where a map is wanted."""

    name = 'section-type'

    def check(self, document):
        for section in ('parameters', 'resources', 'outputs', 'conditions'):
            found = document.template.section(section)
            empty = found is None and not (section == 'conditions' and document.word(section) in document.data)
            if not empty and not isinstance(found, dict) and document.word(section) in document.version.sections:
                yield (document.word(section),), f'The section "{document.word(section)}" must be a map'


class NoResources(Rule):
    """A template has resources: a stack of nothing is seldom meant."""

    name = 'no-resources'
    level = WARNING

    def check(self, document):
        if not document.template.section('resources'):
            yield (), f'The template has no {document.word("resources")}'


class ResourceDefinition(Rule):
    """A resource has a type and known keys, each of the right kind, and a name without a slash."""

    name = 'resource-definition'

    def check(self, document):
        known = document.version.resource_keys
        for name, snippet in document.section('resources').items():
            path = (document.word('resources'), name)
            if '/' in name:
                yield path, 'The name of a resource may not contain "/"'
            unknown = _unknown_keys(snippet, known, document)
            for key in unknown:
                yield (*path, key), meant(f'"{key}" is not a key of resources', key, known)
            if not unknown:
                yield from self._parts(document, path, name, snippet)

    @staticmethod
    def _parts(document, path, name, snippet):
        try:
            sections.validate_resources({name: snippet}, document.version)
            sections.validate_resource(name, snippet, document.version)
        except exception.StackValidationFailed as error:
            yield _part_of(error, snippet, path), text_of(error)
            return
        properties = document.part('properties')
        for word in (properties, document.part('update_policy')):
            if document.calls.is_call(snippet.get(word)):
                yield (*path, word), 'A function cannot stand for the whole map: its keys must be known'
        policy = snippet.get(document.part('deletion_policy'))
        if isinstance(policy, str) and policy not in document.version.deletion_policies:
            word = document.part('deletion_policy')
            known = document.version.deletion_policies
            yield (*path, word), meant(f'"{policy}" is no deletion policy: there are {", ".join(known)}', policy, known)


def _unknown_keys(snippet, known, document):
    """CFN ignores keys that it does not know; of them only misspelt ones are told."""
    if not isinstance(snippet, dict):
        return []
    if document.version.dialect is versions.HOT:
        return [key for key in snippet if key not in known]
    return [key for key in snippet if key not in known and meant('', key, known)]


def _part_of(error, snippet, path):
    """The key of the resource that an error speaks of, else the resource."""
    words = str(error).split()
    return next(((*path, key) for key in (snippet if isinstance(snippet, dict) else ()) if key in words), path)


class DuplicateName(Rule):
    """No resource has the name of a parameter."""

    name = 'duplicate-name'

    def check(self, document):
        for name in document.section('resources'):
            if name in document.section('parameters'):
                yield (document.word('resources'), name), f'There is a parameter "{name}", too: they need different names'


class OutputDefinition(Rule):
    """An output is a map with a value."""

    name = 'output-definition'

    def check(self, document):
        for name, snippet in document.section('outputs').items():
            try:
                sections.validate_output(name, snippet, document.version)
            except exception.StackValidationFailed as error:
                yield error.path, text_of(error)


class ParameterGroups(Rule):
    """Groups name parameters of the template, each of them once."""

    name = 'parameter-groups'

    def check(self, document):
        groups = document.template.section('parameter_groups')
        listed = isinstance(groups, list)
        # a group at a time, so that the one that is wrong is known
        for count in range(1, len(groups) + 1) if listed else (0,):
            try:
                parameter_groups.validate(groups[:count] if listed else groups, document.section('parameters'))
            except UNREADABLE as error:
                yield (document.word('parameter_groups'), *([count - 1] if listed else [])), text_of(error)
                return


class Cycle(Rule):
    """No resource needs itself, directly or by way of others."""

    name = 'cycle'

    def check(self, document):
        graph = dependencies.Dependencies(_edges(document))
        try:
            graph.order()
        except exception.CircularDependencyException as error:
            edges = graph.graph()
            first = next(name for name in edges if reaches(edges, name, name))
            yield (document.word('resources'), first), str(error)


def _edges(document):
    resources = document.word('resources')
    for name, snippet in document.resources.items():
        yield name, None
        needed = snippet.get(document.part('depends_on'))
        for other in [needed] if isinstance(needed, str) else needed if isinstance(needed, list) else ():
            if isinstance(other, str) and other in document.resources:
                yield name, other
    for call in document.calls.calls:
        other = call.node.resource_name()
        if call.owner[0] == resources and other in document.resources:
            yield call.owner[1], other

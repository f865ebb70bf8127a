"""The definition of a stack: its template bound to its parameters, and what its functions read.

A stored template and its parameters never change, so an engine caches the definitions of the stacks
that it used last.
"""

from collections.abc import Collection, Mapping, Sequence, Set
from typing import TYPE_CHECKING

from heat_lite.clients import errors
from heat_lite.common import exception, lru_cache, redaction, status
from heat_lite.common.value_types import Value
from heat_lite.engine.resource import resource
from heat_lite.engine.resource.resource import Resource
from heat_lite.engine.validation import masking
from heat_lite.template import function
from heat_lite.template.definition import ResourceDefinition
from heat_lite.template.parameters.parameters import Parameters
from heat_lite.template.suggest import suggest
from heat_lite.template.template import BoundTemplate, Template
from heat_lite.template.unknown import ANY, MAP, STRING, Unknown, ValueUnknown, as_heat_shows

if TYPE_CHECKING:
    from heat_lite.engine.stack.stack import Stack


class StackDefinition:
    """A template bound to the parameters of a stack.

    ``identity`` holds the stack's pseudo parameters.
    """

    def __init__(self, template: Template, identity: Mapping[str, str | None]) -> None:
        self.template = template
        self.identity = identity
        self._requirements: Mapping[str, Set[str]] | None = None
        #: whether types have read requirements from the rows of the stack
        self._reads_rows = False

    @lru_cache.cached_property
    def parameters(self) -> Parameters:
        return self.template.parameters(self.identity)

    @lru_cache.cached_property
    def secrets(self) -> frozenset[str]:
        """The texts by which messages could quote the values of hidden parameters."""
        return frozenset(redaction.texts_of(self.parameters.hidden_values()))

    @lru_cache.cached_property
    def bound(self) -> BoundTemplate:
        return self.template.bind(self.parameters)

    def requirements(self, stack: 'Stack') -> Mapping[str, Set[str]]:
        """Return ``{name: names that come first}``, from the template and the types.

        Do not change it.
        """
        if self._requirements is None:
            self._requirements = self._compute_requirements(stack)
        return self._requirements

    def _compute_requirements(self, stack: 'Stack') -> dict[str, Set[str]]:
        definitions, names = self.bound.resources, self.bound.resources.keys()
        result: dict[str, Set[str]] = dict(self.bound.requires)
        for name, definition in definitions.items():
            cls = resource.class_or_unknown(stack.class_of, definition)
            if cls.implied_dependencies is not resource.Resource.implied_dependencies:
                implied = _implied(stack, name, definitions)
                result[name] = result[name] | (set(implied) & names)
                self._reads_rows = True
        return result


def _implied(
    stack: 'Stack', name: str, definitions: Mapping[str, ResourceDefinition]
) -> Collection[str]:
    """Return what else a resource needs first, by names in its properties.

    They are read as at work, so that the order is the same in validation and in actions.
    """
    foresight, stack.foresight = stack.foresight, None
    try:
        return [*stack.resource_for(name).implied_dependencies(definitions)]
    except (ValueUnknown, *function.ARGUMENT_ERRORS):  # the validation refuses a wrong shape
        return []
    finally:
        stack.foresight = foresight


class DefinitionCache:
    """The last ``max_entries`` definitions, by stack and template; fewer if they are large."""

    def __init__(self, max_entries: int = 64, kilobytes: int = 64 * 1024) -> None:
        self._cache = lru_cache.LruCache(
            max_entries,
            kilobytes,
            lambda definition: definition.template.weight,
        )

    def of(self, stack: 'Stack', template: Template, template_id: int | None) -> StackDefinition:
        """Return the definition of a stack by one of its templates.

        A draft without an id is kept for the one that has the same template next.
        """
        found = self._of(stack, template, template_id)
        masking.learn(stack, found)
        return found

    def forget(self, stack_id: str) -> list[int]:
        """Forget the definitions of a stack; return the ids of their templates."""
        return [
            template_id for _, template_id in self._cache.pop_chosen(lambda key: key[0] == stack_id)
        ]

    def _of(self, stack: 'Stack', template: Template, template_id: int | None) -> StackDefinition:
        identity = {
            'tenant': stack.tenant,
            'stack_name': stack.name,
            'stack_id': stack.id,
            'project_id': stack.runtime.project_id(stack.tenant),
        }
        made = StackDefinition(template, identity)
        if stack.id is None:
            return made
        key, draft_key = (stack.id, template_id), (stack.id, None)
        if template_id is None:
            return self._cache.put(key, made)
        found = self._cache.get(key)
        if found is not None and found.template is template:
            return found  # one id may stand for several drafted templates
        draft = self._cache.get(draft_key)
        if draft is not None and draft.template is template and draft.identity == identity:
            self._cache.pop(draft_key)
            made = draft
            if made._reads_rows:
                made._requirements = None
        return self._cache.put(key, made)


# what of a resource may change for the resources that refer to it
IDENTITY, ATTRIBUTES = 'identity', 'attributes'


class Foresight:
    """What of the resources of a stack will change before others read it.

    A stack that has one is validated or previewed; references and attributes of resources that do
    not exist yet are Unknowns. ``changing`` is ``{name: IDENTITY or ATTRIBUTES}``; with its
    identity a resource changes its attributes. ``found`` is ``{name: what a lookup will find}``.
    """

    def __init__(self) -> None:
        self.changing: dict[str, str] = {}
        self.found: dict[str, Value] = {}

    def awaits(self, node: Resource, part: str = ATTRIBUTES) -> bool:
        """Return whether a part of a resource is not known yet."""
        change = self.changing.get(node.name)
        # one that will be imported has its object
        is_missing = node.action == status.INIT and node.resource_id is None
        return is_missing or change == IDENTITY or change == part

    def hides(self, node: Resource, part: str = ATTRIBUTES) -> bool:
        """Return whether others cannot read a part yet. A lookup may know what it will find."""
        if node.is_lookup:
            return self.awaits(node) and not node.is_foreseen()
        return self.awaits(node, part)


#: the path and the key of Nova's list of availability zones
ZONES = ('/os-availability-zone', 'availabilityZoneInfo')


class StackScope(function.Scope):
    """Resolves the functions of a template, bound to parameters, by the resources of a stack."""

    def __init__(self, bound: BoundTemplate, stack: 'Stack') -> None:
        self._bound = bound
        self._stack = stack

    def resolve(self, snippet: Value) -> Value:
        """Return the value of a parsed part of the template."""
        return function.resolve(snippet, self)

    @staticmethod
    def dependencies(snippet: Value) -> set[str]:
        """Return the names of the resources that a parsed part of the template reads."""
        return function.dependencies(snippet)

    def parameter(self, name: str) -> Value:
        return self._bound.scope.parameter(name)

    def parameter_names(self) -> Collection[str]:
        return self._bound.scope.parameter_names()

    def file(self, name: str) -> str | None:
        return self._bound.scope.file(name)

    def condition(self, name: str) -> bool:
        return self._bound.scope.condition(name)

    def reference(self, resource_name: str) -> Value:
        node = self._node(resource_name)
        if self._stack.foresight is not None and self._stack.foresight.hides(node, IDENTITY):
            return _unknown_reference(node)
        return node.reference_id()

    def attribute(self, resource_name: str, *path: Value) -> Value:
        node = self._node(resource_name)
        if self._stack.foresight is not None and self._stack.foresight.hides(node, ATTRIBUTES):
            return _unknown_attribute(node, path)
        return node.attribute(*path)

    def check_attribute(self, resource_name: str, attribute: str) -> None:
        node = self._node(resource_name)
        if not node.has_attribute(attribute):
            known = node.all_attributes_schema()
            raise exception.InvalidTemplateAttribute(
                resource=resource_name, key=attribute
            ).with_hint(suggest(attribute, known))

    def facade(self, key: str) -> Value:
        tree = self._stack.tree
        return tree.facade(key) if tree.is_nested else super().facade(key)

    def availability_zones(self) -> list[str]:
        try:
            return list(self._zones)
        except (errors.NoCloud, errors.ServiceError) as error:
            raise ValueError(f'"Fn::GetAZs" cannot list availability zones: {error}') from error

    @lru_cache.cached_property
    def _zones(self) -> list[str]:
        """The names of Nova's availability zones. Raises NoCloud without Nova."""
        nova = self._stack.clients().client('nova')
        return [each['zoneName'] for each in nova.list(*ZONES)]

    def find(self, name: str) -> 'Resource | None':
        """Return a resource, whose reference id and attributes are its node data, or None."""
        try:
            return self._stack.resource_for(name)
        except exception.ResourceNotFound:
            return None

    def _node(self, name: str) -> 'Resource':
        node = self.find(name)
        if node is None:
            raise exception.InvalidTemplateReference(resource=name, key='unknown')
        return node


def _unknown_reference(node: 'Resource') -> Value:
    """Return what is known of ``get_resource`` before a resource has its object."""
    if node.definition.external_id is not None:
        return node.external_id()
    shown = node.name if node.named_before_create else None
    is_given = node.name not in node.stack.bound.undecided
    return Unknown(STRING, [node.name], shown, is_given=is_given)


def _unknown_attribute(node: 'Resource', path: Sequence) -> Unknown:
    """Return what is known of ``get_attr`` before a resource has its object."""
    # the schema of a template, which may be remote, tells no types
    is_typed = len(path) == 1 and not getattr(node, 'fetches_template', False)
    schema = node.all_attributes_schema().get(path[0]) if is_typed else None
    kind = MAP if not path else schema and schema.type or ANY
    return Unknown(kind, ['.'.join(map(str, (node.name, *path)))])


class ShownScope(StackScope):
    """Resolves as Heat's previews do: what is not known yet is what Heat has in its place."""

    def parameter(self, name: str) -> Value:
        value = super().parameter(name)
        if isinstance(value, Unknown) and value.shown is None:
            raise exception.UserParameterMissing(key=name)
        return as_heat_shows(value)

    def reference(self, resource_name: str) -> Value:
        return as_heat_shows(super().reference(resource_name))

    def attribute(self, resource_name: str, *path: Value) -> Value:
        return as_heat_shows(super().attribute(resource_name, *path))

    def resolve(self, snippet: Value) -> Value:
        return as_heat_shows(super().resolve(snippet))

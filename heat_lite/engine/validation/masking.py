"""Masks secrets in property values: those of hidden parameters, and those of well-known names.

Texts that may quote a value, e.g. the errors of services, are redacted.
"""

import graphlib
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from heat_lite.common import exception, log_context
from heat_lite.common.redaction import MASK, Redactor, is_secret_name, texts_of
from heat_lite.common.value_types import Value, Values
from heat_lite.db import encryption
from heat_lite.template import function, reader
from heat_lite.template.definition import ResourceDefinition
from heat_lite.template.environment import Environment
from heat_lite.template.parameters.parameters import Parameters
from heat_lite.template.template import Template
from heat_lite.template.unknown import Unknown

if TYPE_CHECKING:
    from heat_lite.engine.stack.stack import Stack
    from heat_lite.engine.stack.stack_definition import StackDefinition


#: the sections of an environment with values of parameters
_PARAMETERS = ('parameters', 'parameter_defaults')
#: reasons that quote nothing; most reasons are of these
HARMLESS = frozenset({'', 'state changed'})


def hidden_parameters(template: Template) -> set[str]:
    """Return the names of the hidden parameters of a template."""
    return {name for name, schema in template.parameter_schemata.items() if schema.hidden}


def masked_environment(environment: Values, template: Template) -> Values:
    """Return an environment with the values of the template's hidden parameters masked."""
    hidden = hidden_parameters(template)
    masked_sections = {
        section: {
            name: MASK if name in hidden else value
            for name, value in (environment.get(section) or {}).items()
        }
        for section in _PARAMETERS
    }
    return {**environment, **masked_sections}


def masked_files(
    files: Mapping[str, str], environments: Iterable[str], template: Template
) -> Mapping[str, str]:
    """Return files with the values of hidden parameters masked in those that are environments.

    Their values are merged into the environment of the stack, and users read its files.
    """
    hidden = hidden_parameters(template)
    masked = {}
    for name in dict.fromkeys(environments) if hidden else ():
        environment = reader.parse_environment(files[name])
        if any(not hidden.isdisjoint(environment.get(each) or ()) for each in _PARAMETERS):
            masked[name] = json.dumps(masked_environment(environment, template), default=str)
    return {**files, **masked}


def unmasked(template: Template, stored: Template | None = None) -> Template:
    """Return a template with the stored values of hidden parameters in the place of MASK.

    Users send back what ``masked_environment`` has shown them. Raises Invalid without a value.
    """
    data = template.environment.data
    before = {} if stored is None else stored.environment.data
    hidden = hidden_parameters(template) | (hidden_parameters(stored) if stored else set())
    found: Values = {}
    for section, other in (_PARAMETERS, _PARAMETERS[::-1]):
        known = {**(before.get(other) or {}), **(before.get(section) or {})}
        for name, value in (data.get(section) or {}).items():
            if value == MASK and name in hidden:
                if name not in known:
                    raise exception.Invalid(
                        reason=f'{MASK} stands for the stored value of the hidden parameter '
                        f'"{name}", and none is stored: give the value, or leave it out'
                    )
                found.setdefault(section, dict(data[section]))[name] = known[name]
    if not found:
        return template
    return template.with_environment(Environment({**data, **found}))


def encrypted_names(environment: Values, template: Template) -> list[str]:
    """Return the names of the parameters of an environment that are stored encrypted, as Heat
    lists them: the stored list, then the hidden parameters with a value.
    """
    names = list(environment['encrypted_param_names'])
    if encryption.encrypts_parameters():
        hidden = hidden_parameters(template)
        names += [name for name in environment['parameters'] if name in hidden]
    return list(dict.fromkeys(names))


def learn(stack: 'Stack', definition: 'StackDefinition') -> None:
    """Let texts about a stack, and log lines of this thread's work, hide its hidden parameters."""
    stack.redactor.add(definition.secrets)
    log_context.add_secrets(definition.secrets)


def redactor_of(parameters: Parameters) -> Redactor:
    """Return a redactor that knows the hidden ones of these parameters."""
    return Redactor(texts_of(parameters.hidden_values()))


def redactors(stack: 'Stack') -> Iterator[Redactor]:
    """Yield the redactors of a stack and of those that contain it, whose values it repeats.

    During an update, and after a failed one, texts quote what earlier templates have stored.
    """
    for each in stack.tree.lineage():
        learn(each, each.definition)
        for template_id in each.records.template_ids() - {None, each.template_id}:
            each.bound_by(template_id)  # learns its secrets
        yield each.redactor


def redact(stack: 'Stack', text: object) -> str:
    """Return a text about a stack or its resources without values of hidden parameters."""
    text = '' if text is None else str(text)
    for redactor in redactors(stack) if text not in HARMLESS else ():
        text = redactor.redact(text)
    return text


def redact_nested(stack: 'Stack', data: Value) -> Value:
    """Return data of a nested stack without values of its parents' hidden parameters.

    Data of a root stack is returned as it is: it names parameters, where that of a nested stack
    contains their values.
    """
    for redactor in redactors(stack) if stack.tree.is_nested else ():
        data = redactor.redact_data(data)
    return data


def mask(name: Value, value: Value, secret: bool = False) -> Value:
    """Return the value of property or key ``name`` with secret parts replaced by MASK."""
    if value is None:
        return None
    if secret or is_secret_name(name):
        return MASK
    if isinstance(value, dict):
        return {key: mask(key, each) for key, each in value.items()}
    if isinstance(value, list):
        return [mask('', each) for each in value]
    return value


def masked(stack: 'Stack', name: str, properties: Mapping[str, Value]) -> Values:
    """Return the properties of a resource with secret values masked.

    The template shows which values come from hidden parameters. It does not for a resource that it
    no longer contains, nor for a nested stack whose parents have hidden parameters: then all values
    are masked.
    """
    definition = stack.definitions.get(name)
    own, *inherited = (hidden_parameters(each.template) for each in stack.tree.lineage())
    if definition is None or any(inherited):
        is_secret = bool(own) or any(inherited)
        return {key: mask(key, value, is_secret) for key, value in properties.items()}
    tracker = TaintTracker(stack.scope, own)
    for required in graphlib.TopologicalSorter(stack.requirements).static_order():
        if required in stack.definitions:
            tracker.record(required, stack.definitions[required])
    given = definition.properties or {}
    return {
        key: mask(key, value, tracker.is_tainted([given.get(key)]))
        for key, value in properties.items()
    }


#: among the hidden parameters of a stack: all its values may be secret. The template of a group has
#: no parameters: it has the values themselves
ALL = '*'


class TaintTracker:
    """Tracks which resources hold secrets in their properties, also through attributes of other
    resources.
    """

    def __init__(self, scope: function.Scope, hidden: set[str] | frozenset[str]) -> None:
        self._scope = scope
        self.hidden = hidden
        self._tainted: set[str] = set()
        self._secret: set[str] = set()

    def record(
        self, name: str, definition: ResourceDefinition, has_secret_value: bool = False
    ) -> None:
        """Record a resource.

        Call it in order of dependencies: attributes may expose a secret property. Of one with a
        secret value of its own, its reference does, too.
        """
        if has_secret_value:
            self._secret.add(name)
        if self.is_tainted((definition.properties or {}).values()):
            self._tainted.add(name)

    def is_tainted(self, snippets: Iterable[Value]) -> bool:
        """Return whether a secret flows into any of these parts of a definition."""
        return any(self._reads_secret(snippet) for snippet in snippets)

    def mask(self, value: Value, snippets: Iterable[Value], exact: bool = True) -> Value:
        """Return a value with MASK in place of what is secret by these parts of a definition.

        Maps and lists are masked part by part where the definition has the same form. ``exact``: a
        map with other keys, which a type may have renamed, is masked as a whole.
        """
        secret = [snippet for snippet in snippets if self._reads_secret(snippet)]
        if value is None or isinstance(value, Unknown) or not secret:
            return value
        if isinstance(value, dict) and all(isinstance(each, dict) for each in secret):
            if not exact or all(each.keys() <= value.keys() for each in secret):
                return {
                    key: self.mask(part, [each.get(key) for each in secret], exact)
                    for key, part in value.items()
                }
        if isinstance(value, list) and all(_is_list_of(each, value) for each in secret):
            rows = zip(value, *secret, strict=True)
            return [self.mask(part, parts, exact) for part, *parts in rows]
        return MASK

    def _reads_secret(self, snippet: Value) -> bool:
        if ALL in self.hidden:
            return True
        if not isinstance(snippet, function.Function | dict | list):
            return False
        if self._secret and function.dependencies(snippet) & self._secret:
            return True
        if any(name in self._tainted for name in function.attribute_reads(snippet)):
            return True
        if not self.hidden or next(function.nodes(snippet), None) is None:
            return False
        parameters = parameters_read(snippet, self._scope)
        return parameters is None or bool(parameters & self.hidden)


def _is_list_of(snippet: Value, value: list) -> bool:
    return isinstance(snippet, list) and len(snippet) == len(value)


def parameters_read(snippet: Value, scope: function.Scope) -> set[str] | None:
    """Return the names of the parameters that a part of a definition reads; None if resolving it
    fails.
    """
    trace = _Trace(scope)
    try:
        function.resolve(snippet, trace)
    except (exception.HeatException, *function.ARGUMENT_ERRORS):
        return None  # it may have read further parameters
    return trace.parameters


class _Trace(function.Scope):
    """A scope that resolves as another one does and records the parameters read."""

    def __init__(self, scope: function.Scope) -> None:
        self._scope = scope
        self.parameters: set[str] = set()

    def parameter(self, name: str) -> Value:
        self.parameters.add(name)
        return self._scope.parameter(name)

    def reference(self, resource_name: str) -> Value:
        return resource_name

    def attribute(self, resource_name: str, *path: Value) -> Value:
        return None

    def file(self, name: str) -> str | None:
        return self._scope.file(name)

    def condition(self, name: str) -> bool:
        return self._scope.condition(name)

    def facade(self, key: str) -> Value:
        return self._scope.facade(key)

    def availability_zones(self) -> list[str]:
        return []

"""Rules about harmful practices that the engine accepts: exposed secrets, replacements."""

import re
from collections.abc import Iterator

from heat_lite.common.value_types import Value
from heat_lite.template.function import items_of
from heat_lite.template.functions import refs
from heat_lite.template.lint.calls import Call
from heat_lite.template.lint.document import TemplateDocument
from heat_lite.template.lint.finding import WARNING
from heat_lite.template.lint.rules.base import rule
from heat_lite.template.lint.secret_flow import SecretFlow

_SECRET = re.compile(
    r'(^|[_-])(admin_?pass|passwd|pass(word|phrase)|secret(_?key)?|private_?key|token|api_?key|psk)s?$',
    re.IGNORECASE,
)
_CAMEL = re.compile(r'(?<=[a-z0-9])(?=[A-Z])')
#: names about a secret that do not hold the secret itself
_NO_SECRET = re.compile(
    r'(name|type|id|length|ttl|expiry|format|algorithm|url|ref|href|policy)s?$', re.IGNORECASE
)


def is_secret(name: int | str) -> bool:
    """Whether a parameter or property of this name holds a secret."""
    plain = _CAMEL.sub('_', name) if isinstance(name, str) else ''
    return bool(_SECRET.search(plain)) and not _NO_SECRET.search(plain)


@rule('visible-password', level=WARNING)
def check_visible_password(document: TemplateDocument) -> Iterator[tuple]:
    """A parameter for a secret is hidden: all users of the project may read the other values."""
    key = 'hidden: true' if document.version.dialect.name == 'hot' else 'NoEcho: true'
    for name, schema in document.parameters.items():
        is_text = schema.type in ('string', 'comma_delimited_list')
        if is_secret(name) and not schema.hidden and is_text:
            yield (
                document.path_of('parameters', name),
                f'The parameter "{name}" looks like a secret, but is not hidden: add {key}',
            )


@rule('hard-coded-password', level=WARNING)
def check_hard_coded_password(document: TemplateDocument) -> Iterator[tuple]:
    """The template contains no secret: use a hidden parameter or OS::Heat::RandomString."""
    for name, schema in document.parameters.items():
        has_default = isinstance(schema.default, str) and schema.default
        if has_default and (is_secret(name) or schema.hidden):
            yield (
                document.path_of('parameters', name, 'default'),
                f'The default of the secret "{name}" is readable in the template: remove it',
            )
    for definition in document.definitions():
        key, given = document.properties_of(definition)
        info = document.type_of(definition.type_name, definition.name)
        # the id of a secret of Barbican is none
        ids = {name for name, schema in (info and info.properties or {}).items() if schema.ref}
        values = [(name, value) for name, value in items_of(given) if name not in ids]
        yield from _secrets(dict(values), (*definition.path, key))


def _secrets(value: Value, path: tuple) -> Iterator[tuple]:
    """Yield the texts below secret names in a value, at any depth."""
    for key, inner in items_of(value):
        if isinstance(inner, str) and inner and is_secret(key):
            text = f'The secret "{key}" is written in the template: use a hidden parameter'
            yield (*path, key), text
        else:
            yield from _secrets(inner, (*path, key))


@rule('secret-output', level=WARNING)
def check_secret_output(document: TemplateDocument) -> Iterator[tuple]:
    """No output shows the value of a hidden parameter, directly or through attributes."""
    hidden = {name for name, schema in document.parameters.items() if schema.hidden}
    flow = SecretFlow(document, hidden)
    for call in document.calls.calls:
        is_output = call.owner[0] == document.section_key('outputs')
        secret = flow.secret_of(call) if is_output else None
        if secret is not None:
            text = f'The output "{call.owner[1]}" shows the hidden parameter "{secret}"'
            yield call.path, f'{text} to all users with access to outputs'


@rule('reference-as-name', level=WARNING)
def check_reference_as_name(document: TemplateDocument) -> Iterator[tuple]:
    """No get_attr names its resource by get_resource, whose value is an id once there is one."""
    for call in document.calls.calls:
        name = call.node.args[0] if isinstance(call.node, refs.GetAttr) else None
        if isinstance(name, refs.GetResource):
            text = f'The id of "{name.resource_name()}" is not its name: write the name itself'
            yield call.path, text


@rule('replaced-by-change', level=WARNING)
def check_replaced_by_change(document: TemplateDocument) -> Iterator[tuple]:
    """No property that replaces its resource by a change is set from an attribute that changes."""
    key = document.resource_key('properties')
    for call in document.calls.calls:
        if isinstance(call.node, refs.GetAttr) and call.path[2:3] == (key,):
            yield from _check_call(document, call)


def _check_call(document: TemplateDocument, call: Call) -> Iterator[tuple]:
    source_name, target_name = call.node.resource_name(), call.owner[1]
    source, target = map(document.resource_type, (source_name, target_name))
    attribute = (call.node.attribute_path() or (None,))[0]
    name = call.path[3] if len(call.path) > 3 else ''
    properties = target.properties if target else None
    if source is None or not properties or name not in properties:
        return
    replaces = not properties[name].update_allowed
    if replaces and isinstance(attribute, str) and source.is_volatile(attribute):
        change = f'"{attribute}" of "{source_name}" may change at any update'
        yield call.path, f'{change}, and a change of "{name}" replaces "{target_name}"'

"""Rules about what is allowed and yet does harm: secrets in plain sight, resources replaced by surprise."""

import re

from heat_lite.template.functions import refs
from heat_lite.template.lint.finding import WARNING
from heat_lite.template.lint.rules.base import Rule
from heat_lite.template.lint.rules.values import parameter_uses

_SECRET = re.compile(r'(^|[_-])(admin_?pass|passwd|pass(word|phrase)|secret(_?key)?|private_?key|token|api_?key)s?$', re.IGNORECASE)
_CAMEL = re.compile(r'(?<=[a-z0-9])(?=[A-Z])')
#: what speaks of secrets and is none
_NO_SECRET = re.compile(r'(name|type|id|length|ttl|expiry|format|algorithm|url|ref|href|policy)s?$', re.IGNORECASE)


def is_secret(name):
    """Whether a parameter or property of that name holds a secret."""
    plain = _CAMEL.sub('_', name) if isinstance(name, str) else ''
    return bool(_SECRET.search(plain)) and not _NO_SECRET.search(plain)


class VisiblePassword(Rule):
    """A parameter for a secret is hidden; otherwise everybody who may look at the stack reads its value."""

    name = 'visible-password'
    level = WARNING

    def check(self, document):
        for name, schema in document.parameters.items():
            if is_secret(name) and not schema.hidden and schema.type in ('string', 'comma_delimited_list'):
                say = 'hidden: true' if document.version.dialect.name == 'hot' else 'NoEcho: true'
                yield (document.word('parameters'), name), f'The parameter "{name}" looks like a secret, but is not hidden: add {say}'


class HardCodedPassword(Rule):
    """No secret is written in the template; take a hidden parameter, or let OS::Heat::RandomString make it."""

    name = 'hard-coded-password'
    level = WARNING

    def check(self, document):
        for name, schema in document.parameters.items():
            if (is_secret(name) or schema.hidden) and isinstance(schema.default, str) and schema.default:
                yield (document.word('parameters'), name, 'default'), f'The secret "{name}" has a default that everybody can read'
        for definition in document.definitions():
            word, given = document.properties_of(definition)
            yield from _secrets(given, (*definition.path, word))


def _secrets(value, path):
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        if isinstance(inner, str) and inner and is_secret(key):
            yield (*path, key), f'"{key}" is a secret written in the template: take a hidden parameter'
        else:
            yield from _secrets(inner, (*path, key))


class SecretOutput(Rule):
    """No output shows the value of a hidden parameter."""

    name = 'secret-output'
    level = WARNING

    def check(self, document):
        hidden = {name for name, schema in document.parameters.items() if schema.hidden}
        for call, name in parameter_uses(document):
            if call.owner[0] == document.word('outputs') and name in hidden:
                yield call.path, f'The output "{call.owner[1]}" shows the hidden parameter "{name}" to everybody who may read outputs'


class ReplacedByChange(Rule):
    """No property that can only change by replacing the resource is fed by an attribute that changes while its resource lives."""

    name = 'replaced-by-change'
    level = WARNING

    def check(self, document):
        for call in document.calls.calls:
            if isinstance(call.node, refs.GetAttr) and call.path[2:3] == (document.part('properties'),):
                yield from self._check(document, call)

    def _check(self, document, call):
        attribute = (call.node.attribute_path() or (None,))[0]
        source, fed = (self._type(document, name) for name in (call.node.resource_name(), call.owner[1]))
        name = call.path[3] if len(call.path) > 3 else None
        if source is None or fed is None or name not in (fed.properties or ()):
            return
        if not fed.properties[name].update_allowed and isinstance(attribute, str) and source.is_live(attribute):
            told = f'"{attribute}" of "{call.node.resource_name()}" may change at any update'
            yield call.path, f'{told}, and a change of "{name}" replaces "{call.owner[1]}"'

    @staticmethod
    def _type(document, name):
        type_name = document.resources.get(name, {}).get(document.part('type'))
        return document.type_of(type_name, name) if isinstance(type_name, str) else None

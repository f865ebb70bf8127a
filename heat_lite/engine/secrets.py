"""Which values of properties come from hidden parameters, and how values are shown without telling secrets."""

import graphlib

from heat_lite.common import exception
from heat_lite.template import function

MASK = '******'
#: keys that mean a secret wherever they stand, whatever it is made of
_NAMES = frozenset({'admin_pass', 'private_key', 'passphrase', 'secret', 'psk'})


def hidden_parameters(template):
    """The names of the parameters whose values are not for all eyes."""
    return {name for name, schema in template.parameter_schemata.items() if schema.hidden}


def mask(name, value, secret=False):
    """The value of the property, or key, ``name``, without what is secret in it."""
    if value is None:
        return None
    if secret or _tells(name):
        return MASK
    if isinstance(value, dict):
        return {key: mask(key, each) for key, each in value.items()}
    if isinstance(value, list):
        return [mask('', each) for each in value]
    return value


def masked(stack, name, properties):
    """The properties that a resource has had, without what may be secret in them.

    What comes from a hidden parameter the template tells; of a resource that it does not have any more, and of one in a stack that got
    its values from a stack with such parameters, nobody can tell: then all may be.
    """
    above, hidden = stack.tree.parent, hidden_parameters(stack.template)
    definition = stack.definitions.get(name)
    while above is not None:
        if hidden_parameters(above.template):
            hidden, definition = True, None
        above = above.tree.parent
    if definition is None:
        return {key: mask(key, value, bool(hidden)) for key, value in properties.items()}
    watch = Watch(stack.scope, hidden)
    for first in graphlib.TopologicalSorter(stack.requirements).static_order():
        if first in stack.definitions:
            watch.learn(first, stack.definitions[first])
    given = definition.properties or {}
    return {key: mask(key, value, watch.sees([given.get(key)])) for key, value in properties.items()}


def _tells(name):
    return isinstance(name, str) and (name in _NAMES or name.endswith('password'))


class Watch:
    """Sees what the properties of a stack are made of, through attributes of other resources too."""

    def __init__(self, scope, hidden):
        self._scope = scope
        self._hidden = hidden
        self._tainted = set()

    def learn(self, name, definition):
        """Resources come in the order of their dependencies: one with a secret property may tell it by its attributes."""
        if self.sees((definition.properties or {}).values()):
            self._tainted.add(name)

    def sees(self, snippets):
        """Whether a secret goes into any of these parts of a definition."""
        return any(self._is_made_of_secrets(snippet) for snippet in snippets)

    def _is_made_of_secrets(self, snippet):
        if not isinstance(snippet, function.Function | dict | list):
            return False
        if any(name in self._tainted for name in function.reads(snippet)):
            return True
        if not self._hidden or next(function.nodes(snippet), None) is None:
            return False
        asked = parameters_read(snippet, self._scope)
        return asked is None or bool(asked & self._hidden)


def parameters_read(snippet, scope):
    """The names of the parameters that a part of a definition reads; None where that cannot be told."""
    trace = _Trace(scope)
    try:
        function.resolve(snippet, trace)
    except (exception.HeatException, *function.ARGUMENT_ERRORS):
        return None  # what it would have asked for after that, nobody knows
    return trace.asked


class _Trace(function.Scope):
    """Answers as the scope behind it does, and remembers which parameters were asked for."""

    def __init__(self, scope):
        self._scope = scope
        self.asked = set()

    def parameter(self, name):
        self.asked.add(name)
        return self._scope.parameter(name)

    def reference(self, resource_name):
        return resource_name

    def attribute(self, resource_name, *path):
        return None

    def file(self, name):
        return self._scope.file(name)

    def condition(self, name):
        return self._scope.condition(name)

    def facade(self, key):
        return self._scope.facade(key)

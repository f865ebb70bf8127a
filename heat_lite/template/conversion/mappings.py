"""Fn::FindInMap in HOT, which has no section of mappings.

Constant keys give a constant. Keys from parameters read the mapping from a parameter of the type
json; if the template does not show that the mapping has the keys, an expression in YAQL, which
fails for a missing key as Fn::FindInMap does.
"""

from collections.abc import Callable, Mapping

from heat_lite.common.value_types import Value
from heat_lite.template.conversion.problems import Unconvertible

_EXPRESSION = '$.data.map[$.data.first][$.data.second]'
_DESCRIPTION = 'A mapping of the original template. It is not meant to be changed.'


class Mappings:
    """The mappings of a template. ``parameters`` are its parameters, in CFN."""

    def __init__(self, data: Value, parameters: dict) -> None:
        self._data = data if isinstance(data, dict) else {}
        self._parameters = parameters
        self.used: set[str] = set()
        #: {mapping: the parameter that holds it}
        self._names: dict[str, str] = {}

    def unused(self) -> list[str]:
        return [name for name in self._data if name not in self.used]

    def as_parameters(self) -> dict[str, dict]:
        """Return the parameters, in HOT, that hold mappings."""
        return {
            name: {'type': 'json', 'description': _DESCRIPTION, 'default': self._data[mapping]}
            for mapping, name in self._names.items()
        }

    def find(self, args: Value, convert: Callable[[Value], Value]) -> Value:
        """Return the equivalent of a call; ``convert`` converts its keys."""
        if not isinstance(args, list) or len(args) != 3:
            raise Unconvertible('Fn::FindInMap has the form [mapping, key, key]')
        mapping = self._mapping(args[0])
        keys = args[1:]
        if all(isinstance(key, str) for key in keys):
            return self._constant(args[0], mapping, keys)
        first, second = (convert(key) for key in keys)
        if self._has_all(mapping, *keys):
            return {'get_param': [self._parameter_for(args[0]), first, second]}
        data = {'map': mapping, 'first': first, 'second': second}
        return {'yaql': {'expression': _EXPRESSION, 'data': data}}

    def _mapping(self, name: str) -> dict[str, Value]:
        if not isinstance(name, str) or not isinstance(self._data.get(name), dict):
            raise Unconvertible(f'there is no mapping {name!r}')
        self.used.add(name)
        return self._data[name]

    @staticmethod
    def _constant(name: str, mapping: Mapping[str, Value], keys: list[str]) -> Value:
        value = mapping
        for key in keys:
            if not isinstance(value, dict) or key not in value:
                raise Unconvertible(f'the mapping {name} has no {" ".join(keys)}')
            value = value[key]
        return value

    def _has_all(self, mapping: Mapping[str, Value], first: Value, second: Value) -> bool:
        """Whether the mapping has each pair of keys that the parameters allow."""
        firsts, seconds = self._values(first) or [None], self._values(second) or [None]
        return all(
            isinstance(mapping.get(one), dict) and two in mapping[one]
            for one in firsts
            for two in seconds
        )

    def _values(self, key: Value) -> list[Value] | None:
        """Return the possible values of a key, None if they are unknown."""
        if isinstance(key, str):
            return [key]
        name = key.get('Ref') if isinstance(key, dict) and len(key) == 1 else None
        schema: Value = self._parameters.get(name) if isinstance(name, str) else None
        allowed = schema.get('AllowedValues') if isinstance(schema, dict) else None
        is_text = isinstance(allowed, list) and all(isinstance(each, str) for each in allowed)
        return allowed if is_text and schema.get('Type') == 'String' else None

    def _parameter_for(self, mapping: str) -> str:
        if mapping not in self._names:
            name = mapping
            while name in self._parameters or name in self._names.values():
                name += 'Map'
            self._names[mapping] = name
        return self._names[mapping]

"""Functions of CFN templates and of the oldest HOT version.

Fn::Select, Fn::FindInMap, Fn::GetAZs and Fn::MemberListToMap.
"""

from collections.abc import Mapping

from heat_lite.common.value_texts import from_json, quoted
from heat_lite.common.value_types import Value
from heat_lite.template.function import Function, Parser, Scope, resolve_each
from heat_lite.template.functions import budget
from heat_lite.template.unknown import LIST, MAP, Unknown, require_known


class CfnSelect(Function):
    """{Fn::Select: [index or key, collection]} returns one value of a list or map.

    The collection is a list, a map, or JSON text of one. A missing value is an empty string.
    """

    def check(self) -> None:
        self.require_arguments(
            2, f'Arguments to "{self.name}" must be of the form [index, collection]'
        )

    def result(self, scope: Scope) -> Value:
        index, collection = resolve_each(self.args, scope)
        if isinstance(collection, Unknown):
            return collection.at([index])
        require_known(index)
        if collection is None or collection == '':
            return ''
        if isinstance(collection, str):
            collection = self._parsed(collection)
        if isinstance(collection, dict):
            return self._read_map(collection, index)
        if isinstance(collection, list):
            return self._read_list(collection, index)
        raise TypeError(f'Arguments to {self.name} not fully resolved')

    def _parsed(self, text: str) -> Value:
        budget.charge_text(self.name, len(text))
        try:
            value = from_json(text)
        except RecursionError:
            raise ValueError(f'"{self.name}": the JSON is nested too deeply') from None
        except ValueError as error:
            raise ValueError(f'"{self.name}": {error}') from None
        budget.charge_values(self.name, budget.count_values(value))
        return value

    def _read_map(self, collection: Mapping[str, Value], key: Value) -> Value:
        if not isinstance(key, str):
            raise TypeError(f'Index to "{self.name}" must be a string')
        return collection.get(key, '')

    def _read_list(self, collection: list[str], index: int | str) -> str:
        try:
            number = int(index)
        except (ValueError, TypeError):
            raise ValueError(f'Index to "{self.name}" must be an integer') from None
        try:
            return collection[number]
        except IndexError:
            return ''


class CfnFindInMap(Function):
    """{Fn::FindInMap: [map, key, key]} returns a value from the section Mappings."""

    mappings: Mapping[str, Value]

    @classmethod
    def parse(cls, parser: Parser, name: str, args: Value) -> Function:
        node = cls(name, parser.parse(args))
        node.mappings = parser.mappings
        return node

    def check(self) -> None:
        self.require_arguments(3, f'Arguments to "{self.name}" must be of the form [map, key, key]')

    def result(self, scope: Scope) -> Value:
        value: Value = self.mappings
        for key in resolve_each(self.args, scope):
            require_known(key)
            if not isinstance(value, dict):
                raise TypeError(
                    f'"{self.name}" cannot look up {quoted(key)}: the value is not a map'
                )
            try:
                value = value[key]
            except (KeyError, TypeError):
                raise ValueError(f'"{self.name}" finds no key {quoted(key)}') from None
        return value


class CfnGetAZs(Function):
    """{Fn::GetAZs: region} returns the names of the availability zones; the region is ignored."""

    gives = LIST

    def result(self, scope: Scope) -> Value:
        return scope.availability_zones()


class CfnMemberListToMap(Function):
    """{Fn::MemberListToMap: [Name, Value, [item, ...]]} converts an AWS member list to a map.

    The items '.member.0.Name=key' and '.member.0.Value=door' give {key: door}.
    """

    gives = MAP

    def check(self) -> None:
        if not isinstance(self.args, list) or len(self.args) != 3:
            example = "['Name', 'Value', ['.member.0.Name=key', '.member.0.Value=door']]"
            raise ValueError(f'Wrong Arguments try: "{{\'{self.name}\': {example}}}"')
        for arg, label in zip(self.args, ('Key Name', 'Value Name'), strict=False):
            if not isinstance(arg, str):
                raise TypeError(f'{self.name} {label} must be a string')

    def result(self, scope: Scope) -> Value:
        key_name, value_name, members = resolve_each(self.args, scope)
        if not isinstance(members, list | Unknown):
            raise TypeError('Member list must be a list')
        items: dict[str, dict[str, str]] = {}
        for member in members:
            if not isinstance(member, Unknown):
                self._read(member, items)
        require_known(key_name, value_name, members)
        return {
            item[key_name]: item[value_name]
            for item in items.values()
            if key_name in item and value_name in item
        }

    @staticmethod
    def _read(member: Value, items: dict[str, dict[str, str]]) -> None:
        """Store '.member.3.Name=key' as items['3']['Name'] = 'key'; ignore other prefixes."""
        if not isinstance(member, str):
            raise TypeError('Member list items must be strings')
        path, equals, value = member.partition('=')
        if not equals:
            raise ValueError(f'"{member}" is not of the form .member.0.Name=value')
        parts = path.split('.')
        if len(parts) == 4 and parts[:2] == ['', 'member']:
            items.setdefault(parts[2], {})[parts[3]] = value

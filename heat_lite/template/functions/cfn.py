"""Functions that only CFN templates have, and the oldest HOT version: Fn::Select, Fn::FindInMap, Fn::GetAZs, Fn::MemberListToMap."""

import json

from heat_lite.template.function import Function, resolve_each


class Select(Function):
    """{Fn::Select: [index or key, list or map or its JSON]}; what is not there is an empty text."""

    __slots__ = ()

    def check(self):
        if not isinstance(self.args, list) or len(self.args) != 2:
            raise ValueError(f'Arguments to "{self.name}" must be of the form [index, collection]')

    def result(self, scope):
        index, collection = resolve_each(self.args, scope)
        if collection is None or collection == '':
            return ''
        if isinstance(collection, str):
            collection = self._parsed(collection)
        if isinstance(collection, dict):
            return self._of_map(collection, index)
        if isinstance(collection, list):
            return self._of_list(collection, index)
        raise TypeError(f'Arguments to {self.name} not fully resolved')

    def _parsed(self, text):
        try:
            return json.loads(text)
        except ValueError as error:
            raise ValueError(f'"{self.name}": {error}') from None

    def _of_map(self, collection, key):
        if not isinstance(key, str):
            raise TypeError(f'Index to "{self.name}" must be a string')
        return collection.get(key, '')

    def _of_list(self, collection, index):
        try:
            number = int(index)
        except (ValueError, TypeError):
            raise ValueError(f'Index to "{self.name}" must be an integer') from None
        try:
            return collection[number]
        except IndexError:
            return ''


class FindInMap(Function):
    """{Fn::FindInMap: [map, key, key]}: a value from the section Mappings."""

    __slots__ = ('mappings',)

    @classmethod
    def parse(cls, parser, name, args):
        node = super().parse(parser, name, args)
        node.mappings = parser.mappings
        return node

    def check(self):
        if not isinstance(self.args, list) or len(self.args) != 3:
            raise ValueError(f'Arguments to "{self.name}" must be of the form [map, key, key]')

    def result(self, scope):
        found = self.mappings
        for key in resolve_each(self.args, scope):
            if not isinstance(found, dict):
                raise TypeError(f'There is no map in which "{self.name}" could look for {key!r}')
            found = found[key]
        return found


class GetAZs(Function):
    """{Fn::GetAZs: region}: the names of the availability zones; the region is not looked at."""

    __slots__ = ()

    def result(self, scope):
        return scope.availability_zones()


class MemberListToMap(Function):
    """{Fn::MemberListToMap: [Name, Value, ['.member.0.Name=key', '.member.0.Value=door', ...]]} gives {key: door}."""

    __slots__ = ()

    def check(self):
        if not isinstance(self.args, list) or len(self.args) != 3:
            example = "['Name', 'Value', ['.member.0.Name=key', '.member.0.Value=door']]"
            raise ValueError(f'Wrong Arguments try: "{{\'{self.name}\': {example}}}"')
        for arg, what in zip(self.args, ('Key Name', 'Value Name'), strict=False):
            if not isinstance(arg, str):
                raise TypeError(f'{self.name} {what} must be a string')

    def result(self, scope):
        key_name, value_name, members = resolve_each(self.args, scope)
        if not isinstance(members, list):
            raise TypeError('Member list must be a list')
        found = {}
        for member in members:
            self._read(member, found)
        return {item[key_name]: item[value_name] for item in found.values() if key_name in item and value_name in item}

    @staticmethod
    def _read(member, found):
        """Notes '.member.3.Name=key' as found['3']['Name'] = 'key'; what has not that form is left out."""
        if not isinstance(member, str):
            raise TypeError('Member list items must be strings')
        place, equals, value = member.partition('=')
        if not equals:
            raise ValueError(f'"{member}" is not of the form .member.0.Name=value')
        parts = place.split('.')
        if len(parts) == 4 and parts[:2] == ['', 'member']:
            found.setdefault(parts[2], {})[parts[3]] = value

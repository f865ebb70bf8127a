"""Functions about lists and maps: map_merge, map_replace, list_concat, repeat, filter, contains."""

import itertools
import json
import math

from heat_lite.template.function import Function, resolve, resolve_each
from heat_lite.template.functions import quotas


class MapMerge(Function):
    """{map_merge: [map, ...]}: one map, the later ones winning; null counts as empty."""

    __slots__ = ()

    def result(self, scope):
        maps = resolve(self.args, scope)
        if not isinstance(maps, list | str):
            raise TypeError(
                f'Incorrect arguments to "{self.name}" should be: "{self.name}" : [ {{ "key1": "val1" }}, {{ "key2": "val2" }} ]'
            )
        merged = {}
        for item in maps:
            if item is not None and not isinstance(item, dict):
                raise TypeError(
                    f'Incorrect arguments: Items to merge must be maps. {repr(item)[:200]} is type {type(item)} instead of a dict'
                )
            merged.update(item or {})
        return merged


class MapReplace(Function):
    """{map_replace: [map, {keys: {old: new}, values: {old: new}}]}"""

    __slots__ = ()

    example = '[ { "key1": "val1" }, {"keys": {"key1": "key2"}, "values": {"val1": "val2"}}]'

    def result(self, scope):
        args = resolve(self.args, scope)
        if not isinstance(args, list):
            self._refuse()
        maps = [self._map(item) for item in args]
        if len(maps) != 2:
            self._refuse()
        source, changes = maps
        if not changes.keys() <= {'keys', 'values'}:
            self._refuse()
        keys, values = self._map(changes.get('keys')), self._map(changes.get('values'))
        replaced = {}
        for old, value in source.items():
            key = self._key(old, keys, source)
            if key in replaced:
                raise ValueError(f'key replacement {key} collides with a key in the output map')
            replaced[key] = _lookup(values, value)
        return replaced

    def _refuse(self):
        raise ValueError(f'Incorrect arguments to "{self.name}" should be: "{self.name}" : {self.example}')

    def _map(self, value):
        if value is not None and not isinstance(value, dict):
            raise TypeError(
                f'Incorrect arguments: to "{self.name}", arguments must be a list of maps. Example:  "{self.name}" : {self.example}'
            )
        return value or {}

    @staticmethod
    def _key(old, keys, source):
        new = keys.get(old)
        if new is None:
            return old
        if not isinstance(new, str | int | float):
            raise TypeError(f'A key must be a text or a number, not {new!r}')
        if new != old and new in source:
            raise ValueError(f'key replacement {new} collides with a key in the input map')
        return new


def _lookup(values, value):
    """What a value is replaced by; the value itself where nothing is said, and for lists and maps."""
    return value if isinstance(value, dict | list) else values.get(value, value)


class ListConcat(Function):
    """{list_concat: [list, ...]}: one list; null counts as empty."""

    __slots__ = ()

    def result(self, scope):
        lists = resolve(self.args, scope)
        if not isinstance(lists, list):
            raise TypeError(
                f'Incorrect arguments to "{self.name}" should be: "{self.name}" : [ [ <value 1>, <value 2> ], [ <value 3>, <value 4> ] ]'
            )
        for item in lists:
            if item is not None and not isinstance(item, list):
                raise TypeError(
                    'Incorrect arguments: Items to concat must be lists. '
                    f'{json.dumps(lists)} contains an item that is not a list: {json.dumps(item)}'
                )
        quotas.check_values(self.name, sum(len(part or ()) for part in lists))
        return self.finish([item for part in lists for item in part or ()])

    def finish(self, items):
        return items


class ListConcatUnique(ListConcat):
    """{list_concat_unique: [list, ...]}: of equal items only the first stays."""

    __slots__ = ()

    def finish(self, items):
        unique, seen = [], set()
        for item in items:
            if isinstance(item, dict | list):
                if item not in unique:
                    unique.append(item)
            elif item not in seen:
                seen.add(item)
                unique.append(item)
        return unique


class Repeat(Function):
    """{repeat: {template: , for_each: {what: [text, ...]}}}: the template once for each combination of texts."""

    __slots__ = ()

    kinds: tuple[type, ...] = (list,)
    refusal = 'lists'

    def check(self):
        if not isinstance(self.args, dict):
            raise TypeError(f'Arguments to "{self.name}" must be a map')
        if 'template' not in self.args or 'for_each' not in self.args:
            raise ValueError(f'"{self.name}" syntax should be {self.name}: {{template: This is %var%, for_each: {{%var%: [a, b, c]}}}}')
        if not isinstance(self.args['for_each'], dict | Function):
            raise TypeError(f'The "for_each" argument to "{self.name}" must contain a map')

    def result(self, scope):
        for_each = resolve(self.args['for_each'], scope)
        if not isinstance(for_each, dict) or not for_each:
            raise ValueError(f'The "for_each" argument to "{self.name}" must contain a map that is not empty')
        values = [self._values(value) for value in for_each.values()]
        template = resolve(self.args['template'], scope)
        self._check_size(template, values)
        keys = list(for_each)
        return [substitute(template, list(zip(keys, chosen, strict=True)), self.name) for chosen in self.combine(values)]

    def _check_size(self, template, values):
        times = self.count([len(value or ()) for value in values])
        quotas.check_values(self.name, times * quotas.weight(template))
        quotas.check_text(self.name, times * quotas.characters(template))

    def _values(self, value):
        if value is not None and not isinstance(value, self.kinds):
            raise TypeError(f'The values of the "for_each" argument to "{self.name}" must be {self.refusal}')
        return None if value is None else list(value)

    def combine(self, values):
        return itertools.product(*(value or () for value in values))

    def count(self, lengths):
        """How often the template will be there."""
        return math.prod(lengths)


def substitute(template, pairs, name='repeat'):
    """A template with texts replaced, in keys as well; in turn, so that what one pair puts in the next may replace."""
    if isinstance(template, str):
        for key, value in pairs:
            if not isinstance(value, str):
                raise TypeError(f'Only texts can be put into a text, not {value!r}')
            if len(value) > len(key):
                quotas.check_text(name, len(template) + template.count(key) * len(value))
            template = template.replace(key, value)
        return template
    if isinstance(template, list):
        return [substitute(item, pairs, name) for item in template]
    if isinstance(template, dict):
        return {substitute(key, pairs, name): substitute(value, pairs, name) for key, value in template.items()}
    return template


class RepeatMaps(Repeat):
    """repeat since 2016-10-14: maps stand for their keys."""

    __slots__ = ()

    kinds = (list, dict)
    refusal = 'lists or maps'


class RepeatTogether(RepeatMaps):
    """repeat since 2017-09-01: ``permutations: false`` takes the first of each list, then the second of each, and so on."""

    __slots__ = ()

    def check(self):
        super().check()
        if not isinstance(self.args.get('permutations', True), bool):
            raise TypeError(f'"permutations" should be boolean type for {self.name} function.')

    def _values(self, value):
        if isinstance(value, dict) and not self.args.get('permutations', True):
            raise TypeError(f'The values of the "for_each" argument to "{self.name}" must be lists')
        return super()._values(value)

    def count(self, lengths):
        return super().count(lengths) if self.args.get('permutations', True) else max(lengths)

    def combine(self, values):
        if self.args.get('permutations', True):
            return super().combine(values)
        if None in values:
            return ()
        if len({len(value) for value in values}) > 1:
            raise ValueError(f'For {self.name}, the length of for_each values should be equal if no nested loop.')
        return zip(*values, strict=True)


class Filter(Function):
    """{filter: [values, list]}: the list without these values."""

    __slots__ = ()

    def check(self):
        if not isinstance(self.args, list):
            raise TypeError(f'Argument to "{self.name}" must be a list')
        if len(self.args) != 2:
            raise ValueError(
                f'"{self.name}" expected 2 arguments of the form [values, sequence] but got {len(self.args)} arguments instead'
            )

    def result(self, scope):
        values, sequence = resolve_each(self.args, scope)
        if not sequence:
            return sequence
        if not isinstance(sequence, list):
            raise TypeError(f'"{self.name}" only works with lists')
        if not values:
            return sequence
        if not isinstance(values, list):
            raise TypeError(f'"{self.name}" filters a list of values')
        return [item for item in sequence if item not in values]


class Contains(Function):
    """{contains: [value, list or text]}"""

    __slots__ = ()

    def check(self):
        if not isinstance(self.args, list) or not self.args:
            raise TypeError(f'Incorrect arguments to "{self.name}" should be: "{self.name}" : [ "value1", [ "value1", "value2"]]')
        if len(self.args) != 2:
            raise ValueError(f'Arguments to "{self.name}" must be of the form: [value1, [value1, value2]]')

    def result(self, scope):
        value, sequence = resolve_each(self.args, scope)
        if not isinstance(sequence, list | str):
            raise TypeError(f'Second argument to "{self.name}" should be a sequence.')
        return value in sequence

"""Functions on lists and maps: map_merge, map_replace, list_concat, repeat, filter, contains."""

import itertools
import json
import math
from collections.abc import Iterable, Mapping

from heat_lite.common.value_texts import as_json, kind_of
from heat_lite.common.value_types import Value
from heat_lite.template.function import Function, Scope, resolve, resolve_each
from heat_lite.template.functions import budget
from heat_lite.template.unknown import (
    ANY,
    BOOLEAN,
    LIST,
    MAP,
    STRING,
    Unknown,
    is_known,
    merge,
    require_known,
)


class MapMerge(Function):
    """{map_merge: [map, ...]} merges maps: later maps override earlier ones; null counts as empty.

    Keys are merged at the top level only.
    """

    gives = MAP

    def result(self, scope: Scope) -> Value:
        maps = resolve(self.args, scope)
        if isinstance(maps, Unknown):
            return merge(MAP, maps)
        if not isinstance(maps, list | str):
            raise TypeError(
                f'Incorrect arguments to "{self.name}" should be: "{self.name}" : '
                '[ { "key1": "val1" }, { "key2": "val2" } ]'
            )
        merged = {}
        unknown = [item for item in maps if isinstance(item, Unknown)]
        for item in maps:
            if isinstance(item, Unknown):
                continue
            if item is not None and not isinstance(item, dict):
                raise TypeError(
                    'Incorrect arguments: Items to merge must be maps. '
                    f'{as_json(item)} is {kind_of(item)} instead of a map'
                )
            budget.charge_values(self.name, len(item or ()))
            merged.update(item or {})
        require_known(unknown)
        return merged


class MapReplace(Function):
    """{map_replace: [map, {keys: {old: new}, values: {old: new}}]} replaces keys and values."""

    gives = MAP
    example = '[ { "key1": "val1" }, {"keys": {"key1": "key2"}, "values": {"val1": "val2"}}]'

    def result(self, scope: Scope) -> Value:
        args = resolve(self.args, scope)
        if not isinstance(args, list | Unknown):
            self._refuse()
        maps = self._maps(args)
        if len(maps) != 2:
            self._refuse()
        source, changes = maps
        if not isinstance(changes, Unknown) and not changes.keys() <= {'keys', 'values'}:
            self._refuse()
        keys, values = self._maps([changes.get('keys'), changes.get('values')])
        for part in (source, keys, values):
            require_known(part if isinstance(part, Unknown) else ())
        budget.charge_values(self.name, len(source))
        replaced = {}
        for old, value in source.items():
            key = self._key(old, keys, source)
            if key in replaced:
                raise ValueError(f'key replacement {key} collides with a key in the output map')
            replaced[key] = _lookup(values, value)
            if replaced[key] is not value:
                budget.charge_value(self.name, replaced[key])
        return replaced

    def _refuse(self) -> None:
        raise ValueError(
            f'Incorrect arguments to "{self.name}" should be: "{self.name}" : {self.example}'
        )

    def _maps(self, values: Value) -> list[Value]:
        for value in values:
            if value is not None and not isinstance(value, dict | Unknown):
                raise TypeError(
                    f'Incorrect arguments: to "{self.name}", arguments must be a list of maps. '
                    f'Example:  "{self.name}" : {self.example}'
                )
        return [{} if value is None else value for value in values]

    @staticmethod
    def _key(old: str, keys: Mapping[str, Value], source: Mapping[str, Value]) -> str | float:
        new = keys.get(old)
        if new is None:
            return old
        require_known(new)
        if not isinstance(new, str | int | float):
            raise TypeError(f'A key must be a string or a number, not {as_json(new)}')
        if new != old and new in source:
            raise ValueError(f'key replacement {new} collides with a key in the input map')
        return new


def _lookup(values: Mapping[str, Value], value: Value) -> Value:
    """Return the replacement of a value; the value itself if there is none or it is not scalar."""
    if isinstance(value, Unknown) and values:
        return merge(ANY, value, *values.values())
    return value if isinstance(value, dict | list | Unknown) else values.get(value, value)


class ListConcat(Function):
    """{list_concat: [list, ...]} concatenates lists; null counts as empty."""

    gives = LIST

    def result(self, scope: Scope) -> Value:
        lists = resolve(self.args, scope)
        if isinstance(lists, Unknown):
            return merge(LIST, lists)
        if not isinstance(lists, list):
            raise TypeError(
                f'Incorrect arguments to "{self.name}" should be: "{self.name}" : '
                '[ [ <value 1>, <value 2> ], [ <value 3>, <value 4> ] ]'
            )
        for item in lists:
            if item is not None and not isinstance(item, list | Unknown):
                text = json.dumps(lists, default=repr)
                raise TypeError(
                    'Incorrect arguments: Items to concat must be lists. '
                    f'{text} contains an item that is not a list: {json.dumps(item)}'
                )
        unknown = [part for part in lists if isinstance(part, Unknown)]
        known = [part.known if isinstance(part, Unknown) else part or () for part in lists]
        budget.check_values(self.name, sum(map(len, known)))
        items = self.select_items([item for part in known for item in part])
        if not unknown:
            return items
        if isinstance(items, Unknown):
            return merge(LIST, unknown, items, known=items.known)
        return merge(LIST, unknown, items, known=items)

    def select_items(self, items: list[Value]) -> Value:
        return items


class ListConcatUnique(ListConcat):
    """{list_concat_unique: [list, ...]} concatenates lists and keeps the first of equal items."""

    def select_items(self, items: list[Value]) -> Value:
        unique: dict[Value, Value] = {}
        budget.charge_values(self.name, budget.count_values(items))
        known = [item for item in items if is_known(item)]
        for item in known:
            unique.setdefault(hashable(item), item)
        if len(known) == len(items):
            return list(unique.values())
        # an unknown item may be equal to another one
        return merge(LIST, items, known=unique.values())


class Repeat(Function):
    """{repeat: {template: value, for_each: {placeholder: [string, ...]}}} repeats a template.

    The result is a list with one copy of the template for each combination of strings.
    """

    gives = LIST
    kinds: Value = (list,)
    kinds_text = 'lists'

    def check(self) -> None:
        self.require_keys(
            ('template', 'for_each'),
            f'"{self.name}" syntax should be {self.name}: '
            '{template: This is %var%, for_each: {%var%: [a, b, c]}}',
        )
        if not isinstance(self.args['for_each'], dict | Function):
            raise TypeError(f'The "for_each" argument to "{self.name}" must contain a map')

    def result(self, scope: Scope) -> Value:
        for_each = resolve(self.args['for_each'], scope)
        if isinstance(for_each, Unknown):
            return merge(LIST, for_each)
        if not isinstance(for_each, dict) or not for_each:
            raise ValueError(
                f'The "for_each" argument to "{self.name}" must contain a map that is not empty'
            )
        values = [self._values(value) for value in for_each.values()]
        for value in values:
            require_known(value if isinstance(value, Unknown) else ())
        template = resolve(self.args['template'], scope)
        self._check_size(template, values)
        keys = list(for_each)
        copies, characters = [], 0
        for chosen in self.combine(values):
            copies.append(substitute(template, list(zip(keys, chosen, strict=True)), self.name))
            copy = copies[-1]
            characters += len(copy) if isinstance(copy, str) else budget.count_characters(copy)
            budget.check_size(self.name, characters)
        return copies

    def _check_size(self, template: Value, values: list[Value]) -> None:
        copies = self.count([len(value or ()) for value in values])
        budget.check_values(self.name, copies * budget.count_values(template))
        budget.check_text(self.name, copies * budget.count_characters(template))

    def _values(self, value: Value) -> list[Value] | None:
        if (
            value is not None
            and not isinstance(value, self.kinds)
            and not isinstance(value, Unknown)
        ):
            raise TypeError(
                f'The values of the "for_each" argument to "{self.name}" must be {self.kinds_text}'
            )
        return list(value) if isinstance(value, list | dict) else value

    def combine(self, values: list[Value]) -> Iterable:
        return itertools.product(*(value or () for value in values))

    def count(self, lengths: list[int]) -> int:
        """Return the number of copies of the template, given the lengths of the lists."""
        return math.prod(lengths)


def substitute(template: Value, pairs: list[Value], name: str = 'repeat') -> Value:
    """Return the template with the pairs ``(placeholder, string)`` replaced in values and keys.

    Pairs apply in order, and so a later pair can replace text that an earlier one inserted.
    """
    if isinstance(template, str):
        for key, value in pairs:
            if isinstance(value, Unknown):
                if key in template:
                    return merge(STRING, value)
                continue
            if not isinstance(value, str):
                raise TypeError(f'Only strings can be inserted into a string, not {as_json(value)}')
            budget.charge_steps(name, 1 + len(template) // budget.CHARACTERS_A_STEP)
            if len(value) > len(key):
                budget.check_text(name, len(template) + template.count(key) * len(value))
            template = template.replace(key, value)
        return template
    if isinstance(template, list):
        return [substitute(item, pairs, name) for item in template]
    if isinstance(template, dict):
        return {
            substitute(key, pairs, name): substitute(value, pairs, name)
            for key, value in template.items()
        }
    return template


class RepeatMaps(Repeat):
    """{repeat: {template: value, for_each: {placeholder: list or map}}} repeats a template.

    Since 2016-10-14 a map in ``for_each`` stands for the list of its keys.
    """

    kinds = (list, dict)
    kinds_text = 'lists or maps'


class RepeatWithPermutations(RepeatMaps):
    """{repeat: {template: value, for_each: map, permutations: boolean}} repeats a template.

    Since 2017-09-01 ``permutations: false`` combines the first items of all lists, then the
    second items, and so on.
    """

    @property
    def permutes(self) -> Value:
        return self.args.get('permutations', True)

    def check(self) -> None:
        super().check()
        if not isinstance(self.permutes, bool):
            raise TypeError(f'"permutations" should be boolean type for {self.name} function.')

    def _values(self, value: Value) -> list[Value] | None:
        if isinstance(value, dict) and not self.permutes:
            raise TypeError(f'The values of the "for_each" argument to "{self.name}" must be lists')
        return super()._values(value)

    def count(self, lengths: list[int]) -> int:
        return super().count(lengths) if self.permutes else max(lengths)

    def combine(self, values: list[Value]) -> Iterable | tuple:
        if self.permutes:
            return super().combine(values)
        if None in values:
            return ()
        if len({len(value) for value in values}) > 1:
            raise ValueError(
                f'For {self.name}, the length of for_each values should be equal if no nested loop.'
            )
        return zip(*values, strict=True)


class Filter(Function):
    """{filter: [values, list]} returns the list without these values."""

    gives = LIST

    def check(self) -> None:
        if not isinstance(self.args, list):
            raise TypeError(f'Argument to "{self.name}" must be a list')
        if len(self.args) != 2:
            raise ValueError(
                f'"{self.name}" expected 2 arguments of the form [values, sequence] '
                f'but got {len(self.args)} arguments instead'
            )

    def result(self, scope: Scope) -> Value:
        values, sequence = resolve_each(self.args, scope)
        if isinstance(sequence, Unknown):
            return merge(LIST, values, sequence)
        if not sequence:
            return sequence
        if not isinstance(sequence, list):
            raise TypeError(f'"{self.name}" only works with lists')
        require_known(values if isinstance(values, Unknown) else ())
        if not values:
            return sequence
        if not isinstance(values, list):
            raise TypeError(f'"{self.name}" filters a list of values')
        budget.charge_values(self.name, budget.count_values(values) + budget.count_values(sequence))
        require_known(values)
        excluded = {hashable(value) for value in values}
        known = [item for item in sequence if is_known(item)]
        left = [item for item in known if hashable(item) not in excluded]
        return left if len(known) == len(sequence) else merge(LIST, sequence, known=left)


def hashable(value: Value) -> Value:
    """Return a hashable value that is equal for values that are equal, and only for those.

    Lists, maps and large numbers become texts: the hashes of tuples and of numbers are no secret,
    so a template could have thousands of different ones with the same hash.
    """
    if isinstance(value, dict | list):
        return type(value), _canonical(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int) and value.bit_length() > 60:
        return int, hex(value)
    return value


def _canonical(value: Value) -> str:
    """Return a text that is the same for equal values only; 1, 1.0 and true are equal."""
    if isinstance(value, dict):
        items = sorted(f'{_canonical(key)}:{_canonical(item)}' for key, item in value.items())
        return f'{{{",".join(items)}}}'
    if isinstance(value, list):
        return f'[{",".join(map(_canonical, value))}]'
    if isinstance(value, bool) or (isinstance(value, float) and value.is_integer()):
        value = int(value)
    return hex(value) if isinstance(value, int) else repr(value)


class Contains(Function):
    """{contains: [value, sequence]} returns whether a list or string contains a value."""

    gives = BOOLEAN

    def check(self) -> None:
        if not isinstance(self.args, list) or not self.args:
            raise TypeError(
                f'Incorrect arguments to "{self.name}" should be: "{self.name}" : '
                '[ "value1", [ "value1", "value2"]]'
            )
        if len(self.args) != 2:
            raise ValueError(
                f'Arguments to "{self.name}" must be of the form: [value1, [value1, value2]]'
            )

    def result(self, scope: Scope) -> Value:
        value, sequence = resolve_each(self.args, scope)
        if not isinstance(sequence, list | str | Unknown):
            raise TypeError(f'Second argument to "{self.name}" should be a sequence.')
        require_known(value)
        items = sequence.known if isinstance(sequence, Unknown) else sequence
        if isinstance(items, str):
            return value in items
        if any(is_known(item) and item == value for item in items):
            return True
        require_known(sequence)
        return False

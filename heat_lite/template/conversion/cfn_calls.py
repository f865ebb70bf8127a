"""The functions of CFN as functions of HOT with the same values."""

import dataclasses
import re
from collections.abc import Callable, Mapping

from heat_lite.common.value_types import Value
from heat_lite.template import versions
from heat_lite.template.conversion.mappings import Mappings
from heat_lite.template.conversion.problems import Remarks, Unconvertible
from heat_lite.template.functions.refs import CfnResourceFacade

HOT_VERSION = '2021-04-16'
#: the parameter that replaces AWS::Region, as Heat defines it
REGION = 'Region'
REGION_SCHEMA = {
    'type': 'string',
    'description': 'The region, which AWS::Region was in the original template.',
    'default': 'ap-southeast-1',
}
_NO_VALUE = {'Ref': 'AWS::NoValue'}
_VERSION = versions.TABLE['heat_template_version'][HOT_VERSION]
#: names that HOT takes for a call in a map of one key
_HOT_CALLS = {*_VERSION.functions, *(_VERSION.condition_functions or {})}
_CFN_CALL = re.compile(r'Fn::\w+|Ref|Condition')
#: ``${name}`` of Fn::Sub
_VARIABLE = re.compile(r'\$\{(!?)([^${}]*)\}')
_FACADE = CfnResourceFacade.keys
#: {call that selects an item: what a missing item is}
_OF_MISSING = {'get_attr': 'gives null', 'str_split': 'is an error'}


@dataclasses.dataclass
class Calls:
    """Converts values. ``parameters`` and ``resources`` are the sections of the CFN template."""

    parameters: dict
    resources: dict
    mappings: Mappings
    remarks: Remarks
    needs_region: bool = False

    def convert(self, value: Value, path: tuple, in_condition: bool = False) -> Value:
        """Return the value in HOT. A part without an equivalent is reported, and stays as it is."""
        if isinstance(value, list):
            return [
                self.convert(item, (*path, index), in_condition) for index, item in enumerate(value)
            ]
        if not isinstance(value, dict):
            return value
        if len(value) == 1:
            [(name, args)] = value.items()
            if _CFN_CALL.fullmatch(name) and (name != 'Condition' or in_condition):
                return self._call(name, args, (*path, name), value)
            if name in _HOT_CALLS:
                text = f'HOT would take this map for a call of the function {name}'
                self.remarks.problem((*path, name), text)
        return {key: self.convert(item, (*path, key), in_condition) for key, item in value.items()}

    def _call(self, name: str, args: Value, path: tuple, original: Mapping[str, Value]) -> Value:
        try:
            if name in _PAIRS:
                return {_PAIRS[name]: self.convert(_pair(name, args), path)}
            if name in _OPERATORS:
                return {_OPERATORS[name]: self.convert(args, path, in_condition=True)}
            if name not in _CONVERSIONS:
                raise Unconvertible(_ADVICE.get(name, f'HOT has no equivalent of {name}'))
            return _CONVERSIONS[name](self, args, path)
        except Unconvertible as error:
            self.remarks.problem(path, error)
            return original

    # ------------------------------------------------------------ references

    def ref(self, name: Value, path: tuple = ()) -> Value:
        """Return the equivalent of a Ref. Raises Unconvertible for an unknown name."""
        if not isinstance(name, str):
            raise Unconvertible('the argument of Ref is the name of a parameter or resource')
        if name in self.resources:
            return {'get_resource': name}
        if name in self.parameters:
            return {'get_param': name}
        if name == 'AWS::StackName':
            return {'get_param': 'OS::stack_name'}
        if name == 'AWS::StackId':
            return _arn()
        if name == 'AWS::Region':
            self.needs_region = True
            text = f'AWS::Region becomes the parameter {REGION}, with the default of Heat'
            self.remarks.note(path, text)
            return {'get_param': REGION}
        raise Unconvertible(f'{name} is neither a parameter nor a resource of this template')

    def _get_att(self, args: Value, path: tuple) -> Value:
        if isinstance(args, str):
            args = args.split('.', 1)
        if not isinstance(args, list) or len(args) != 2:
            raise Unconvertible('Fn::GetAtt has the form [resource, attribute]')
        return {'get_attr': self.convert(args, path)}

    def _facade(self, key: str, path: tuple) -> Value:
        if key not in _FACADE:
            raise Unconvertible(f'Fn::ResourceFacade has one of: {", ".join(_FACADE)}')
        return {'resource_facade': _FACADE[key]}

    def _find_in_map(self, args: Value, path: tuple) -> Value:
        return self.mappings.find(args, lambda key: self.convert(key, path))

    # ------------------------------------------------------------ strings and lists

    def _replace(self, args: Value, path: tuple) -> Value:
        params, template = self.convert(_pair('Fn::Replace', args), path)
        return {'str_replace': {'template': template, 'params': params}}

    def _base64(self, text: Mapping[str, Value], path: tuple) -> Value:
        """Return the text: Heat's Fn::Base64 leaves it to the compute service to encode it."""
        return self.convert(text, path)

    def _sub(self, args: Value, path: tuple) -> Value:
        template, given = args if isinstance(args, list) and len(args) == 2 else (args, {})
        if not isinstance(template, str) or not isinstance(given, dict):
            raise Unconvertible('Fn::Sub has the form text, or [text, {name: value}]')
        params = {}
        for found in _VARIABLE.finditer(template):
            name = found[2].strip()
            params[found[0]] = f'${{{name}}}' if found[1] else self._variable(name, given, path)
        return {'str_replace': {'template': template, 'params': params}} if params else template

    def _variable(self, name: str, given: Mapping[str, Value], path: tuple) -> Value:
        if name in given:
            return self.convert(given[name], path)
        if '.' in name and not name.startswith('AWS::'):
            return {'get_attr': name.split('.', 1)}
        return self.ref(name, path)

    def _select(self, args: Value, path: tuple) -> Value:
        index, collection = _pair('Fn::Select', args)
        converted = self.convert(collection, (*path, 1))
        if isinstance(index, dict):
            index = self.convert(index, (*path, 0))
        elif isinstance(converted, list):
            return _item(converted, index)
        elif isinstance(converted, dict) and not _is_call(converted):
            return converted.get(index, '')
        return self._selected(converted, index, path)

    def _selected(self, converted: Mapping[str, Value], index: int | str, path: tuple) -> Value:
        """Return the part of a call's result at an index or key."""
        name = next(iter(converted)) if _is_call(converted) else None
        args: Value = converted.get(name) if name else None
        if name == 'get_param' and self._is_collection(args):
            return {'get_param': [*(args if isinstance(args, list) else [args]), index]}
        if name in _OF_MISSING and not isinstance(index, dict):
            self.remarks.note(path, f'a missing item {_OF_MISSING[name]}, no longer an empty text')
            return {name: [*args, _number(index)]}
        raise Unconvertible(
            'Fn::Select has an equivalent for constants, parameters that are lists or maps,'
            ' attributes and Fn::Split only'
        )

    def _is_collection(self, args: Value) -> bool:
        if isinstance(args, list):
            return True  # a mapping
        kind = self.parameters.get(args, {}).get('Type')
        return kind in ('CommaDelimitedList', 'Json') or str(kind).startswith('List<')

    # ------------------------------------------------------------ conditions

    def _if(self, args: Value, path: tuple) -> Value:
        if not isinstance(args, list) or len(args) != 3:
            raise Unconvertible('Fn::If has the form [condition, value, value]')
        condition, first, second = args
        condition = self.convert(condition, (*path, 0), in_condition=True)
        if second == _NO_VALUE:
            return {'if': [condition, self.convert(first, (*path, 1))]}
        if first == _NO_VALUE:
            return {'if': [{'not': condition}, self.convert(second, (*path, 2))]}
        return {
            'if': [
                condition,
                self.convert(first, (*path, 1)),
                self.convert(second, (*path, 2)),
            ]
        }

    def _condition(self, name: str, path: tuple) -> Value:
        return name

    def _not(self, args: Value, path: tuple) -> Value:
        if not isinstance(args, list) or len(args) != 1:
            raise Unconvertible('Fn::Not has the form [condition]')
        return {'not': self.convert(args[0], (*path, 0), in_condition=True)}


#: {function: the one of HOT with the same two arguments}
_PAIRS = {'Fn::Equals': 'equals', 'Fn::Join': 'list_join', 'Fn::Split': 'str_split'}
#: {function of conditions: the one of HOT with the same arguments}
_OPERATORS = {'Fn::And': 'and', 'Fn::Or': 'or'}
#: {function without an equivalent: what to do}
_ADVICE = {
    'Fn::GetAZs': (
        'HOT has no equivalent of Fn::GetAZs: name the zones, or take them from a parameter'
    ),
    'Fn::MemberListToMap': ('write the map itself: HOT has no equivalent of Fn::MemberListToMap'),
}
_CONVERSIONS: dict[str, Callable[[Calls, Value, tuple], Value]] = {
    'Condition': Calls._condition,
    'Fn::Base64': Calls._base64,
    'Fn::FindInMap': Calls._find_in_map,
    'Fn::GetAtt': Calls._get_att,
    'Fn::If': Calls._if,
    'Fn::Not': Calls._not,
    'Fn::Replace': Calls._replace,
    'Fn::ResourceFacade': Calls._facade,
    'Fn::Select': Calls._select,
    'Fn::Sub': Calls._sub,
    'Ref': Calls.ref,
}


def _pair(name: str, args: Value) -> list[Value]:
    if not isinstance(args, list) or len(args) != 2:
        raise Unconvertible(f'{name} has two arguments, in a list')
    return args


def _is_call(value: Value) -> bool:
    return isinstance(value, dict) and len(value) == 1 and next(iter(value)) in _HOT_CALLS


def _number(index: int | str) -> int:
    try:
        return int(index)
    except (TypeError, ValueError):
        raise Unconvertible(f'the index {index!r} is no number') from None


def _item(items: list[str], index: int | str) -> Value:
    try:
        return items[_number(index)]
    except IndexError:
        return ''


def _arn() -> dict[str, Value]:
    """Return what AWS::StackId is in Heat."""
    parts = [
        'arn:openstack:heat::',
        {'get_param': 'OS::project_id'},
        ':stacks/',
        {'get_param': 'OS::stack_name'},
        '/',
        {'get_param': 'OS::stack_id'},
    ]
    return {'list_join': ['', parts]}

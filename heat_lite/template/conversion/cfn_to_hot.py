"""A template in CFN as a template in HOT.

What has no equivalent is reported, with its path in the original template.
"""

from collections.abc import Mapping
from typing import NamedTuple

from heat_lite.common.value_types import Value, without_none
from heat_lite.template import dialects
from heat_lite.template.conversion.cfn_calls import HOT_VERSION, REGION, REGION_SCHEMA, Calls
from heat_lite.template.conversion.mappings import Mappings
from heat_lite.template.conversion.problems import Remark, Remarks
from heat_lite.template.parameters import parameter_schema

_VERSION_KEYS = dialects.VERSION_KEYS[1:]
_SECTIONS = {*dialects.CFN.sections.values(), *_VERSION_KEYS}
#: {type of a parameter that Heat does not know: (type in HOT, custom constraint)}
_AWS_TYPES = {
    'AWS::EC2::Image::Id': ('string', 'glance.image'),
    'AWS::EC2::Instance::Id': ('string', 'nova.server'),
    'AWS::EC2::KeyPair::KeyName': ('string', 'nova.keypair'),
    'AWS::EC2::SecurityGroup::Id': ('string', 'neutron.security_group'),
    'AWS::EC2::Subnet::Id': ('string', 'neutron.subnet'),
    'AWS::EC2::VPC::Id': ('string', 'neutron.network'),
    'AWS::EC2::Volume::Id': ('string', 'cinder.volume'),
}
_PLAIN = {'Description': 'description', 'Label': 'label', 'Default': 'default'}
_BOUNDS = {'length': ('MinLength', 'MaxLength'), 'range': ('MinValue', 'MaxValue')}
_RULES = {'allowed_values': 'AllowedValues', 'allowed_pattern': 'AllowedPattern'}


class Conversion(NamedTuple):
    """A template in HOT, the ``problems`` that it still has, and ``notes`` for its user."""

    data: dict[str, Value]
    problems: list[Remark]
    notes: list[Remark]


def is_cfn(data: dict) -> bool:
    return any(key in data for key in _VERSION_KEYS)


def convert(data: dict) -> Conversion:
    """Return the conversion of a template."""
    return _Converter(data).run()


class _Converter:
    def __init__(self, data: Mapping[str, Value]) -> None:
        self.data = data
        self.has_conditions = 'HeatTemplateFormatVersion' not in data
        self.remarks = Remarks()
        self.parameters = self._section('Parameters')
        self.resources = self._section('Resources')
        self.mappings = Mappings(data.get('Mappings'), self.parameters)
        self.calls = Calls(self.parameters, self.resources, self.mappings, self.remarks)

    def run(self) -> Conversion:
        done: dict[str, Value] = {'heat_template_version': HOT_VERSION}
        if 'Description' in self.data:
            done['description'] = self.data['Description']
        conditions = {
            name: self._condition(name, value)
            for name, value in self._section('Conditions').items()
        }
        resources = self._entries('Resources', self.resources, dialects.CFN.resource)
        outputs = self._entries('Outputs', self._section('Outputs'), dialects.CFN.output)
        parameters = {name: self._parameter(name, each) for name, each in self.parameters.items()}
        parameters.update(self._more_parameters())
        sections = {
            'parameters': parameters,
            'conditions': conditions,
            'resources': resources,
            'outputs': outputs,
        }
        done.update({name: section for name, section in sections.items() if section})
        self._report()
        return Conversion(done, self.remarks.problems, self.remarks.notes)

    def _section(self, name: str) -> dict[str, Value]:
        """Return a section that is a map; another value is a problem."""
        section = self.data.get(name)
        if section is not None and not isinstance(section, dict):
            self.remarks.problem((name,), f'the section {name} is no map')
        return section if isinstance(section, dict) else {}

    def _report(self) -> None:
        """Report what is left out or has another meaning in HOT."""
        for key in self.data:
            if key not in _SECTIONS:
                self.remarks.problem((key,), f'HOT has no section {key}')
        for name in self.mappings.unused():
            self.remarks.note(('Mappings', name), f'the mapping {name} is not used, and left out')
        for name in self.parameters:
            if name in self.resources:
                text = f'{name} is also the name of a resource, which HOT refuses: rename one'
                self.remarks.problem(('Parameters', name), text)

    def _more_parameters(self) -> dict[str, Value]:
        more = self.mappings.as_parameters()
        for name in more:
            text = f'a mapping is read by keys from parameters: it becomes the parameter {name}'
            self.remarks.note(('Mappings',), text)
        if self.calls.needs_region:
            if REGION in self.parameters or REGION in self.resources:
                self.remarks.problem(
                    ('Parameters', REGION), f'AWS::Region needs the name {REGION}: rename this one'
                )
            more[REGION] = dict(REGION_SCHEMA)
        return more

    # ------------------------------------------------------------ entries

    def _condition(self, name: str, value: Value) -> dict[str, Value]:
        done = self.calls.convert(value, ('Conditions', name), in_condition=True)
        if isinstance(done, str):  # the name of another condition
            return {'and': [done, done]}
        return done

    def _entries(
        self, section: str, entries: Mapping[str, Value], keys: Mapping[str, str]
    ) -> dict[str, Value]:
        """Convert resources or outputs; ``keys`` maps the keywords of HOT to those of CFN."""
        words = {cfn: hot for hot, cfn in keys.items()}
        return {name: self._entry((section, name), each, words) for name, each in entries.items()}

    def _entry(self, path: tuple, snippet: Value, words: Mapping[str, str]) -> dict[str, Value]:
        if not isinstance(snippet, dict):
            self.remarks.problem(path, f'{path[-1]} is no map')
            return snippet
        done = {}
        for key, value in snippet.items():
            if key == 'Condition' and not self.has_conditions:
                text = 'HeatTemplateFormatVersion does not read Condition, which is left out'
                self.remarks.note((*path, key), text)
            elif key not in words:
                self.remarks.problem((*path, key), f'HOT has no equivalent of {key}')
                done[key] = value
            elif key == 'Condition' and isinstance(value, str) or key in ('Type', 'DependsOn'):
                done[words[key]] = value
            else:
                in_condition = key == 'Condition'
                done[words[key]] = self.calls.convert(value, (*path, key), in_condition)
        return done

    # ------------------------------------------------------------ parameters

    def _parameter(self, name: str, schema: Value) -> Value:
        path = ('Parameters', name)
        if not isinstance(schema, dict):
            self.remarks.problem(path, f'{name} is no map')
            return schema
        for key in schema:
            if key not in parameter_schema.CFN_KEYS:
                self.remarks.problem((*path, key), f'HOT has no equivalent of {key}')
        kind, rules = self._type(schema.get('Type'), path)
        done = {'type': kind}
        done.update({hot: schema[cfn] for cfn, hot in _PLAIN.items() if cfn in schema})
        if str(schema.get('NoEcho', 'false')).lower() == 'true':
            done['hidden'] = True
        rules += _constraints(schema)
        if rules:
            done['constraints'] = rules
        return done

    def _type(self, name: Value, path: tuple) -> tuple:
        """Return the type of a parameter in HOT, and the constraints that follow from it."""
        if isinstance(name, str) and name in parameter_schema.CFN_TYPES:
            return parameter_schema.CFN_TYPES[name], []
        if name in _AWS_TYPES:
            kind, constraint = _AWS_TYPES[name]
            text = f'{name} becomes {kind} with the constraint {constraint}'
            self.remarks.note((*path, 'Type'), text)
            return kind, [{'custom_constraint': constraint}]
        if isinstance(name, str) and name.startswith('List<'):
            self.remarks.note((*path, 'Type'), f'{name} becomes comma_delimited_list')
            return 'comma_delimited_list', []
        self.remarks.problem((*path, 'Type'), f'HOT has no parameters of the type {name}')
        return name, []


def _constraints(schema: Mapping[str, Value]) -> list[Value]:
    rules: list[dict] = []
    for rule, (low, high) in _BOUNDS.items():
        bounds = {'min': schema.get(low), 'max': schema.get(high)}
        bounds = without_none(bounds)
        if bounds:
            rules.append({rule: bounds})
    rules += [{rule: schema[key]} for rule, key in _RULES.items() if key in schema]
    if 'ConstraintDescription' in schema:
        rules = [{**rule, 'description': schema['ConstraintDescription']} for rule in rules]
    return rules

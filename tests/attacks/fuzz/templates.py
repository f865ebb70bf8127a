"""Strategies of templates and environments: HOT and CFN from their grammar, with wrong parts.

Versions come from the table of the service, properties from the table of resource types.
"""

import functools
import json
import pathlib

import yaml
from hypothesis import strategies as st

from heat_lite.resources import type_table
from heat_lite.template import versions
from tests.attacks.fuzz.functions import conditions, names, snippets
from tests.attacks.fuzz.values import keys, lists, maps, mostly, numbers, scalars, texts, values

#: types that need no cloud, so that stacks of them are made
LOCAL_TYPES = [
    'OS::Heat::Value',
    'OS::Heat::None',
    'OS::Heat::RandomString',
    'OS::Heat::TestResource',
    'OS::Heat::SoftwareConfig',
    'OS::Heat::StructuredConfig',
    'OS::Heat::CloudConfig',
    'OS::Heat::MultipartMime',
    'OS::Heat::SoftwareComponent',
    'OS::Heat::SoftwareDeployment',
    'OS::Heat::SoftwareDeploymentGroup',
    'OS::Heat::ResourceGroup',
    'OS::Heat::ResourceChain',
    'OS::Heat::AutoScalingGroup',
    'OS::Heat::ScalingPolicy',
    'OS::Heat::InstanceGroup',
    'OS::Heat::WaitCondition',
    'OS::Heat::WaitConditionHandle',
    'OS::Heat::UpdateWaitConditionHandle',
    'OS::Heat::DeployedServer',
    'OS::Heat::Delay',
    'OS::Heat::Stack',
    'OS::Heat::AccessPolicy',
    'AWS::CloudFormation::Stack',
    'AWS::CloudFormation::WaitCondition',
    'AWS::CloudFormation::WaitConditionHandle',
    'AWS::AutoScaling::ScalingPolicy',
    'AWS::AutoScaling::LaunchConfiguration',
]
constraints = st.fixed_dictionaries(
    {},
    optional={
        'length': mostly(st.fixed_dictionaries({}, optional={'min': scalars, 'max': scalars})),
        'range': mostly(st.fixed_dictionaries({}, optional={'min': scalars, 'max': scalars})),
        'modulo': mostly(st.fixed_dictionaries({}, optional={'step': scalars, 'offset': scalars})),
        'allowed_values': values,
        'allowed_pattern': texts | values,
        'custom_constraint': st.sampled_from(['nova.flavor', 'ip_addr', 'cron_expression', 'x'])
        | values,
        'description': scalars,
    },
)
HOT_TYPES = ['string', 'number', 'comma_delimited_list', 'json', 'boolean']
CFN_TYPES = ['String', 'Number', 'CommaDelimitedList', 'Json', 'Boolean', 'List<String>']
hot_parameters = st.fixed_dictionaries(
    {'type': mostly(st.sampled_from(HOT_TYPES))},
    optional={
        'default': values,
        'description': mostly(texts),
        'label': mostly(texts),
        'hidden': mostly(st.booleans() | texts),
        'immutable': mostly(st.booleans()),
        'constraints': mostly(st.lists(mostly(constraints), max_size=3)),
        'tags': mostly(st.lists(texts, max_size=3)),
        'schema': values,
    },
)
cfn_parameters = st.fixed_dictionaries(
    {'Type': mostly(st.sampled_from(CFN_TYPES))},
    optional=dict.fromkeys(
        [
            'AllowedPattern',
            'AllowedValues',
            'ConstraintDescription',
            'Default',
            'Description',
            'Label',
            'MaxLength',
            'MaxValue',
            'MinLength',
            'MinValue',
            'NoEcho',
        ],
        values,
    ),
)
types = (
    st.sampled_from(LOCAL_TYPES)
    | st.sampled_from(LOCAL_TYPES)
    | st.sampled_from(sorted(type_table.TYPES))
)

REFERENCE = json.loads(
    (pathlib.Path(__file__).parents[2] / 'reference/resource_types.json').read_text()
)
BY_TYPE = {
    'String': texts,
    'Integer': st.sampled_from([0, 1, 2, 3, 60]) | numbers | texts,
    'Number': numbers | texts,
    'Boolean': st.booleans() | texts,
    'Map': maps,
    'List': lists,
    'Any': values,
}


def _fitting(schema):
    """Values of the type of a property, that mostly meet its constraints."""
    for constraint in schema.get('constraints', ()):
        if 'allowed_values' in constraint:
            return st.sampled_from(constraint['allowed_values'])
        if 'range' in constraint:
            least = constraint['range'].get('min', 0)
            return st.sampled_from([least, least + 1, constraint['range'].get('max', least + 2)])
    if 'keys' in schema:
        return _properties(schema['keys'])
    if 'items' in schema:
        return st.lists(_fitting(schema['items']), max_size=2)
    return BY_TYPE.get(schema['type'], values)


def _property(schema):
    return mostly(_fitting(schema)) | snippets


def _properties(schemata):
    """Maps of properties, with those that are required."""
    required = {name: each for name, each in schemata.items() if each.get('required')}
    return st.fixed_dictionaries(
        {name: _property(each) for name, each in required.items()},
        optional={
            name: _property(each)
            for name, each in list(schemata.items())[:12]
            if name not in required
        },
    )


SPECIAL = {
    'resource_def': 'definitions',
    'resource': 'definitions',
    'template': 'template',
}


@functools.cache
def properties_of(kind):
    """The properties of a type; definitions of members are resources themselves."""
    schemata = REFERENCE['types'].get(kind, {}).get('properties', {})
    own = {name: each for name, each in schemata.items() if name not in SPECIAL}
    special = {
        name: definitions if SPECIAL[name] == 'definitions' else st.deferred(lambda: template_texts)
        for name in SPECIAL
        if name in schemata
    }
    return st.builds(
        lambda mine, more: {**mine, **more}, _properties(own), st.fixed_dictionaries(special)
    )


def _resource(spelling, kinds):
    return kinds.flatmap(
        lambda kind: st.fixed_dictionaries(
            {
                spelling('type'): st.just(kind),
                spelling('properties'): mostly(
                    properties_of(kind) if isinstance(kind, str) else snippets
                ),
            },
            optional=_resource_keys(spelling),
        )
    )


@functools.cache
def _resource_keys(spelling):
    return {
        spelling('metadata'): mostly(st.dictionaries(names, snippets, max_size=2)),
        spelling('depends_on'): mostly(names | st.lists(names, max_size=3)),
        spelling('deletion_policy'): mostly(
            st.sampled_from(['Delete', 'Retain', 'delete', 'Snapshot'])
        ),
        spelling('update_policy'): maps
        | st.dictionaries(
            st.sampled_from(['batch_create', 'rolling_update', 'AutoScalingRollingUpdate']),
            maps,
            max_size=2,
        ),
        spelling('description'): mostly(texts),
        spelling('condition'): conditions,
        'external_id': snippets,
    }


member_types = mostly(
    st.sampled_from(
        ['OS::Heat::None', 'OS::Heat::RandomString', 'OS::Heat::ResourceGroup', 'f.yaml']
    )
)
definitions = st.deferred(
    lambda: mostly(
        member_types.flatmap(
            lambda kind: st.fixed_dictionaries(
                {'type': st.just(kind)},
                optional={'properties': properties_of(kind) if isinstance(kind, str) else maps},
            )
        )
    )
)


def _resources(spelling):
    return _resource(spelling, mostly(types))


def _sections(spelling, parameters):
    resources = _resources(spelling)
    output = st.fixed_dictionaries(
        {spelling('value'): snippets},
        optional={spelling('description'): scalars, spelling('condition'): conditions},
    )

    def section(usual, strategy):
        fixed = {name: mostly(strategy) for name in usual}
        return mostly(
            st.fixed_dictionaries(fixed)
            | st.fixed_dictionaries({}, optional=fixed)
            | st.dictionaries(names, mostly(strategy), max_size=2)
        )

    return {
        spelling('description'): texts,
        spelling('parameters'): section('pq', parameters),
        spelling('conditions'): section('c', conditions),
        spelling('resources'): section('rs', resources),
        spelling('outputs'): section('o', output),
    }


def _hot_word(name):
    return name


def _cfn_word(name):
    return ''.join(word.capitalize() for word in name.split('_'))


groups = mostly(
    st.lists(
        mostly(
            st.fixed_dictionaries(
                {},
                optional={
                    'label': scalars,
                    'description': scalars,
                    'parameters': mostly(st.lists(names | scalars, max_size=3)),
                },
            )
        ),
        max_size=3,
    )
)
hot = st.fixed_dictionaries(
    {
        'heat_template_version': mostly(
            st.sampled_from(sorted(versions.TABLE['heat_template_version']))
        )
    },
    optional={**_sections(_hot_word, hot_parameters), 'parameter_groups': groups},
)
cfn = st.one_of(
    st.fixed_dictionaries(
        {key: mostly(st.just(version))},
        optional={
            **_sections(_cfn_word, cfn_parameters),
            'Mappings': mostly(st.dictionaries(names, st.dictionaries(names, maps, max_size=2))),
        },
    )
    for key, version in (
        ('AWSTemplateFormatVersion', '2010-09-09'),
        ('HeatTemplateFormatVersion', '2012-12-12'),
    )
)
templates = mostly(hot | hot | cfn)


def as_yaml(value):
    """Return YAML of a value, or JSON where YAML has no word for it."""
    try:
        return yaml.safe_dump(value, allow_unicode=True)
    except (yaml.YAMLError, UnicodeError, RecursionError):
        return json.dumps(value)


#: YAML whose parsers differ from those of JSON
YAML_TEXTS = [
    'heat_template_version: 2021-04-16\nresources: 1\n',
    'heat_template_version: 2021-04-16\nheat_template_version: 2021-04-16\n',
    'heat_template_version: 2021-04-16\nparameters: &a {p: *a}\n',
    'heat_template_version: 2021-04-16\noutputs: {o: {value: ' + '[' * 3000 + '}}',
    'heat_template_version: 2021-04-16\n' + '- ' * 3000,
    'heat_template_version: 2021-04-16\noutputs:\n  o: {value: 1:1:1}\n  ? [a]\n  : 1\n',
    'heat_template_version: 2021-04-16\noutputs: {o: {value: !!binary "/w=="}}\n',
    'heat_template_version: 2021-04-16\noutputs: {o: {value: .nan}, p: {value: 2001-13-45}}\n',
    'heat_template_version: 2021-04-16\noutputs: {o: {value: !!timestamp 0000-00-00}}\n',
    'heat_template_version: 2021-04-16\noutputs: {o: {value: 0x' + 'f' * 400 + '}}\n',
    'heat_template_version: 2021-04-16\noutputs: {o: {value: ' + '1' * 5000 + '}}\n',
    'heat_template_version: 2021-04-16\noutputs: {o: {value: "\\ud800"}}\n',
    'heat_template_version: 2021-04-16\noutputs: {o: {value: "\\0"}}\n',
    'heat_template_version: 2021-04-16\noutputs: {o: {value: !!set {a, b}}}\n',
    'heat_template_version: 2021-04-16\noutputs: {o: {value: !!omap [a: 1]}}\n',
    'heat_template_version: 2021-04-16\nresources: {<<: [1]}\n',
    'heat_template_version: 2021-04-16\nresources: {<<: {r: {type: OS::Heat::None}}}\n',
    '%YAML 9.9\n---\nheat_template_version: 2021-04-16\n',
    '--- a\n--- b\n',
]
template_texts = templates.map(as_yaml) | templates.map(json.dumps) | st.sampled_from(YAML_TEXTS)

registry_keys = types | st.sampled_from(
    ['resources', 'r', '*', 'OS::*', 'hooks', 'restricted_actions', 'base_url']
)
registries = st.recursive(
    texts
    | types
    | st.sampled_from(['pre-create', 'post-update', ['pre-delete'], 'update', 'replace', ['x']])
    | scalars,
    lambda inner: st.dictionaries(registry_keys | keys, inner, max_size=3),
    max_leaves=6,
)
strategies = st.sampled_from(['overwrite', 'merge', 'deep_merge', 'x'])
environments = mostly(
    st.fixed_dictionaries(
        {},
        optional={
            'parameters': mostly(st.dictionaries(names, values, max_size=3)),
            'parameter_defaults': mostly(st.dictionaries(names, values, max_size=3)),
            'resource_registry': mostly(registries),
            'encrypted_param_names': mostly(st.lists(names | scalars, max_size=3)),
            'event_sinks': mostly(
                st.lists(
                    mostly(
                        st.fixed_dictionaries(
                            {'type': mostly(st.sampled_from(['zaqar-queue', 'x', {}, []]))},
                            optional={'target': values, 'ttl': values},
                        )
                    ),
                    max_size=3,
                )
            ),
            'parameter_merge_strategies': mostly(
                strategies | st.dictionaries(names | st.just('default'), strategies | scalars)
            ),
        },
    )
)

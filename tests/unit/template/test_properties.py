import pytest

from heat_lite.common import exception
from heat_lite.template import checks, function, translation
from heat_lite.template.constraints import AllowedValues, Length, Range
from heat_lite.template.properties import Properties, changed
from heat_lite.template.schema import any_, boolean, integer, list_, map_, number, string
from heat_lite.template.unknown import LIST, STRING, Unknown

RANDOM = {
    'length': integer(default=32, constraints=[Range(1, 512)]),
    'character_classes': list_(
        None,
        map_(
            None,
            {
                'class': string(
                    default='lettersdigits',
                    constraints=[AllowedValues(['digits', 'lettersdigits'])],
                ),
                'min': integer(default=1, constraints=[Range(1, 512)]),
            },
        ),
        default=[{'class': 'lettersdigits', 'min': 1}],
    ),
    'salt': string(),
}
TEST = {
    'value': string(default='test_string', update_allowed=True),
    'fail': boolean(default=False),
    'wait_secs': number(default=0),
    'action_wait_secs': map_(None, {'create': number(), 'update': number()}),
    'free': map_(),
    'items': list_(),
    'note': string(),
}


class Attribute(function.Function):
    """A function whose value is its argument or an injected value."""

    def result(self, scope):
        return scope.get(self.args, self.args) if isinstance(scope, dict) else self.args

    def resource_name(self):
        return 'other'


def read(schemata, data, **options):
    return Properties(schemata, data, **options).resolved()


def error_of(schemata, data, **options):
    with pytest.raises(exception.HeatException) as caught:
        Properties(schemata, data, **options).validate()
    return str(caught.value)


def test_property_not_given_has_its_default():
    assert read(TEST, {}) == {
        'value': 'test_string',
        'fail': False,
        'wait_secs': 0,
        'action_wait_secs': None,
        'free': None,
        'items': None,
        'note': None,
    }


def test_property_null_becomes_default_or_empty():
    assert read(TEST, dict.fromkeys(TEST)) == {
        'value': 'test_string',
        'fail': False,
        'wait_secs': 0,
        'action_wait_secs': {'create': None, 'update': None},
        'free': {},
        'items': [],
        'note': '',
    }
    assert read(
        {'n': integer(), 'f': number(), 'b': boolean(), 'a': any_()},
        {'n': None, 'f': None, 'b': None, 'a': None},
    ) == {
        'n': 0,
        'f': 0,
        'b': False,
        'a': None,
    }


@pytest.mark.parametrize(
    ('key', 'given', 'value'),
    [
        ('value', 5, '5'),
        ('value', True, 'True'),
        ('value', '', ''),
        ('fail', 'tRuE', True),
        ('fail', 'False', False),
        ('wait_secs', '3.0', 3.0),
        ('wait_secs', '3', 3),
        ('wait_secs', True, True),
        ('action_wait_secs', {'create': '5'}, {'create': 5, 'update': None}),
        ('action_wait_secs', {'create': None}, {'create': 0, 'update': None}),
        ('free', {'a': [1]}, {'a': [1]}),
        ('items', (1, 2), (1, 2)),
    ],
)
def test_property_value_is_converted(key, given, value):
    got = Properties(TEST, {key: given})[key]
    assert got == value and type(got) is type(value)


@pytest.mark.parametrize(
    ('given', 'value'), [(8.5, 8), ('8', 8), (' 8 ', 8), (True, 1), (None, 32)]
)
def test_integer_property_is_converted(given, value):
    assert Properties(RANDOM, {'length': given})['length'] == value


@pytest.mark.parametrize('given', [[None], [{}], [{'class': None}]])
def test_list_items_get_defaults(given):
    assert Properties(RANDOM, {'character_classes': given})['character_classes'] == [
        {'class': 'lettersdigits', 'min': 1}
    ]


@pytest.mark.parametrize(
    ('schemata', 'data', 'text'),
    [
        (TEST, {'zoo': 2, 'foo': 1}, 'properties: Unknown Property zoo'),
        (TEST, {'wait_secs': 'x', 'zoo': 2}, 'properties: Unknown Property zoo'),
        (TEST, {'value': 1.5}, 'properties.value: Value must be a string; got 1.5'),
        (TEST, {'value': ['a']}, 'properties.value: Value must be a string; got ["a"]'),
        (TEST, {'fail': 'yes'}, 'properties.fail: "yes" is not a valid boolean'),
        (TEST, {'fail': 0}, 'properties.fail: "0" is not a valid boolean'),
        (TEST, {'fail': []}, 'properties.fail: [] is not a valid boolean'),
        (TEST, {'wait_secs': 'x'}, 'properties.wait_secs: "x" is not a number'),
        (TEST, {'action_wait_secs': 'x'}, 'properties.action_wait_secs: "x" is not a map'),
        (TEST, {'action_wait_secs': []}, 'properties.action_wait_secs: [] is not a map'),
        (
            TEST,
            {'action_wait_secs': {'foo': 1}},
            'properties.action_wait_secs: Unknown Property foo',
        ),
        (
            TEST,
            {'action_wait_secs': {'create': 'x'}},
            'properties.action_wait_secs.create: "x" is not a number',
        ),
        (RANDOM, {'length': '8.0'}, "properties.length: Value '8.0' is not an integer"),
        (RANDOM, {'length': float('inf')}, "properties.length: Value 'inf' is not an integer"),
        (RANDOM, {'length': 0}, 'properties.length: 0 is out of range (min: 1, max: 512)'),
        (RANDOM, {'character_classes': 'a'}, 'properties.character_classes: "a" is not a list'),
        (
            RANDOM,
            {'character_classes': {'class': 'x'}},
            'properties.character_classes: {"class": "x"} is not a list',
        ),
        (
            RANDOM,
            {'character_classes': [{'foo': 1}]},
            'properties.character_classes[0]: Unknown Property foo',
        ),
        (
            RANDOM,
            {'character_classes': [{}, {'min': 0}]},
            'properties.character_classes[1].min: 0 is out of range (min: 1, max: 512)',
        ),
        (
            RANDOM,
            {'character_classes': ['digits']},
            'properties.character_classes[0]: "digits" is not a map',
        ),
    ],
)
def test_property_invalid_value_is_refused(schemata, data, text):
    assert error_of(schemata, data) == f'Property error: {text}'


def test_required_property_missing_is_refused():
    schemata = {'def': map_(None, {'type': string(required=True)}, required=True)}
    assert error_of(schemata, {}) == 'Property error: properties: Property def not assigned'
    assert (
        error_of(schemata, {'def': {}})
        == 'Property error: properties.def: Property type not assigned'
    )
    Properties(schemata, {}).validate(with_value=False)


def test_property_not_implemented_is_refused():
    schemata = {'Serial': integer(implemented=False)}
    Properties(schemata, {}).validate()
    assert (
        error_of(schemata, {'Serial': 5})
        == 'Property error: properties: Property Serial not implemented yet'
    )


def test_validate_without_values_checks_names_only():
    Properties(TEST, {'wait_secs': 'x'}).validate(with_value=False)
    with pytest.raises(exception.StackValidationFailed):
        Properties(TEST, {'zoo': 'x'}).validate(with_value=False)


def test_property_null_is_checked_after_conversion():
    assert error_of({'s': string(constraints=[Length(2)])}, {'s': None}).endswith(
        'length (0) is out of range (min: 2)'
    )
    Properties({'s': string(default='x', constraints=[Length(2)])}, {}).validate()


def test_property_read_error_contains_the_resource():
    properties = Properties(TEST, {'wait_secs': 'x'}, name='r')
    with pytest.raises(exception.StackValidationFailed) as caught:
        properties['wait_secs']
    assert str(caught.value) == 'Property error: r.Properties.wait_secs: "x" is not a number'
    with pytest.raises(KeyError, match='r: Invalid Property zz'):
        properties['zz']


def test_property_functions_are_resolved_at_each_read():
    world = {'a': 5}
    properties = Properties(
        RANDOM, {'length': Attribute('get', 'a')}, lambda snippet: function.resolve(snippet, world)
    )
    assert properties['length'] == 5
    world['a'] = 7
    assert properties['length'] == 7


def test_property_constant_value_is_cached():
    asked = []
    properties = Properties(
        TEST, {'free': {'a': 1}}, lambda snippet: asked.append(snippet) or snippet
    )
    assert properties['free'] is properties['free']
    assert len(asked) == 1


def test_unknown_part_of_a_property_waits_while_the_rest_is_checked():
    unknown = Unknown(STRING, ['other.show'])
    Properties(RANDOM, {'character_classes': [{'class': unknown, 'min': 2}]}).validate()
    with pytest.raises(exception.StackValidationFailed, match='Unknown Property zz'):
        Properties(RANDOM, {'character_classes': [{'class': unknown, 'zz': 1}]}).validate()
    with pytest.raises(exception.StackValidationFailed, match='is not an integer'):
        Properties(RANDOM, {'character_classes': [{'class': unknown, 'min': 'x'}]}).validate()


def test_unknown_list_with_known_items_checks_these():
    def given(*items):
        return {'character_classes': Unknown(LIST, ['other.list'], known=items)}

    Properties(RANDOM, given({'class': 'digits'})).validate()
    with pytest.raises(exception.StackValidationFailed, match='not an allowed value'):
        Properties(RANDOM, given({'class': 'none'})).validate()


def test_preview_shows_names_of_objects_as_given():
    schemata = {'image': string(ref='glance.image'), 'size': integer(default=1)}
    found = Properties(schemata, {'image': 'cirros'}, find=lambda kind, value: 'an id')
    assert found.preview() == {'image': 'cirros', 'size': 1}
    assert found['image'] == 'an id'


def test_property_lookup_and_find_are_called():
    schemata = {
        'net': string(ref='net'),
        'nets': list_(None, map_(None, {'net': string(ref='net'), 'x': string()})),
    }
    data = {'net': 'a', 'nets': [{'net': 'b', 'x': 'a'}, {'x': 'y'}]}
    options = {
        'lookup': lambda kind, value: None if value in 'ab' else f'no {kind}',
        'find': lambda kind, value: f'id-{value}',
    }
    Properties(schemata, data, **options).validate()
    assert read(schemata, data, **options) == {
        'net': 'id-a',
        'nets': [{'net': 'id-b', 'x': 'a'}, {'net': None, 'x': 'y'}],
    }
    assert (
        error_of(schemata, {'net': 'q'}, **options)
        == "Property error: properties.net: Error validating value 'q': no net"
    )


def test_property_object_not_found_is_refused():
    def find(kind, value):
        raise checks.property_error(f'no {kind} {value}')

    schemata = {
        'net': string(ref='net'),
        'nets': list_(None, map_(None, {'net': string(ref='net', resolves='net')})),
    }
    found = Properties(
        schemata,
        {'nets': [{}, {'net': 'b'}]},
        find=find,
        lookup=lambda kind, value: None,
        name='one',
    )
    with pytest.raises(
        exception.StackValidationFailed,
        match=r'Property error: one.Properties.nets\[1\].net: no net b',
    ):
        found['nets']
    assert found.value_without_lookup('nets') == [{'net': None}, {'net': 'b'}]


PORT = {
    'network': string(required=True),
    'network_id': string(alias_of='network'),
    'ips': list_(None, map_(None, {'subnet': string(), 'subnet_id': string(alias_of='subnet')})),
}


def test_property_alias_gives_the_value():
    assert read(PORT, {'network_id': 'n', 'ips': [{'subnet_id': 's'}, {'subnet': 't'}]}) == {
        'network': 'n',
        'network_id': None,
        'ips': [{'subnet': 's', 'subnet_id': None}, {'subnet': 't', 'subnet_id': None}],
    }
    assert Properties(PORT, {'network_id': 'n'}).given() == {'network': 'n'}


@pytest.mark.parametrize(
    ('data', 'names'),
    [
        ({'network': 'a', 'network_id': 'b'}, 'network, network_id'),
        ({'network': 'a', 'ips': [{'subnet': 'a', 'subnet_id': 'b'}]}, 'ips.subnet, ips.subnet_id'),
    ],
)
def test_property_and_alias_together_are_refused(data, names):
    assert (
        error_of(PORT, data) == f'Cannot define the following properties at the same time: {names}'
    )


def test_translation_rules_are_applied():
    rules = (translation.Replace(('classes',), ('sequence',)),)
    schemata = {'classes': string(), 'sequence': string()}
    assert read(schemata, {'sequence': 'x'}, rules=rules) == {'classes': 'x', 'sequence': None}
    world = {'a': 'later'}
    properties = Properties(
        schemata,
        {'sequence': Attribute('get', 'a')},
        lambda part: function.resolve(part, world),
        rules=rules,
    )
    assert properties['classes'] == 'later'
    assert error_of(schemata, {'sequence': 'x', 'classes': 'y'}, rules=rules).endswith(
        'classes, sequence'
    )


def test_allow_conversion_accepts_strings():
    schemata = {'l': list_(allow_conversion=True), 'm': map_(allow_conversion=True)}
    assert read(schemata, {'l': 'x,y', 'm': '{"a": 1}'}) == {'l': ['x', 'y'], 'm': '{"a": 1}'}
    assert read(schemata, {'l': '', 'm': ['a']}) == {'l': [], 'm': ['a']}
    assert error_of(schemata, {'m': 5}) == 'Property error: properties.m: "5" is not a map'
    assert error_of(schemata, {'l': 5}) == 'Property error: properties.l: "5" is not a list'


def test_user_value_and_given_return_unconverted_values():
    properties = Properties(TEST, {'value': 5, 'note': None})
    assert properties.user_value('value') == 5
    assert properties.user_value('wait_secs') is None
    assert properties.given() == {'value': '5'}


def test_changed_returns_names_of_differences():
    before, after = (
        Properties(TEST, {'value': 'a', 'note': '5'}),
        Properties(TEST, {'value': 'b', 'note': 5}),
    )
    assert changed(before, after) == {'value'}
    assert changed({'a': 1}, {'b': None, 'a': 1}) == set()


def test_property_default_is_not_shared():
    schemata = {'m': map_(default={'a': 1}), 'l': list_(default=[1])}
    first = read(schemata, {})
    first['m']['b'] = 2
    first['l'].append(2)
    assert read(schemata, {}) == {'m': {'a': 1}, 'l': [1]}


@pytest.mark.parametrize(('default', 'value'), [('true', True), ('false', False), (False, False)])
def test_boolean_whose_default_is_a_text_reads_as_boolean(default, value):
    schemata = {'enabled': boolean(default=default)}
    assert read(schemata, {}) == {'enabled': value} == read(schemata, {'enabled': None})

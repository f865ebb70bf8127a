"""Converted templates: the values of functions are those of the original."""

import pytest

from heat_lite.template.conversion import cfn_reader, cfn_to_hot
from tests.unit.template import static_scope

PARAMETERS = """
Parameters:
  Text: {Type: String, Default: word}
  Number: {Type: Number, Default: 3, MinValue: 1, MaxValue: 9}
  List: {Type: CommaDelimitedList, Default: 'a,b,c'}
  Json: {Type: Json, Default: '{"k": {"l": [1, 2]}, "0": "zero"}'}
  Flag: {Type: Boolean, Default: 'true'}
  Stage: {Type: String, Default: test, AllowedValues: [test, live]}
  Free: {Type: String, Default: test}
  Secret: {Type: String, Default: abc, NoEcho: true, MinLength: 2, ConstraintDescription: two}
Mappings:
  Sizes:
    test: {small: 1, list: [x, y]}
    live: {small: 5, list: [z]}
  Unused: {a: {b: c}}
Conditions:
  Live: {'Fn::Equals': [{Ref: Stage}, live]}
  Both: {'Fn::And': [Live, {'Fn::Not': [{'Fn::Equals': [{Ref: Text}, other]}]}]}
  Either: {'Fn::Or': [Live, {'Fn::Equals': [{'Fn::FindInMap': [Sizes, test, small]}, 1]}]}
  Not: {'Fn::Not': [Live]}
Resources:
  Value: {Type: OS::Heat::Value, Properties: {value: [one, two]}}
  Dormant: {Type: OS::Heat::Value, Condition: Live, DependsOn: Value, Properties: {value: 1}}
"""
#: calls whose values do not depend on what a cloud does
CALLS = {
    'Text': '{Ref: Text}',
    'Number': '{Ref: Number}',
    'List': '{Ref: List}',
    'Json': '{Ref: Json}',
    'Flag': '{Ref: Flag}',
    'Secret': '{Ref: Secret}',
    'Reference': '{Ref: Value}',
    'StackName': "{Ref: 'AWS::StackName'}",
    'StackId': "{Ref: 'AWS::StackId'}",
    'Region': "{Ref: 'AWS::Region'}",
    'Attribute': "{'Fn::GetAtt': [Value, value]}",
    'Join': "{'Fn::Join': ['-', [a, {Ref: Text}, {'Fn::Join': ['', [b]]}]]}",
    'JoinList': "{'Fn::Join': ['-', {Ref: List}]}",
    'Split': "{'Fn::Split': [o, {Ref: Text}]}",
    'Replace': "{'Fn::Replace': [{$x: {Ref: Text}}, 'is $x']}",
    'Base64': "{'Fn::Base64': {Ref: Text}}",
    'SelectConstant': "{'Fn::Select': ['1', [a, {Ref: Text}]]}",
    'SelectMissing': "{'Fn::Select': [7, [a]]}",
    'SelectKey': "{'Fn::Select': [b, {a: 1, b: {Ref: Number}}]}",
    'SelectList': "{'Fn::Select': [2, {Ref: List}]}",
    'SelectListMissing': "{'Fn::Select': ['9', {Ref: List}]}",
    'SelectListBy': "{'Fn::Select': [{'Fn::Select': ['0', ['1']]}, {Ref: List}]}",
    'SelectJson': "{'Fn::Select': [k, {Ref: Json}]}",
    'SelectJsonMissing': "{'Fn::Select': [none, {Ref: Json}]}",
    'SelectAttribute': "{'Fn::Select': ['1', {'Fn::GetAtt': [Value, value]}]}",
    'SelectSplit': "{'Fn::Select': ['1', {'Fn::Split': [o, {Ref: Text}]}]}",
    'SelectMapping': "{'Fn::Select': ['1', {'Fn::FindInMap': [Sizes, test, list]}]}",
    'FindConstant': "{'Fn::FindInMap': [Sizes, live, small]}",
    'FindAllowed': "{'Fn::FindInMap': [Sizes, {Ref: Stage}, list]}",
    'FindFree': "{'Fn::FindInMap': [Sizes, {Ref: Free}, small]}",
    'If': "{'Fn::If': [Live, {Ref: Text}, {'Fn::If': [Both, 1, 2]}]}",
    'IfEither': "{'Fn::If': [Either, yes it is, no it is not]}",
    'IfNot': "{'Fn::If': [Not, [1, {a: {Ref: Number}}], 2]}",
}


def converted(text):
    return cfn_to_hot.convert(cfn_reader.parse(text, 'x'))


def template(outputs):
    rows = ''.join(f'  {name}: {{Value: {call}}}\n' for name, call in outputs.items())
    return f"AWSTemplateFormatVersion: '2010-09-09'\n{PARAMETERS}Outputs:\n{rows}"


@pytest.mark.parametrize('name', CALLS)
@pytest.mark.parametrize(
    'given',
    [
        {},
        {'Stage': 'live', 'Free': 'live', 'List': 'x', 'Json': '{}', 'Text': 'foo', 'Number': '4'},
    ],
    ids=['defaults', 'given'],
)
def test_function_has_the_same_value_in_hot(name, given):
    text = template({name: CALLS[name]})
    done = converted(text)
    assert done.problems == []
    before = static_scope.resolve_outputs(cfn_reader.parse(text, 'x'), params=given)
    after = static_scope.resolve_outputs(done.data, params=given)
    assert after == before
    assert before[name][1] is None


def test_missing_key_of_a_mapping_fails_in_both():
    text = template({'Find': CALLS['FindFree']})
    for data in (cfn_reader.parse(text, 'x'), converted(text).data):
        value, error = static_scope.resolve_outputs(data, params={'Free': 'none'})['Find']
        assert value is None and error


def test_parameter_keeps_its_constraints():
    parameters = converted(template({'a': '1'})).data['parameters']
    assert parameters['Number']['constraints'] == [{'range': {'min': 1, 'max': 9}}]
    assert parameters['Secret'] == {
        'type': 'string',
        'default': 'abc',
        'hidden': True,
        'constraints': [{'length': {'min': 2}, 'description': 'two'}],
    }
    assert parameters['Stage']['constraints'] == [{'allowed_values': ['test', 'live']}]


def test_parts_of_a_resource_keep_their_meaning():
    done = converted(
        "HeatTemplateFormatVersion: '2012-12-12'\nDescription: text\nResources:\n  A:\n"
        '    {Type: T, Description: d, DependsOn: [B], DeletionPolicy: Retain,\n'
        '     Metadata: {m: {Ref: B}}, UpdatePolicy: {RollingUpdate: {MinInstancesInService: 1}}}\n'
        '  B: {Type: U}\n'
    )
    assert done.problems == [] and done.data['description'] == 'text'
    assert done.data['resources']['A'] == {
        'type': 'T',
        'description': 'd',
        'depends_on': ['B'],
        'deletion_policy': 'Retain',
        'metadata': {'m': {'get_resource': 'B'}},
        'update_policy': {'RollingUpdate': {'MinInstancesInService': 1}},
    }


@pytest.mark.parametrize(
    'outputs, path, text',
    [
        ("{'Fn::GetAZs': ''}", 'Fn::GetAZs', 'name the zones'),
        ("{'Fn::Cidr': [a, b]}", 'Fn::Cidr', 'no equivalent of Fn::Cidr'),
        ('{Ref: Nothing}', 'Ref', 'Nothing is neither a parameter nor a resource'),
        ("{Ref: 'AWS::NoValue'}", 'Ref', 'AWS::NoValue is neither'),
        ("{'Fn::Join': [a]}", 'Fn::Join', 'two arguments'),
        ("{'Fn::Select': ['0', {Ref: Text}]}", 'Fn::Select', 'equivalent for constants'),
        ("{'Fn::FindInMap': [Sizes, none, small]}", 'Fn::FindInMap', 'has no none small'),
        ("{'Fn::FindInMap': [None, a, b]}", 'Fn::FindInMap', "no mapping 'None'"),
        ("{'Fn::MemberListToMap': [a, b, []]}", 'Fn::MemberListToMap', 'write the map'),
        ('{get_param: Text}', 'get_param', 'a call of the function get_param'),
    ],
)
def test_part_without_equivalent_is_named_with_its_path(outputs, path, text):
    done = converted(template({'Out': outputs}))
    [problem] = done.problems
    assert problem.path == ('Outputs', 'Out', 'Value', path) and text in problem.text


@pytest.mark.parametrize(
    'more, path',
    [
        ('Transform: AWS::Serverless-2016-10-31\n', ('Transform',)),
        ('Resources: {A: {Type: T, CreationPolicy: {}}}\n', ('Resources', 'A', 'CreationPolicy')),
        ('Outputs: {A: {Value: 1, Export: {}}}\n', ('Outputs', 'A', 'Export')),
        ("Parameters: {A: {Type: 'AWS::SSM::Name'}}\n", ('Parameters', 'A', 'Type')),
        ('Parameters: {A: {Type: String, Other: 1}}\n', ('Parameters', 'A', 'Other')),
        ('Parameters: {A: {Type: String}}\nResources: {A: {Type: T}}\n', ('Parameters', 'A')),
        ('Resources: [1]\n', ('Resources',)),
        ('Resources: {A: 1}\n', ('Resources', 'A')),
    ],
)
def test_keys_without_equivalent_are_problems(more, path):
    done = converted(f"AWSTemplateFormatVersion: '2010-09-09'\n{more}")
    assert [problem.path for problem in done.problems] == [path]


def test_notes_name_what_changes():
    text = template({'Find': CALLS['FindAllowed'], 'Region': CALLS['Region']})
    notes = [note.text for note in converted(text).notes]
    assert 'the mapping Unused is not used, and left out' in notes
    assert 'a mapping is read by keys from parameters: it becomes the parameter Sizes' in notes
    assert 'AWS::Region becomes the parameter Region, with the default of Heat' in notes


def test_short_forms_of_functions_are_read():
    done = converted(
        'AWSTemplateFormatVersion: 2010-09-09\n'
        "Parameters: {Key: {Type: 'AWS::EC2::KeyPair::KeyName'}, Live: {Type: String}}\n"
        'Conditions: {IsLive: !Equals [!Ref Live, "yes"], Same: !Condition IsLive}\n'
        'Resources:\n'
        '  Server:\n'
        '    Type: AWS::EC2::Instance\n'
        '    Properties:\n'
        '      KeyName: !If [IsLive, !Ref Key, !Ref AWS::NoValue]\n'
        '      UserData: !Base64 {"Fn::Sub": "echo ${Key} ${Server.PublicIp} ${!HOME} ${Key}"}\n'
        'Outputs: {Address: {Value: !GetAtt Server.PublicIp}}\n'
    )
    assert done.problems == []
    assert done.data['parameters']['Key'] == {
        'type': 'string',
        'constraints': [{'custom_constraint': 'nova.keypair'}],
    }
    assert done.data['conditions']['Same'] == {'and': ['IsLive', 'IsLive']}
    assert done.data['resources']['Server']['properties'] == {
        'KeyName': {'if': ['IsLive', {'get_param': 'Key'}]},
        'UserData': {
            'str_replace': {
                'template': 'echo ${Key} ${Server.PublicIp} ${!HOME} ${Key}',
                'params': {
                    '${Key}': {'get_param': 'Key'},
                    '${Server.PublicIp}': {'get_attr': ['Server', 'PublicIp']},
                    '${!HOME}': '${HOME}',
                },
            }
        },
    }
    assert done.data['outputs']['Address']['value'] == {'get_attr': ['Server', 'PublicIp']}


def test_condition_that_the_version_does_not_read_is_left_out_with_a_note():
    text = '2012-12-12\nResources: {R: {Type: "OS::Heat::None", Condition: C}}\n'
    done = converted('HeatTemplateFormatVersion: ' + text)
    assert done.problems == [] and done.data['resources'] == {'R': {'type': 'OS::Heat::None'}}
    assert [note.path for note in done.notes] == [('Resources', 'R', 'Condition')]

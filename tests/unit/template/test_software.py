import pytest

from heat_lite.common import exception
from heat_lite.template import software


def test_inputs_and_outputs_have_a_normal_form():
    given = {'default': '5', 'type': 'Number', 'name': 'i', 'description': 'd', 'replace_on_change': 'true'}
    made = software.input_(given)
    assert made == {'name': 'i', 'description': 'd', 'type': 'Number', 'default': 5, 'replace_on_change': True}
    assert list(made) == ['name', 'description', 'type', 'default', 'replace_on_change']
    assert software.input_({'name': 'i'}) == {'name': 'i', 'type': 'String'}
    assert software.input_({'name': 'i', 'default': {'a': 1}})['default'] == {'a': 1}, 'texts are not made of what is none'
    assert software.output({'name': 'o'}) == {'name': 'o', 'type': 'String', 'error_output': False}


@pytest.mark.parametrize(
    'given, said',
    [
        ('x', 'is a map'),
        ({'type': 'String'}, 'needs a name'),
        ({'name': 'i', 'type': 'Foo'}, "the type 'Foo' is none of String"),
        ({'name': 'i', 'bogus': 1}, 'has no "bogus"'),
        ({'name': 'i', 'type': 'Number', 'default': 'abc'}, "'abc' is not a number"),
        ({'name': 'i', 'replace_on_change': 'maybe'}, 'replace_on_change is true or false'),
    ],
)
def test_what_is_no_input(given, said):
    with pytest.raises(exception.Invalid, match=said):
        software.input_(given)


def test_values_go_to_known_inputs_first():
    inputs = [{'name': 'a', 'type': 'String', 'default': 'x'}, {'name': 'b', 'type': 'Number'}]
    made = software.with_values(inputs, {'b': 2, 'c': 3}, [software.told('deploy_action', 'what', 'CREATE')])
    assert [(each['name'], each['value']) for each in made] == [('a', 'x'), ('b', 2), ('c', 3), ('deploy_action', 'CREATE')]


def test_another_value_may_ask_for_a_new_deployment():
    def inputs(value, replace=True):
        return [{'name': 'a', 'value': value, 'replace_on_change': replace}]

    assert software.replaced_by(inputs(2), inputs(1))
    assert not software.replaced_by(inputs(1), inputs(1))
    assert not software.replaced_by(inputs(2, replace=False), inputs(1))
    assert not software.replaced_by(inputs(2), []), 'an input that is new'


def test_inputs_become_values_in_maps():
    config = {'x': {'get_input': 'a'}, 'y': [{'get_input': 'q'}, {'deeper': {'get_input': 'a'}}], 'z': {'get_input': 'a', 'k': 1}}
    made = software.filled(config, {'a': 1}, 'get_input', software.LAX)
    assert made == {'x': 1, 'y': [None, {'deeper': 1}], 'z': {'get_input': 'a', 'k': 1}}
    assert software.filled(config, {'a': 1}, 'other', software.LAX) == config
    with pytest.raises(exception.UserParameterMissing, match=r'The Parameter \(q\) was not provided'):
        software.filled(config, {'a': 1}, 'get_input', software.STRICT)


@pytest.mark.parametrize('code, fails', [(0, False), ('0', False), (None, False), (7, True), ('1', True)])
def test_what_an_exit_status_means(code, fails):
    outcome = software.outcome([], {'deploy_status_code': code}, {'kept': 1})
    assert bool(outcome.reasons) == fails
    assert outcome.outputs == {'kept': 1, 'deploy_stdout': None, 'deploy_stderr': None, 'deploy_status_code': code}


def test_outputs_that_tell_of_errors():
    outputs = [{'name': 'out'}, {'name': 'err', 'error_output': True}]
    outcome = software.outcome(outputs, {'out': 'o', 'err': 'bad', 'deploy_status_code': 2, 'unknown': 'x'}, None)
    assert outcome.reason() == 'deploy_status_code : Deployment exited with non-zero status code: 2, err : bad'
    assert outcome.outputs == {'out': 'o', 'err': 'bad', 'deploy_stdout': None, 'deploy_stderr': None, 'deploy_status_code': 2}

import pytest

from heat_lite.template import digest
from heat_lite.template.environment import Environment
from heat_lite.template.template import Template

VERSION = {'heat_template_version': '2021-04-16'}


def template(data=None, files=None, **environment):
    return Template({**VERSION, **(data or {})}, files, Environment(environment))


def test_the_same_is_the_same_whatever_the_order_of_keys():
    one = template({'description': 'd', 'resources': {'a': {'type': 'X'}, 'b': {'type': 'Y'}}}, parameters={'p': 1, 'q': 2})
    other = template({'resources': {'b': {'type': 'Y'}, 'a': {'type': 'X'}}, 'description': 'd'}, parameters={'q': 2, 'p': 1})
    assert digest.of(one, tags=['a']) == digest.of(other, tags=['a'])


def test_empty_sections_of_the_environment_say_nothing():
    assert digest.of(template()) == digest.of(template(parameters={}, event_sinks=[], resource_registry={}))
    assert digest.of(template()) == digest.of(Template(VERSION))


@pytest.mark.parametrize(
    'other',
    [
        template({'resources': {'a': {'type': 'X'}}}),
        template({'resources': {'a': {'type': 'OS::Heat::Value', 'properties': {'value': [2, 1]}}}}),
        template({'resources': {'a': {'type': 'OS::Heat::Value', 'properties': {'value': [1, 2]}}}}, {'f': 'x'}),
        template({'resources': {'a': {'type': 'OS::Heat::Value', 'properties': {'value': [1, 2]}}}}, parameters={'p': 1}),
        template({'resources': {'a': {'type': 'OS::Heat::Value', 'properties': {'value': ['1', 2]}}}}),
    ],
)
def test_any_difference_shows(other):
    one = template({'resources': {'a': {'type': 'OS::Heat::Value', 'properties': {'value': [1, 2]}}}})
    assert digest.of(one) != digest.of(other)


def test_options_and_key_count():
    made = [digest.of(template()), digest.of(template(), timeout=5), digest.of(template(), b'key'), digest.of(template(), tags=[])]
    assert len(set(made)) == len(made)


def test_values_that_json_does_not_know_are_taken_as_text():
    assert digest.of(template({'description': {1}})) == digest.of(template({'description': '{1}'}))

import pytest

from heat_lite.engine.resource import fingerprint
from heat_lite.template.environment import Environment
from heat_lite.template.template import Template

VERSION = {'heat_template_version': '2021-04-16'}


def template(data=None, files=None, **environment):
    return Template({**VERSION, **(data or {})}, files, Environment(environment))


def test_fingerprint_ignores_order_of_keys():
    one = template(
        {'description': 'd', 'resources': {'a': {'type': 'X'}, 'b': {'type': 'Y'}}},
        parameters={'p': 1, 'q': 2},
    )
    other = template(
        {'resources': {'b': {'type': 'Y'}, 'a': {'type': 'X'}}, 'description': 'd'},
        parameters={'q': 2, 'p': 1},
    )
    assert fingerprint.template_fingerprint(one, tags=['a']) == fingerprint.template_fingerprint(
        other, tags=['a']
    )


def test_fingerprint_ignores_empty_sections():
    assert fingerprint.template_fingerprint(template()) == fingerprint.template_fingerprint(
        template(parameters={}, event_sinks=[], resource_registry={})
    )
    assert fingerprint.template_fingerprint(template()) == fingerprint.template_fingerprint(
        Template(VERSION)
    )


@pytest.mark.parametrize(
    'other',
    [
        template({'resources': {'a': {'type': 'X'}}}),
        template(
            {'resources': {'a': {'type': 'OS::Heat::Value', 'properties': {'value': [2, 1]}}}}
        ),
        template(
            {'resources': {'a': {'type': 'OS::Heat::Value', 'properties': {'value': [1, 2]}}}},
            {'f': 'x'},
        ),
        template(
            {'resources': {'a': {'type': 'OS::Heat::Value', 'properties': {'value': [1, 2]}}}},
            parameters={'p': 1},
        ),
        template(
            {'resources': {'a': {'type': 'OS::Heat::Value', 'properties': {'value': ['1', 2]}}}}
        ),
    ],
)
def test_fingerprint_differs_by_any_part(other):
    one = template(
        {'resources': {'a': {'type': 'OS::Heat::Value', 'properties': {'value': [1, 2]}}}}
    )
    assert fingerprint.template_fingerprint(one) != fingerprint.template_fingerprint(other)


def test_fingerprint_ignores_names_of_encrypted_parameters():
    assert fingerprint.template_fingerprint(template()) == fingerprint.template_fingerprint(
        template(encrypted_param_names=['p'])
    )


def test_fingerprint_covers_options_and_key():
    made = [
        fingerprint.template_fingerprint(template()),
        fingerprint.template_fingerprint(template(), timeout=5),
        fingerprint.template_fingerprint(template(), b'key'),
        fingerprint.template_fingerprint(template(), tags=[]),
    ]
    assert len(set(made)) == len(made)


def test_fingerprint_takes_unknown_values_as_text():
    assert fingerprint.template_fingerprint(
        template({'description': {1}})
    ) == fingerprint.template_fingerprint(template({'description': '{1}'}))

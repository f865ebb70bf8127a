"""The work for a template of a thousand resources, which is twice that for five hundred."""

import pytest

from heat_lite.template import reader
from tests.effort import count_calls
from tests.unit.template import static_scope


def resource(number):
    before = f'r{number - 1:04}'
    value = {
        'text': {'str_replace': {'template': 'host-%n%', 'params': {'%n%': {'get_param': 'name'}}}},
        'joined': {'list_join': ['-', [{'get_param': 'name'}, str(number)]]},
        'chosen': {'if': ['large', {'get_param': ['sizes', 0]}, 'small']},
        'merged': {'map_merge': [{'a': 1}, {'b': {'get_param': 'name'}}]},
        'before': {'get_attr': [before, 'value', 'joined']} if number else 'none',
        'reference': {'get_resource': before} if number else 'none',
        'plain': {'list': ['a', 'b', 'c'], 'number': number},
    }
    return {
        'type': 'OS::Heat::Value',
        'properties': {'value': value},
        'depends_on': [before] if number else [],
    }


def template(count):
    return {
        'heat_template_version': '2021-04-16',
        'parameters': {
            'name': {'type': 'string', 'default': 'web'},
            'sizes': {'type': 'comma_delimited_list', 'default': 'm1.large,m1.small'},
        },
        'conditions': {'large': {'equals': [{'get_param': 'name'}, 'web']}},
        'resources': {f'r{number:04}': resource(number) for number in range(count)},
        'outputs': {'last': {'value': {'get_resource': f'r{count - 1:04}'}}},
    }


def text(count):
    lines = [f'  r{number}: {resource(number)!r}' for number in range(count)]
    return '\n'.join(['heat_template_version: 2021-04-16', 'resources:', *lines])


@pytest.mark.parametrize(
    ('work', 'make'), [(static_scope.validate, template), (reader.parse, text)]
)
def test_work_grows_with_the_number_of_resources(work, make):
    thousand, half = make(1000), make(500)
    assert count_calls(lambda: work(thousand)) < 2.2 * count_calls(lambda: work(half))

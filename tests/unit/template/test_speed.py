"""Time limits for a template of a thousand resources.

The limits are generous: they detect quadratic algorithms.
"""

import time

from heat_lite.template import reader
from tests.unit.template import static_scope

COUNT = 1000


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


def template():
    return {
        'heat_template_version': '2021-04-16',
        'parameters': {
            'name': {'type': 'string', 'default': 'web'},
            'sizes': {'type': 'comma_delimited_list', 'default': 'm1.large,m1.small'},
        },
        'conditions': {'large': {'equals': [{'get_param': 'name'}, 'web']}},
        'resources': {f'r{number:04}': resource(number) for number in range(COUNT)},
        'outputs': {'last': {'value': {'get_resource': f'r{COUNT - 1:04}'}}},
    }


def test_thousand_resources_bind_within_the_time_limit():
    data = template()
    begun = time.process_time()
    bound = static_scope.validate(data)
    spent = time.process_time() - begun
    assert len(bound.resources) == COUNT
    assert spent < 2, f'{spent:.2f} s for reading and checking {COUNT} resources'


def test_text_of_thousand_resources_is_read_within_the_time_limit():
    lines = [f'  r{number}: {resource(number)!r}' for number in range(COUNT)]
    text = '\n'.join(['heat_template_version: 2021-04-16', 'resources:', *lines])
    begun = time.process_time()
    data = reader.parse(text)
    spent = time.process_time() - begun
    assert len(data['resources']) == COUNT
    assert spent < 6, f'{spent:.2f} s for {len(text)} characters of YAML'

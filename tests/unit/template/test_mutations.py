"""Misspelt keywords and functions: the error names them, or the map is literal data.

Literal data are calls with a misspelt function name (a map with one unknown key is data), keys in
properties and metadata, names that the template author chooses, and unknown keys of outputs, which
Heat ignores.
"""

import copy
import json
from collections import Counter
from pathlib import Path

import pytest

from heat_lite.common import exception
from heat_lite.template import reader, versions
from heat_lite.template.function import ARGUMENT_ERRORS
from tests.unit.template import static_scope

FOLDER = Path(__file__).parents[2] / 'conformance'
FUNCTION_CASES = json.loads((FOLDER / 'function_cases.json').read_text())['cases']
REFUSALS = (exception.HeatException, *ARGUMENT_ERRORS)


def misspelt(word):
    """Return the keyword with a letter missing, a letter repeated and two letters swapped."""
    middle = len(word) // 2
    swapped = word[: middle - 1] + word[middle] + word[middle - 1] + word[middle + 1 :]
    return [
        text
        for text in (word[:middle] + word[middle + 1 :], word + word[-1], swapped)
        if text != word
    ]


def keys(part, path=()):
    """Yield ``(path of the map, key)`` of all keys of a tree."""
    if isinstance(part, dict):
        for key, value in part.items():
            yield path, key
            yield from keys(value, (*path, key))
    elif isinstance(part, list):
        for index, value in enumerate(part):
            yield from keys(value, (*path, index))


def at(part, path):
    for step in path:
        part = part[step]
    return part


def renamed(data, path, old, new):
    """Return the template with one key renamed in place."""
    data = copy.deepcopy(data)
    place = at(data, path)
    entries = [(new if key == old else key, value) for key, value in place.items()]
    place.clear()
    place.update(entries)
    return data


def outcome(data, files=None):
    """Return ``(error, outputs)``; one of them is None."""
    try:
        return None, static_scope.resolve_outputs(data, files)
    except REFUSALS as error:
        return str(error), None


def function_mutants():
    for case in FUNCTION_CASES:
        data = case['request'].get('template')
        data = reader.parse(data) if isinstance(data, str) else data
        version = versions.template_version(data)
        known = {*version.functions, *(version.condition_functions or {})}
        for path, key in keys(data):
            if (
                key in known
                and len(at(data, path)) == 1
                and path[0] not in ('mappings', 'Mappings')
            ):
                for wrong in misspelt(key):
                    if wrong not in known:
                        yield case, data, path, key, wrong


def literal(found, data, path, wrong):
    """Return whether the misspelt call is data: in the value of an output, or not evaluated."""
    return wrong in json.dumps({name: value for name, (value, _) in found.items()}, default=str)


def test_misspelt_function_is_reported_or_literal():
    counts, lost = Counter(), []
    for case, data, path, key, wrong in function_mutants():
        files = case['request'].get('files')
        if outcome(data, files)[0] is not None:
            counts['was refused before'] += 1
            continue
        error, found = outcome(renamed(data, path, key, wrong), files)
        if error is not None:
            counts['refused'] += 1
        elif literal(found, data, path, wrong):
            counts['literal'] += 1
        elif any(message for _, message in found.values()):
            counts['output error'] += 1
        else:
            counts['not looked at'] += 1
            lost.append((case['id'], '.'.join(map(str, path)), key))
    assert counts['literal'] > 300 and counts['refused'] > 30, counts
    # a branch not chosen, data that a digest hides, a comparison that then compares other data
    assert counts['not looked at'] < counts.total() / 10, (counts, lost)


CATALOGUE = {
    'heat_template_version': '2021-04-16',
    'description': 'all words of the language',
    'parameter_groups': [{'label': 'g', 'description': 'd', 'parameters': ['size']}],
    'parameters': {
        'size': {
            'type': 'number',
            'default': 4,
            'label': 'l',
            'description': 'd',
            'hidden': False,
            'immutable': False,
            'tags': ['a'],
            'constraints': [
                {'range': {'min': 1, 'max': 8}, 'description': 'd'},
                {'modulo': {'step': 2, 'offset': 0}},
            ],
        },
        'name': {
            'type': 'string',
            'default': 'abc',
            'constraints': [
                {'length': {'min': 1}},
                {'allowed_values': ['abc']},
                {'allowed_pattern': '[a-c]+'},
            ],
        },
        'net': {
            'type': 'string',
            'default': '10.0.0.0/8',
            'constraints': [{'custom_constraint': 'net_cidr'}],
        },
    },
    'conditions': {'large': {'not': {'equals': [{'get_param': 'size'}, 2]}}},
    'resources': {
        'one': {'type': 'OS::Heat::Value', 'properties': {'value': 1}},
        'two': {
            'type': 'OS::Heat::Value',
            'properties': {'value': 2},
            'depends_on': 'one',
            'metadata': {'m': 1},
            'deletion_policy': 'Retain',
            'update_policy': {},
            'description': 'd',
            'condition': 'large',
        },
        'three': {'type': 'OS::Heat::Value', 'external_id': 'x'},
    },
    'outputs': {'o': {'value': 1, 'description': 'd', 'condition': 'large'}},
}
#: paths of maps whose keys the template author chooses, or whose unknown keys are ignored
FREE = (
    ('parameters',),
    ('conditions',),
    ('resources',),
    ('outputs',),
    ('resources', 'one', 'properties'),
    ('resources', 'two', 'properties'),
    ('resources', 'two', 'metadata'),
)
IGNORED = {
    ('outputs', 'o', 'description'),
    ('outputs', 'o', 'condition'),
    ('parameter_groups', 0, 'label'),
    ('parameter_groups', 0, 'description'),
}


#: misspelt calls in the arguments of a comparison are data and are compared as such
LITERAL = {('conditions', 'large', 'not', 'equals', 0, 'get_param')}


def catalogue_mutants():
    for path, key in keys(CATALOGUE):
        if path not in FREE and (*path, key) not in IGNORED | LITERAL:
            for wrong in misspelt(key):
                yield pytest.param(path, key, wrong, id='.'.join(map(str, (*path, wrong))))


def test_template_without_mutation_is_valid():
    assert outcome(CATALOGUE)[0] is None


@pytest.mark.parametrize(('path', 'key', 'wrong'), list(catalogue_mutants()))
def test_misspelt_keyword_is_reported(path, key, wrong):
    error, _ = outcome(renamed(CATALOGUE, path, key, wrong))
    missing = {
        'heat_template_version': 'version',
        'value': 'value',
        'parameters': 'parameters',
        'type': 'type',
    }
    assert error is not None
    assert wrong in error or missing.get(key, '\0') in error


@pytest.mark.parametrize('place', sorted(IGNORED | LITERAL, key=str))
def test_misspelt_optional_key_is_ignored(place):
    *path, key = place
    assert outcome(renamed(CATALOGUE, path, key, key + key[-1]))[0] is None

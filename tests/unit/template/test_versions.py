import json
from pathlib import Path

import pytest

from heat_lite.common import exception
from heat_lite.template import versions
from heat_lite.template.functions import logic

FACTS = json.loads((Path(__file__).parents[2] / 'conformance' / 'languages.json').read_text())
OWN = 'heat_lite_2026-12-01'
ALL = [
    version
    for rows in versions.TABLE.values()
    for name, version in rows.items()
    if name == version.name and name != OWN
]


def facts_of(version):
    return FACTS['versions'][version.name]


def test_each_version_is_registered():
    assert {version.name for version in ALL} == set(FACTS['versions'])
    releases = {
        name: version.name
        for name, version in versions.TABLE['heat_template_version'].items()
        if name not in (version.name, OWN)
    }
    assert releases == FACTS['release_aliases']


@pytest.mark.parametrize('version', ALL, ids=lambda version: version.name)
def test_functions_of_each_version(version):
    facts = facts_of(version)
    removed = {name for name, found in version.functions.items() if found is logic.Removed}
    assert set(version.functions) - removed == set(facts['functions'])
    assert removed == set(facts.get('removed_functions', ()))
    refused = (logic.NotAllowed, logic.Removed)
    allowed = {
        name for name, found in (version.condition_functions or {}).items() if found not in refused
    }
    assert allowed == set(facts['condition_functions'])
    assert version.has_conditions == facts['conditions_supported']


@pytest.mark.parametrize('version', ALL, ids=lambda version: version.name)
def test_keys_of_each_version(version):
    facts = facts_of(version)
    assert version.key == facts['version_key']
    assert version.sections == set(facts['sections'])
    assert version.resource_keys == set(facts['resource_keys'])
    assert version.parameter_keys == set(facts['parameter_keys'])
    assert version.parameter_constraints == set(facts['parameter_constraints'])
    assert version.deletion_policies == facts['deletion_policies']


def test_own_version_adds_to_the_newest_one_of_heat():
    own, newest = (versions.TABLE['heat_template_version'][name] for name in (OWN, '2021-04-16'))
    assert own.resource_keys == newest.resource_keys | {'lifecycle', 'import'}
    assert own.sections == newest.sections | {'moved'} and own.functions == newest.functions


def test_function_variants_share_one_class():
    """Variants with one name in the recorded facts share a class; others do not."""
    classes = {}
    for version in ALL:
        for name, variant in facts_of(version)['functions'].items():
            classes.setdefault(variant, set()).add(version.functions[name])
    assert {variant: found for variant, found in classes.items() if len(found) > 1} == {}
    assert len({found for (found,) in classes.values()}) == len(classes)


@pytest.mark.parametrize(
    ('data', 'text'),
    [
        (
            {},
            'Template version was not provided. '
            'Begin the template with "heat_template_version: 2021-04-16".',
        ),
        (
            {'heat_template_version': 2013},
            'Template version was not provided. '
            'The value of "heat_template_version" is a text, such as "2021-04-16".',
        ),
        (
            {'AWSTemplateFormatVersion': ['2010-09-09']},
            'Template version was not provided. '
            'The value of "AWSTemplateFormatVersion" is a text, such as "2010-09-09".',
        ),
        (
            {'heat_template_version': '2018-08-31', 'AWSTemplateFormatVersion': '2010-09-09'},
            'Ambiguous versions (AWSTemplateFormatVersion, heat_template_version)',
        ),
        (
            {'AWSTemplateFormatVersion': '2011-01-01'},
            '"AWSTemplateFormatVersion: 2011-01-01". "AWSTemplateFormatVersion" should '
            'be: 2010-09-09',
        ),
    ],
)
def test_invalid_version_is_refused(data, text):
    with pytest.raises(exception.InvalidTemplateVersion) as caught:
        versions.template_version(data)
    assert str(caught.value) == f'The template version is invalid: {text}'

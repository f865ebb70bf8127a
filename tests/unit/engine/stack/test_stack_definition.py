"""What templates mean is kept for stacks that are stored, and for nothing else."""

import types

from heat_lite.common.redaction import Redactor
from heat_lite.engine import runtime
from heat_lite.engine.stack.stack_definition import DefinitionCache
from heat_lite.template.template import Template


def stack(stack_id):
    engine = runtime.Runtime(None, None, runtime.EngineLimits(), 'engine', None)
    return types.SimpleNamespace(
        id=stack_id, tenant='p', name='s', redactor=Redactor(), runtime=engine
    )


def template(size=1):
    resources = {f'r{number}': {'type': 'OS::Heat::None'} for number in range(size)}
    return Template({'heat_template_version': '2021-04-16', 'resources': resources})


def test_definition_is_cached():
    kept, of = DefinitionCache(), template()
    assert kept.of(stack('1'), of, 1) is kept.of(stack('1'), of, 1)
    assert kept.of(stack('2'), of, 1) is not kept.of(stack('1'), of, 1)


def test_definition_of_draft_is_not_cached():
    kept, of = DefinitionCache(), template()
    assert kept.of(stack(None), of, 1) is not kept.of(stack(None), of, 1)
    assert kept.of(stack('1'), of, None) is not kept.of(stack('1'), of, None)


def test_draft_is_bound_once_for_its_validation_and_its_use():
    kept, of = DefinitionCache(), template()
    draft = kept.of(stack('1'), of, None)
    assert kept.of(stack('1'), of, 7) is draft
    assert kept.of(stack('1'), of, 8) is not draft
    renamed = stack('1')
    renamed.name = 'other'
    draft = kept.of(stack('1'), of, None)
    assert kept.of(renamed, of, 9) is not draft


def test_definition_of_other_template_with_same_id_is_new():
    kept = DefinitionCache()
    assert len(kept.of(stack('1'), template(1), 0).bound.resources) == 1
    assert len(kept.of(stack('1'), template(2), 0).bound.resources) == 2


def test_oldest_definition_is_evicted():
    kept, of = DefinitionCache(2), template()
    first = kept.of(stack('1'), of, 1)
    for name in '23':
        kept.of(stack(name), of, 1)
    assert kept.of(stack('1'), of, 1) is not first

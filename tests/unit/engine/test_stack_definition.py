"""What templates mean is kept for stacks that are stored, and for nothing else."""

import types

from heat_lite.engine.meaning import Meanings
from heat_lite.template.template import Template


def stack(stack_id):
    return types.SimpleNamespace(id=stack_id, tenant='p', name='s')


def template(size=1):
    resources = {f'r{number}': {'type': 'OS::Heat::None'} for number in range(size)}
    return Template({'heat_template_version': '2021-04-16', 'resources': resources})


def test_it_is_worked_out_once():
    kept, of = Meanings(), template()
    assert kept.of(stack('1'), of, 1) is kept.of(stack('1'), of, 1)
    assert kept.of(stack('2'), of, 1) is not kept.of(stack('1'), of, 1)


def test_drafts_are_not_kept():
    kept, of = Meanings(), template()
    assert kept.of(stack(None), of, 1) is not kept.of(stack(None), of, 1)
    assert kept.of(stack('1'), of, None) is not kept.of(stack('1'), of, None)


def test_another_template_under_the_same_id_means_something_else():
    kept = Meanings()
    assert len(kept.of(stack('1'), template(1), 0).bound.resources) == 1
    assert len(kept.of(stack('1'), template(2), 0).bound.resources) == 2


def test_the_oldest_goes():
    kept, of = Meanings(2), template()
    first = kept.of(stack('1'), of, 1)
    for name in '23':
        kept.of(stack(name), of, 1)
    assert kept.of(stack('1'), of, 1) is not first

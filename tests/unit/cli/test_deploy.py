"""The file of a plan, which users may have changed."""

import json

import pytest

from heat_lite.cli import main


@pytest.mark.parametrize(
    'kept',
    [
        [],
        {'stack': '/stacks/a', 'plan': None},
        {'stack': 5, 'plan': {'id': 'x'}},
        {'stack': 'a', 'plan': {'id': 'x'}},
        {'stack': '/stacks/a/../..', 'plan': {'id': 'x'}},
        {'stack': '/stacks/a?b', 'plan': {'id': 'x'}},
        {'stack': '/stacks/a', 'plan': {'id': 7}},
    ],
)
@pytest.mark.parametrize('words', [('apply', '-y', '--plan'), ('plan', 'approve', '-y')])
def test_file_without_a_plan_is_refused_by_its_name(kept, words, tmp_path, capsys):
    file = tmp_path / 'plan.json'
    file.write_text(json.dumps(kept))
    assert main.main([*words, str(file), '--endpoint', 'http://127.0.0.1:9/v1/p']) != 0
    assert 'plan.json has no plan of `heat-lite preview --out`\n' in capsys.readouterr().err

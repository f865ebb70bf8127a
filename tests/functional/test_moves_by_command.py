"""Stacks are split, joined, and parts of them extracted by ``heat-lite``, while they serve."""

import pytest

from tests import strict_json
from tests.functional import shapes
from tests.functional.test_command_line import command, name  # noqa: F401

HOT, OWN = 'heat_template_version: 2021-04-16', 'heat_template_version: heat_lite_2026-12-01'
RANDOM = 'type: OS::Heat::RandomString'
NUMBERS = range(30)


def resources(numbers):
    return [
        f'  r{number}: {{{RANDOM}, properties: {{length: {9 + number}}}}}' for number in numbers
    ]


def write(folder, file, *lines):
    (folder / file).write_text('\n'.join([*lines, '']))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, 'app.yaml', OWN, 'resources:', *resources(NUMBERS))
    return tmp_path


def objects(command, name):  # noqa: F811
    """Return ``{name: object}`` of the random texts of a stack and its nested stacks."""
    status, output, _ = command('resources', '--json', '--nested', name)
    assert status == 0
    return {
        each['resource_name']: each['physical_resource_id']
        for each in strict_json.loads(output)
        if each['resource_type'] == 'OS::Heat::RandomString'
    }


@shapes.of('embedded')
def test_part_of_a_large_stack_is_extracted_and_joined_again(folder, command, name):  # noqa: F811
    assert command('apply', '-y', '-t', 'app.yaml', name)[0] == 0
    before = objects(command, name)
    assert len(before) == len(NUMBERS)
    whole = (folder / 'app.yaml').read_text()
    moves = [f'- {{from: r{number}, to: part/r{number}}}' for number in NUMBERS[10:]]
    write(folder, 'part.yaml', HOT, 'resources:', *resources(NUMBERS[10:]))
    parted = ['  part: {type: part.yaml}', *resources(NUMBERS[:10])]
    write(folder, 'app.yaml', OWN, 'moved:', *moves, 'resources:', *parted)
    back = [f'- {{from: part/r{number}, to: r{number}}}' for number in NUMBERS[10:]]
    joined = '\n'.join(['moved:', *back, 'resources:'])
    for text in (None, whole.replace('resources:', joined)):
        if text is not None:
            (folder / 'app.yaml').write_text(text)
        status, output, errors = command('apply', '-y', '-t', 'app.yaml', name)
        assert status == 0 and 'part/r29' in output, errors
        assert objects(command, name) == before
        assert command('preview', '--detailed-exitcode', '-t', 'app.yaml', name)[0] == 0


@shapes.of('embedded')
def test_plan_says_that_nothing_moves(folder, command, name):  # noqa: F811
    (folder / 'app.yaml').rename(folder / f'{name}.yaml')
    assert command('apply', '-y', '-t', f'{name}.yaml', name)[0] == 0
    status, output, _ = command('refactor', 'plan', '.')
    assert status == 0 and output.startswith('Nothing moves')


@shapes.of('embedded')
def test_part_moves_out_of_its_nested_stack_by_paths(folder, command, name):  # noqa: F811
    write(folder, 'part.yaml', HOT, 'resources:', *resources(range(3)))
    write(folder, 'app.yaml', OWN, 'resources:', '  part: {type: part.yaml}')
    assert command('apply', '-y', '-t', 'app.yaml', name)[0] == 0
    before = objects(command, name)
    status, output, errors = command('move', f'{name}/part/r1', f'{name}/part/r2', name)
    assert status == 0, errors
    assert output.splitlines() == [
        f'{name}/part/r1 is now {name}/r1',
        f'{name}/part/r2 is now {name}/r2',
        f'the templates are now those of `heat-lite template {name}`, `heat-lite file list {name}`',
    ]
    assert objects(command, name) == before
    assert command('preview', '--existing', '--detailed-exitcode', name)[0] == 0
    status, output, _ = command('file', 'list', '--json', name)
    [text] = strict_json.loads(output).values()
    assert 'r0' in text and 'r1' not in text
    assert command('move', f'{name}/r1', f'{name}/part/')[0] == 0
    assert command('move', f'{name}/r2', f'{name}/part/r3')[0] == 0
    assert objects(command, name) == {'r3' if key == 'r2' else key: before[key] for key in before}
    status, _, errors = command('move', f'{name}/part/r1', f'{name}/part/r3', f'{name}/x')
    assert status != 0 and 'end it with a slash' in errors
    status, _, errors = command('move', f'{name}/part/none', f'{name}/x')
    assert status != 0 and f'there is no resource {name}/part/none' in errors

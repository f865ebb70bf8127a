"""The tasks of rally: their templates exist and have the outputs that they name."""

import ast
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
JOBS = ROOT / 'rally-jobs'
#: scenarios of rally-openstack 4.1
OF_RALLY = {
    'create_and_delete_stack',
    'create_and_list_stack',
    'create_check_delete_stack',
    'create_snapshot_restore_delete_stack',
    'create_stack_and_list_output',
    'create_stack_and_list_output_via_API',
    'create_stack_and_scale',
    'create_stack_and_show_output',
    'create_stack_and_show_output_via_API',
    'create_suspend_resume_delete_stack',
    'create_update_delete_stack',
    'list_stacks_and_events',
    'list_stacks_and_resources',
}


def scenarios(name):
    """``{scenario: its arguments}`` of a task."""
    subtasks = yaml.safe_load((JOBS / name).read_text())['subtasks']
    found = [workload['scenario'] for each in subtasks for workload in each['workloads']]
    return {name: arguments for each in found for name, arguments in each.items()}


def test_task_has_all_scenarios_of_rally():
    assert scenarios('heat.yaml').keys() == {f'HeatStacks.{name}' for name in OF_RALLY}


def test_own_task_runs_the_scenarios_of_the_plugin():
    tree = ast.parse((JOBS / 'plugins' / 'heat_lite.py').read_text())
    names = {
        keyword.value.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        for keyword in node.keywords
        if keyword.arg == 'name' and isinstance(keyword.value, ast.Constant)
    }
    assert scenarios('heat_lite.yaml').keys() == names


@pytest.mark.parametrize('task', ['heat.yaml', 'heat_lite.yaml'])
def test_templates_exist_and_have_the_outputs(task):
    for arguments in scenarios(task).values():
        files = [value for key, value in arguments.items() if key.endswith('template_path')]
        for file in files:
            template = yaml.safe_load((ROOT / file).read_text())
            assert arguments.get('output_key') in (None, *template['outputs'])

import argparse

import pytest

from heat_lite.cli import resources
from heat_lite.cli.display import resource_tree


def event(name, reason, status='CREATE_IN_PROGRESS'):
    return {
        'resource_name': name,
        'resource_status': status,
        'resource_status_reason': reason,
        'links': [],
    }


def test_waiting_yields_resources_whose_hook_is_not_cleared():
    events = [
        event('a', 'CREATE paused until Hook pre-create is cleared'),
        event('b', 'CREATE paused until Hook pre-create is cleared'),
        event('b', 'Hook pre-create is cleared'),
        event('c', 'UPDATE paused until Hook pre-update is cleared'),
        event('c', 'UPDATE aborted', 'UPDATE_FAILED'),
    ]
    found = [(each['resource_name'], hook) for each, hook in resource_tree.waiting_at_hooks(events)]
    assert found == [('a', 'pre-create')]


def test_description_of_hooks_is_the_next_command():
    tree = resource_tree.ResourceTree()
    paused = [event(name, 'CREATE paused until Hook pre-create is cleared') for name in ('a', 'b')]
    assert resource_tree.describe_hooks('app', tree, paused[:1]).endswith(
        'heat-lite hook clear app a pre-create'
    )
    assert resource_tree.describe_hooks('app', tree, paused).endswith('heat-lite hook list app')
    assert resource_tree.describe_hooks('app', tree, [event('a', 'state changed')]) == ''


def test_json_value_names_the_mistake():
    assert resources.json_value('{"a": 1}') == {'a': 1}
    with pytest.raises(argparse.ArgumentTypeError, match='is not JSON'):
        resources.json_value('{bad')

import io

import pytest

from heat_lite.cmd.cli import planned_changes, terminal

#: the form of a server that names no actions
PLAIN = {
    'resource_changes': {
        'unchanged': [{'resource_name': 'a', 'resource_type': 'T'}],
        'updated': [],
        'replaced': [{'resource_name': 'b', 'resource_type': 'T'}],
        'added': [{'resource_name': 'c', 'resource_type': 'T'}],
        'deleted': [],
    }
}


def shown(response):
    out = terminal.Terminal(io.StringIO(), live=False)
    planned_changes.show(response, out)
    return out.stream.getvalue()


def test_changes_of_a_server_without_actions_are_those_of_its_lists():
    assert planned_changes.has_changes(PLAIN)
    assert planned_changes.replacements(PLAIN) == ['b']
    assert shown(PLAIN) == '! b  T  replace\n+ c  T  create\n\n1 to create, 1 to replace\n'


def test_response_without_changes_says_so():
    nothing = {'resource_changes': {'unchanged': PLAIN['resource_changes']['unchanged']}}
    assert not planned_changes.has_changes(nothing)
    assert shown(nothing) == 'no changes\n'


def test_replacements_have_the_path_of_nested_resources():
    outer = {'resource_name': 'outer', 'resource_type': 'T', 'action': 'update', 'nested': PLAIN}
    response = {'has_changes': True, 'resource_changes': {'updated': [outer]}}
    assert planned_changes.replacements(response) == ['outer/b']
    assert '~ outer  T  update\n    ! b  T  replace\n' in shown(response)


@pytest.mark.parametrize(
    'stack_name, parent, path',
    [
        ('app', None, 'r'),
        ('app-one', 'one', 'one/r'),
        ('app-group-0', '0', 'group/0/r'),
        ('a-shortened-name', '0', '0/r'),
    ],
)
def test_nested_path_names_the_resources_that_contain_it(stack_name, parent, path):
    resource = {'resource_name': 'r', 'stack_name': stack_name, 'parent_resource': parent}
    assert planned_changes.nested_path(resource, 'app') == path

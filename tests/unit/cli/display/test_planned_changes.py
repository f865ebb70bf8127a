import io
import json

from heat_lite.cli import api_client
from heat_lite.cli.display import planned_changes, terminal
from tests import identity

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
    assert planned_changes.replacements(PLAIN) == (['b'], [])
    assert shown(PLAIN) == '! b  T  replace\n+ c  T  create\n\n1 to create, 1 to replace\n'


def test_response_without_changes_says_so():
    nothing = {'resource_changes': {'unchanged': PLAIN['resource_changes']['unchanged']}}
    assert not planned_changes.has_changes(nothing)
    assert shown(nothing) == 'no changes\n'


def test_replacements_have_the_path_of_nested_resources():
    outer = {'resource_name': 'outer', 'resource_type': 'T', 'action': 'update', 'nested': PLAIN}
    response = {'has_changes': True, 'resource_changes': {'updated': [outer]}}
    assert planned_changes.replacements(response) == (['outer/b'], [])
    assert '~ outer  T  update\n    ! b  T  replace\n' in shown(response)


def test_replacements_may_be_among_members_that_are_known_later():
    group = {'resource_name': 'g', 'resource_type': 'T', 'action': 'update', 'nested': None}
    response = {'has_changes': True, 'resource_changes': {'updated': [group]}}
    assert planned_changes.replacements(response) == ([], ['g/(known after apply)'])
    assert 'its members may be updated or replaced (known after apply)' in shown(response)
    group['action'] = 'create'
    assert not planned_changes.replacements(response).all()


def change(name, before, after, **more):
    given = {'property': name, 'before': before, 'after': after, 'known': not more}
    return {**given, 'forces_replacement': False, 'secret': False, **more}


def test_unknown_parts_of_a_property_show_where_they_come_from():
    whole = change('cidr', None, None, known_after={'cidr': ['net.id', 'x']})
    part = change(
        'nics', [{'port': 'a'}], [{'port': None}], known_after={'nics.0.port': ['port', 'b.c']}
    )
    server = {'resource_name': 's', 'resource_type': 'T', 'action': 'update'}
    server |= {'property_changes': [whole, part], 'known_after': {'condition': ['parameter p']}}
    text = shown({'has_changes': True, 'resource_changes': {'updated': [server]}})
    assert '    cidr: (known after apply: net.id, x)\n' in text
    assert '[{"port": "a"}] -> [{"port": "(known after apply: port, b.c)"}]' in text
    assert '    only if its condition is true (known after apply: parameter p)\n' in text


def test_changes_of_the_stack_itself_are_shown_without_changes_of_resources():
    response = {
        'has_changes': True,
        'resource_changes': {'updated': []},
        'parameter_changes': [change('size', 1, 2)],
        'output_changes': [change('n', ['a', 'b'], ['q', 'r'])],
    }
    assert shown(response) == ('parameters: size 1 -> 2\noutputs: n ["a", "b"] -> ["q", "r"]\n')


def test_outputs_of_a_new_stack_are_shown():
    outputs = [change('a', None, 'x'), change('b', None, None, known_after={'b': ['r.show']})]
    text = shown({**PLAIN, 'output_changes': outputs})
    assert 'outputs: a x\noutputs: b (known after apply: r.show)\n' in text


def test_unknown_parts_below_names_with_dots_are_shown_in_place():
    known_after = {'a.b.c.d.1': ['r.x'], 'a.b.e': []}
    value = change('a.b', None, {'c.d': [1, None], 'e': None}, known_after=known_after)
    text = shown({**PLAIN, 'output_changes': [value]})
    assert 'a.b {"c.d": [1, "(known after apply: r.x)"], "e": "(known after apply)"}\n' in text


def test_create_shows_and_counts_resources_with_nested_stacks():
    def row(name):
        return {'resource_name': name, 'resource_type': 'T'}

    nested = [row('group'), row('0'), row('1')]
    inner = [[row('x')], [row('x')]]
    response = preview_of({'resources': [row('a'), inner], 'nested_resources': nested})
    assert planned_changes.paths(response) == {
        *('a', 'group', 'group/0', 'group/0/x', 'group/1', 'group/1/x')
    }
    assert shown(response).endswith('        + x  T  create\n\n6 to create\n')
    response = preview_of({'resources': [[row('a')]]})
    assert planned_changes.paths(response) == {'(nested)', '(nested)/a'}


def preview_of(stack):
    def application(environ, start_response):
        is_found = environ['REQUEST_METHOD'] == 'POST'
        start_response('200 OK' if is_found else '404 Not Found', [])
        return [json.dumps({'stack': stack}).encode()]

    with identity.serve(application) as url:
        return planned_changes.request(api_client.ApiClient(url), 's', {'template': 1}, False)[0]


def test_change_inside_of_a_map_is_shown_by_its_keys_and_equal_values_are_left_out():
    same = {'known': True, 'forces_replacement': False, 'secret': False}
    changes = [
        {'property': 'equal', 'before': 0, 'after': 0, **same},
        {'property': 'map', 'before': {'a': 1, 'b': {'c': 2}}, 'after': {'a': 1, 'b': {}}, **same},
        {'property': 'hidden', 'before': '*', 'after': '*', **same, 'secret': True},
    ]
    resource = {'resource_name': 'r', 'resource_type': 'file:///x/web.yaml', 'action': 'update'}
    resource['property_changes'] = changes
    text = shown({'resource_changes': {'updated': [resource]}})
    assert text.startswith('~ r  web.yaml  update\n    map.b.c: 2 -> (none)\n    hidden: * -> *\n')

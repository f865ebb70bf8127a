"""The templates of a project, made of objects."""

import json
import uuid

from heat_lite.authoring.project_templates import Item, ProjectTemplates
from heat_lite.cli.stack_files import StackFiles
from heat_lite.template import function, versions

NET, SUBNET, GROUP = 'OS::Neutron::Net', 'OS::Neutron::Subnet', 'OS::Neutron::SecurityGroup'
SERVER = 'OS::Nova::Server'


def ident():
    return str(uuid.uuid4())


def test_references_of_a_module_replace_ids_and_close_no_circle():
    ids = [ident(), ident()]
    names = {ids[0]: 'a', ids[1]: 'b'}
    items = [
        Item(GROUP, one, {'name': names[one], 'rules': [{'remote_group_id': other}]})
        for one, other in (ids, ids[::-1])
    ]
    found = ProjectTemplates(items).files()['network.yaml']['resources']
    [rule_a], [rule_b] = (found[name]['properties']['rules'] for name in 'ab')
    assert rule_a['remote_group_id'] == {'get_resource': 'b'}
    assert rule_b['remote_group_id'] == ids[0]


def test_reference_to_a_later_module_stays_an_id():
    server = Item(SERVER, ident(), {'name': 's'})
    volume = Item('OS::Cinder::Volume', ident(), {'scheduler_hints': {'near': server.id}})
    files = ProjectTemplates([server, volume]).files()
    [found] = files['storage.yaml']['resources'].values()
    assert found['properties'] == {'scheduler_hints': {'near': server.id}}


def test_same_names_of_objects_become_different_names():
    items = [Item(NET, ident(), {'name': 'x y'}), Item(SUBNET, ident(), {'name': 'x y'})]
    assert list(ProjectTemplates(items).files()['network.yaml']['resources']) == ['x-y', 'x-y-2']


def test_equal_servers_are_a_group_and_their_differences_lists():
    ports = [Item('OS::Neutron::Port', ident(), {}) for _ in range(2)]
    image = ident()
    servers = [
        Item(SERVER, ident(), {'name': f'w{n}', 'image': image, 'networks': [{'port': port.id}]})
        for n, port in enumerate(ports)
    ]
    made = ProjectTemplates([*servers, *ports])
    [(name, group)] = made.files()['compute.yaml']['resources'].items()
    properties = group['properties']['resource_def']['properties']
    assert properties['name'] == {'get_param': [f'{name}_name', '%index%']}
    assert made.values == {f'{name}_name': ['w0', 'w1'], 'image': image}
    passed = made.files()['project.yaml']['resources']['compute']['properties'][f'{name}_port']
    assert [each['get_attr'][0] for each in passed] == ['network', 'network']
    adopted = made.adopted['compute']['resources'][name]['resources']
    assert [each['resource_id'] for each in adopted.values()] == [each.id for each in servers]


def test_secret_is_a_hidden_parameter():
    made = ProjectTemplates([Item('OS::Neutron::VPN', ident(), {'psk': 'word'}, ['psk'])])
    files = made.files()
    [(name, schema)] = files['project.yaml']['parameters'].items()
    assert schema == {'type': 'string', 'hidden': True} and made.values == {name: 'word'}


def test_values_of_objects_are_no_calls_and_no_files_of_a_template(tmp_path):
    secret = tmp_path / 'secret.yaml'
    secret.write_text('a: secret')
    given = [
        {'get_file': str(secret)},
        {'get_file': str(secret), 'more': 'x'},
        {'type': str(secret)},
        {'get_param': 'nothing', 'deep': [{'get_attr': ['x', 'y']}]},
    ]
    items = [Item(SERVER, ident(), {'name': f's{n}', 'm': each}) for n, each in enumerate(given)]
    made = ProjectTemplates(items).files()['compute.yaml']
    path = tmp_path / 'compute.yaml'
    path.write_text(json.dumps(made))
    files = StackFiles()
    assert json.loads(files.template(str(path))) == made and files.contents == {}
    parser = function.Parser(versions.template_version(made).functions)
    found = [
        function.resolve(parser.parse(each['properties']['m']), function.Scope())
        for each in made['resources'].values()
    ]
    assert found == given


def test_servers_with_texts_that_a_group_would_change_are_no_group():
    for properties in ({'name': '%index%'}, {'m': {'get_file': 'x'}}):
        items = [Item(SERVER, ident(), properties) for _ in range(2)]
        assert len(ProjectTemplates(items).files()['compute.yaml']['resources']) == 2


def test_long_name_becomes_a_short_one():
    items = [Item(NET, ident(), {'name': 'x' * 255}) for _ in range(2)]
    names = ProjectTemplates(items).files()['network.yaml']['resources']
    assert len(names) == 2 and max(map(len, names)) < 128

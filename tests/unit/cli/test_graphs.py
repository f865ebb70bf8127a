import io
import json

import pytest

from heat_lite.cli import graphs, main
from heat_lite.cli.display import resource_tree, terminal
from heat_lite.cli.graphs import Graph, Node
from tests.effort import count_calls

NODES = [
    Node('server', 'OS::Nova::Server', ['port', 'secret'], 'CREATE_IN_PROGRESS'),
    Node('port', 'OS::Neutron::Port', ['net'], 'CREATE_COMPLETE'),
    Node('net', 'OS::Neutron::Net', [], 'CREATE_COMPLETE'),
    Node('secret', 'OS::Heat::RandomString', [], 'CREATE_FAILED'),
    Node('app', 'file:///a/lib/app.yaml', ['server'], 'INIT_COMPLETE'),
    Node('app/one', 'OS::Heat::Value', ['two'], 'INIT_COMPLETE'),
    Node('app/two', 'OS::Heat::Value', ['gone'], 'INIT_COMPLETE'),
]
TEMPLATE = """\
heat_template_version: 2021-04-16
resources:
  b:
    type: part.yaml
    properties: {text: {get_attr: [a, value]}}
  a: {type: OS::Heat::RandomString}
  c: {type: OS::Heat::Value, depends_on: b, properties: {value: 1}}
"""
PART = """\
heat_template_version: 2021-04-16
parameters: {text: {type: string}}
resources:
  v: {type: OS::Heat::Value, properties: {value: {get_param: text}}}
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / 'app.yaml').write_text(TEMPLATE)
    (tmp_path / 'part.yaml').write_text(PART)
    return tmp_path


def drawn(nodes, width=100):
    stream = io.StringIO()
    graphs.draw(Graph(nodes), terminal.Terminal(stream), width)
    return stream.getvalue()


def test_text_has_the_steps_in_order_and_what_each_waits_for():
    assert drawn(NODES).splitlines() == [
        '1  ✔ net     OS::Neutron::Net        CREATE_COMPLETE',
        '   ✘ secret  OS::Heat::RandomString  CREATE_FAILED',
        '2  ✔ port    OS::Neutron::Port       CREATE_COMPLETE  after net',
        '3  … server  OS::Nova::Server        CREATE_IN_PROGRESS  after port, secret',
        '4  · app     app.yaml                INIT_COMPLETE  after server',
        '   ├ · two   OS::Heat::Value         INIT_COMPLETE',
        '   └ · one   OS::Heat::Value         INIT_COMPLETE  after two',
    ]


@pytest.mark.parametrize('width', [40, 55, 70])
def test_text_fits_a_narrow_terminal_and_loses_nothing(width):
    many = Node('last', 'OS::Heat::Value', [f'resource_{number}' for number in range(20)])
    others = [Node(f'resource_{number}', 'OS::Heat::Value') for number in range(20)]
    lines = drawn([many, *others], width).splitlines()
    assert all(len(line) <= width for line in lines)
    assert all(f'resource_{number}' in ' '.join(lines[21:]) for number in range(20))


def test_text_of_many_resources_is_cut():
    nodes = [Node(f'r{number}', 'T') for number in range(5)]
    nodes += [Node('last', 'T', [node.name for node in nodes]), Node('g', 'T', ['last'])]
    nodes += [Node(f'g/{number}', 'T') for number in range(4)]
    stream = io.StringIO()
    graphs.draw(Graph(nodes), terminal.Terminal(stream), 80, limit=2)
    assert stream.getvalue().splitlines() == [
        '1  r0    T',
        '   r1    T',
        '   and 3 more',
        '2  last  T  after r0, r1, and 3 more',
        '3  g     T  after last',
        '   ├ 0   T',
        '   ├ 1   T',
        '   └ and 2 more',
    ]


def count_calls_of_graph(size):
    """Return the work to draw a stack of so many resources in a row."""
    names = [f'r{number}' for number in range(size)]
    rows = [
        {
            'resource_name': name,
            'resource_type': 'T',
            'resource_status': 'CREATE_COMPLETE',
            'required_by': names[number + 1 : number + 4],
        }
        for number, name in enumerate(names)
    ]

    def draw():
        nodes = graphs._nodes(resource_tree.tree_of(rows))
        assert [len(step) for step in Graph(nodes).steps('')] == [1] * size

    return count_calls(draw)


def test_work_of_a_graph_grows_with_the_size_of_the_stack():
    assert count_calls_of_graph(2000) < 2.2 * count_calls_of_graph(1000)


def test_cycle_is_drawn_as_the_last_step():
    lines = drawn([Node('a', 'T', ['b']), Node('b', 'T', ['a']), Node('c', 'T')]).splitlines()
    assert lines == ['1  c  T', '2  a  T  after b', '   b  T  after a']


def test_no_resources_are_said():
    assert drawn([]) == 'no resources\n'


def test_dot_has_nodes_edges_and_clusters():
    text = graphs.as_dot(Graph(NODES), 'my "stack"')
    assert text.startswith('digraph "my \\"stack\\"" {')
    assert '"net" -> "port";' in text and '"app/two" -> "app/one";' in text
    assert 'subgraph "cluster_app" {' in text
    assert 'label="secret\\nOS::Heat::RandomString\\nCREATE_FAILED", fillcolor="#f5c6c6"' in text
    assert text.count('{') == text.count('}')


def test_mermaid_has_nodes_edges_and_classes():
    text = graphs.as_mermaid(Graph([*NODES, Node('a"[b]', 'T', ['net'])]))
    lines = [line.strip() for line in text.splitlines()]
    assert lines[0] == 'flowchart TD'
    assert 'n3["secret<br/>OS::Heat::RandomString<br/>CREATE_FAILED"]' in lines
    assert 'n2 --> n1' in lines and 'n6 --> n5' in lines
    assert 'class n3 failed' in lines
    assert 'n7["a#34;#91;b#93;<br/>T"]' in lines
    assert lines.count('end') == 1


def test_graph_of_a_template_needs_no_service(folder, capsys, monkeypatch):
    monkeypatch.setenv('OS_CLOUD', 'no such cloud')
    assert main.main(['graph', '-t', 'app.yaml']) == 0
    assert capsys.readouterr().out.splitlines() == [
        '1  a    OS::Heat::RandomString',
        '2  b    part.yaml               after a',
        '   └ v  OS::Heat::Value',
        '3  c    OS::Heat::Value         after b',
    ]


def test_graph_as_json_and_without_nested_resources(folder, capsys):
    assert main.main(['graph', '-t', 'app.yaml', '--json', '--nested', '0']) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [(row['path'], row['requires']) for row in rows] == [
        ('b', ['a']),
        ('a', []),
        ('c', ['b']),
    ]


@pytest.mark.parametrize('form, first', [('dot', 'digraph "app" {'), ('mermaid', 'flowchart TD')])
def test_formats_of_a_template(form, first, folder, capsys):
    assert main.main(['graph', '-t', 'app.yaml', '--format', form]) == 0
    assert capsys.readouterr().out.splitlines()[0] == first


@pytest.mark.parametrize(
    'argv, status, text',
    [
        ([], 2, 'name a stack, or a template with -t'),
        (['app', '-t', 'app.yaml'], 2, 'name a stack, or a template with -t'),
        (['-t', 'gone.yaml'], 1, 'gone.yaml: The file cannot be read'),
        (['-t', 'broken.yaml'], 1, 'broken.yaml'),
        (['-t', 'other.yaml'], 1, 'other.yaml is no template'),
    ],
)
def test_wrong_use_is_reported(argv, status, text, folder, capsys):
    (folder / 'broken.yaml').write_text('a: [')
    (folder / 'other.yaml').write_text('services: {}')
    assert main.main(['graph', *argv]) == status
    assert text in capsys.readouterr().err


GROUPS = """\
heat_template_version: 2021-04-16
parameters: {size: {type: number, default: 2}}
resources:
  g:
    type: OS::Heat::ResourceGroup
    properties:
      count: {get_param: size}
      resource_def: {type: part.yaml, properties: {text: a}}
  s:
    type: OS::Heat::AutoScalingGroup
    properties: {min_size: 1, max_size: 3, resource: {type: OS::Heat::TestResource}}
  c:
    type: OS::Heat::ResourceChain
    properties: {resources: [OS::Heat::TestResource, OS::Heat::RandomString]}
  computed:
    type: OS::Heat::ResourceGroup
    properties: {count: {get_attr: [g, href]}, resource_def: {type: OS::Heat::TestResource}}
"""


@pytest.mark.parametrize('more, size', [([], 2), (['-e', 'env.yaml'], 3)])
def test_graph_of_a_template_has_the_members_of_groups(folder, capsys, more, size):
    (folder / 'groups.yaml').write_text(GROUPS)
    (folder / 'env.yaml').write_text('parameters: {size: 3}\n')
    assert main.main(['graph', '--json', '-t', 'groups.yaml', *more]) == 0
    found = {each['path']: each for each in json.loads(capsys.readouterr().out)}
    members = [path for path in found if path.startswith('g/') and path.count('/') == 1]
    assert members == [f'g/{index}' for index in range(size)]
    assert found['g/0/v']['resource_type'] == 'OS::Heat::Value'
    assert [path for path in found if path.startswith('s/')] == ['s/0']
    assert found['c/1']['requires'] == ['0'] and found['c/0']['requires'] == []
    assert [path for path in found if path.startswith('computed/')] == ['computed/0']

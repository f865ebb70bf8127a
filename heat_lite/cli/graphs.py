"""The verb ``graph``: the dependencies of a stack, or of a template without a service.

They are drawn as text, or written in the languages of Graphviz and Mermaid.
"""

import argparse
import contextlib
import dataclasses
import graphlib
import pkgutil
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from heat_lite.cli import api_client, errors
from heat_lite.cli.display import resource_tree, terminal
from heat_lite.cli.option_parser import argument, count, repeatable

TEXT, DOT, MERMAID = 'text', 'dot', 'mermaid'
FORMATS = (TEXT, DOT, MERMAID)
#: {outcome of a status: color of a node}
FILLS = {'COMPLETE': '#d5f0d5', 'FAILED': '#f5c6c6', 'IN_PROGRESS': '#fdf0c0'}
GAP = '  '
MIN_WIDTH = 40
MAX_NAMES = 20
GRAPH = (
    argument('stack', metavar='STACK', nargs='?', help='name or id of the stack'),
    argument(
        '-t', '--template', metavar='FILE', help='show this template instead, without a service'
    ),
    repeatable('-e', '--environment', metavar='FILE', help='environment of --template'),
    argument(
        '--format',
        choices=FORMATS,
        default=TEXT,
        help='text, or the language of Graphviz or Mermaid',
    ),
    argument(
        '--nested',
        type=count,
        metavar='DEPTH',
        default=resource_tree.NESTED_DEPTH,
        help='include nested stacks down to this depth',
    ),
    argument(
        '--max',
        type=count,
        metavar='N',
        default=MAX_NAMES,
        help='resources of a step, and names after one, that the text shows; 0 for all',
    ),
)


def graph(
    api: api_client.ApiClient | None, out: terminal.Terminal, args: argparse.Namespace
) -> None:
    """Show the graph; ``api`` is None for a template."""
    if bool(args.stack) == bool(args.template):
        raise errors.UsageError('name a stack, or a template with -t')
    if api is None:
        # The linter starts slowly: only a template needs it.
        read = pkgutil.resolve_name('heat_lite.authoring.offline:template_graph')
        found = Graph(read(args.template, args.environment, args.nested))
        title, name = '', Path(args.template).stem
    else:
        stack = api.stack(args.stack)
        rows = api.resources(api_client.stack_path(stack), args.nested)
        found = Graph(_nodes(resource_tree.tree_of(rows)))
        name = stack['stack_name']
        title = f'{name}  {out.colorize(stack["stack_status"], stack["stack_status"])}'
    _write(found, out, args, title, name)


def _nodes(tree: resource_tree.ResourceTree) -> 'Iterator[Node]':
    requires: dict[tuple[str, str], list[str]] = {}
    for member in tree.members.values():
        base = member.path.rpartition('/')[0]
        for name in member.row.get('required_by') or ():
            requires.setdefault((base, name), []).append(member.name)
    for member in tree.members.values():
        key = (member.path.rpartition('/')[0], member.name)
        yield Node(member.path, member.row['resource_type'], requires.get(key, ()), member.status)


def _write(
    found: 'Graph', out: terminal.Terminal, args: argparse.Namespace, title: str, name: str
) -> None:
    if out.is_json:
        rows = [
            {
                'path': node.path,
                'resource_type': node.type,
                'requires': list(node.requires),
                **({'resource_status': node.status} if node.status else {}),
            }
            for node in found.nodes
        ]
        out.write_json(rows)
    elif args.format == DOT:
        out.write_line(as_dot(found, name))
    elif args.format == MERMAID:
        out.write_line(as_mermaid(found))
    else:
        if title:
            out.write_line(title)
        draw(found, out, terminal.columns(), args.max)


@dataclasses.dataclass
class Node:
    """A resource.

    ``path`` has the names of the resources that contain it, e.g. ``outer/inner``. ``requires``
    are the names of the resources, beside it, that it waits for. ``status`` is empty in a template.
    """

    path: str
    type: str
    requires: Sequence[str] = ()
    status: str = ''

    @property
    def name(self) -> str:
        return self.path.rpartition('/')[2]

    @property
    def kind(self) -> str:
        """The type; of a template only the name of its file."""
        is_file = self.type.endswith(('.yaml', '.yml', '.template', '.json'))
        return self.type.rpartition('/')[2] if is_file else self.type

    @property
    def base(self) -> str:
        """The path of the resource that contains it, empty at the top."""
        return self.path.rpartition('/')[0]


class Graph:
    """The nodes of a stack, by the path of the resource that contains them."""

    def __init__(self, nodes: Iterable[Node]) -> None:
        self.nodes = list(nodes)
        self._levels: dict[str, list[Node]] = {}
        for node in self.nodes:
            self._levels.setdefault(node.base, []).append(node)

    def inside(self, path: str) -> list[Node]:
        """Return the nodes in a resource, in the stack itself for an empty path."""
        return self._levels.get(path, [])

    def edges(self, path: str) -> Iterator[tuple[Node, Node]]:
        """Yield (required, requiring) of the nodes in a resource."""
        nodes = {node.name: node for node in self.inside(path)}
        for node in nodes.values():
            for name in node.requires:
                if name in nodes:
                    yield nodes[name], node

    def steps(self, path: str) -> list[list[Node]]:
        """Return the nodes in a resource by step: those of a step need only earlier ones.

        The nodes of a cycle are the last step.
        """
        waiting = {node.name: node for node in self.inside(path)}
        place = {name: number for number, name in enumerate(waiting)}
        sorter = graphlib.TopologicalSorter(
            {name: [each for each in waiting[name].requires if each in place] for name in waiting}
        )
        with contextlib.suppress(graphlib.CycleError):
            sorter.prepare()
        steps = []
        while ready := sorter.get_ready():
            sorter.done(*ready)
            steps.append([waiting.pop(name) for name in sorted(ready, key=place.__getitem__)])
        return [*steps, list(waiting.values())] if waiting else steps


# --------------------------------------------------------------- text


@dataclasses.dataclass
class _Row:
    step: str
    branch: str  # the lines of the tree in front of the name
    node: Node | None  # None for the resources that are not shown
    after: str


def draw(graph: Graph, out: terminal.Terminal, width: int, limit: int = 0) -> None:
    """Write the resources step by step, with what each waits for, and nested ones as a tree.

    ``limit``: the number of resources of a step, and of names after one; 0 for all.
    """
    every = list(_rows(graph, '', '', limit or len(graph.nodes)))
    shown = [(row, row.node) for row in every if row.node is not None]
    if not shown:
        out.write_line('no resources')
        return
    number = max(len(row.step) for row, _ in shown)
    names = max(len(row.branch) + len(node.name) for row, node in shown) + (
        2 if any(node.status for _, node in shown) else 0
    )
    types = max(len(node.kind) for _, node in shown)
    for row in every:
        if row.node is None:
            out.write_line(f'{" " * number}{GAP}{row.branch}{row.after}')
        else:
            _draw_row(row, row.node, (number, names, types), out, max(width, MIN_WIDTH))


def _rows(graph: Graph, path: str, branch: str, limit: int) -> Iterator[_Row]:
    steps = graph.steps(path)
    last = steps[-1][: limit + 1][-1] if steps else None
    needs: dict[str, list[str]] = {node.name: [] for node in graph.inside(path)}
    for required, requiring in graph.edges(path):
        needs[requiring.name].append(required.name)
    for index, nodes in enumerate(steps, 1):
        for position, node in enumerate(nodes[:limit]):
            step = str(index) if not path and not position else ''
            corner = '' if not path else '└ ' if node is last else '├ '
            yield _Row(step, branch + corner, node, _listed(needs[node.name], limit))
            below = '' if not path else '  ' if node is last else '│ '
            yield from _rows(graph, node.path, branch + below, limit)
        if len(nodes) > limit:
            corner = '' if not path else '└ ' if nodes is steps[-1] else '├ '
            yield _Row('', branch + corner, None, f'and {len(nodes) - limit} more')


def _listed(names: Sequence[str], limit: int) -> str:
    more = [f'and {len(names) - limit} more'] if len(names) > limit else []
    return ', '.join([*names[:limit], *more])


def _draw_row(
    row: _Row, node: Node, widths: Sequence[int], out: terminal.Terminal, limit: int
) -> None:
    number, names, types = widths
    symbol = out.symbol(node.status) + ' ' if node.status else ''
    shown = row.branch + node.name
    padding = ' ' * (names - len(shown) - (2 if symbol else 0))
    kind = node.kind
    line = f'{row.step:>{number}}{GAP}{row.branch}{symbol}{node.name}{padding}{GAP}'
    length = number + names + 2 * len(GAP)
    status = f'{GAP}{node.status}' if node.status else ''
    after = f'{GAP}after {row.after}' if row.after else ''
    if length + types + len(status) + len(after) <= limit:
        out.write_line((line + kind.ljust(types) + status + after).rstrip())
        return
    room = max(limit - length - len(status), 8)
    out.write_line((line + terminal.shorten(kind, room) + status).rstrip())
    indent = ' ' * (number + len(GAP) + len(row.branch) + 4)
    for text in textwrap.wrap(
        after.strip(), limit, initial_indent=indent, subsequent_indent=indent
    ):
        out.write_line(text)


# --------------------------------------------------------------- languages of graphs


def as_dot(graph: Graph, name: str) -> str:
    """Return the graph in the language of Graphviz. An arrow leads to what waits."""
    lines = [f'digraph {_quoted(name)} {{', '  rankdir=TB;', '  node [shape=box, style=filled];']
    lines += _dot_level(graph, '', '  ')
    return '\n'.join([*lines, '}'])


def _dot_level(graph: Graph, path: str, indent: str) -> Iterator[str]:
    for node in graph.inside(path):
        label = '\\n'.join(_escaped(text) for text in (node.name, node.kind, node.status) if text)
        fill = FILLS.get(terminal.outcome(node.status), '#ffffff')
        yield f'{indent}{_quoted(node.path)} [label="{label}", fillcolor="{fill}"];'
        if graph.inside(node.path):
            yield f'{indent}subgraph {_quoted("cluster_" + node.path)} {{'
            yield f'{indent}  label={_quoted(node.name)};'
            yield from _dot_level(graph, node.path, indent + '  ')
            yield f'{indent}}}'
            for inner in graph.inside(node.path):
                yield f'{indent}{_quoted(node.path)} -> {_quoted(inner.path)} [style=dotted];'
    for first, second in graph.edges(path):
        yield f'{indent}{_quoted(first.path)} -> {_quoted(second.path)};'


def _escaped(text: str) -> str:
    return text.replace('\\', '\\\\').replace('"', '\\"')


def _quoted(text: str) -> str:
    return f'"{_escaped(text)}"'


def as_mermaid(graph: Graph) -> str:
    """Return the graph in the language of Mermaid. An arrow leads to what waits."""
    ids = {node.path: f'n{number}' for number, node in enumerate(graph.nodes)}
    lines = ['flowchart TD', *_mermaid_level(graph, '', '  ', ids)]
    for outcome, fill in FILLS.items():
        members = [
            ids[each.path] for each in graph.nodes if terminal.outcome(each.status) == outcome
        ]
        if members:
            lines.append(f'  classDef {outcome.lower()} fill:{fill}')
            lines.append(f'  class {",".join(members)} {outcome.lower()}')
    return '\n'.join(lines)


def _mermaid_level(graph: Graph, path: str, indent: str, ids: Mapping[str, str]) -> Iterator[str]:
    for node in graph.inside(path):
        texts = [_entities(text) for text in (node.name, node.kind, node.status) if text]
        yield f'{indent}{ids[node.path]}["{"<br/>".join(texts)}"]'
        inner = graph.inside(node.path)
        if inner:
            yield f'{indent}subgraph s{ids[node.path]}["{_entities(node.name)}"]'
            yield from _mermaid_level(graph, node.path, indent + '  ', ids)
            yield f'{indent}end'
            yield f'{indent}{ids[node.path]} -.- s{ids[node.path]}'
    for first, second in graph.edges(path):
        yield f'{indent}{ids[first.path]} --> {ids[second.path]}'


def _entities(text: str) -> str:
    """Return a text with the characters that Mermaid reads escaped."""
    return ''.join(
        character if character.isalnum() or character in ' :_-./' else f'#{ord(character)};'
        for character in text
    )

"""The verb ``graph``: the dependencies of a stack, or of a template without a service."""

import argparse
import pkgutil
import shutil
from pathlib import Path
from typing import Any

from heat_lite.cmd.cli import arguments, errors, graph_view, resource_tree, terminal
from heat_lite.cmd.cli.arguments import argument, repeatable

#: columns of an output that is no terminal
WIDTH = 80
GRAPH = (
    argument('stack', metavar='STACK', nargs='?', help='name or id of the stack'),
    argument(
        '-t', '--template', metavar='FILE', help='show this template instead, without a service'
    ),
    repeatable('-e', '--environment', metavar='FILE', help='environment of --template'),
    argument(
        '--format',
        choices=graph_view.FORMATS,
        default=graph_view.TEXT,
        help='text, or the language of Graphviz or Mermaid',
    ),
    argument(
        '--nested',
        type=arguments.count,
        metavar='DEPTH',
        default=resource_tree.NESTED_DEPTH,
        help='include nested stacks down to this depth',
    ),
)


def graph(api: Any, out: terminal.Terminal, args: argparse.Namespace) -> None:
    """Show the graph; ``api`` is None for a template."""
    if bool(args.stack) == bool(args.template):
        raise errors.UsageError('name a stack, or a template with -t')
    if args.template:
        # The linter starts slowly: only a template needs it.
        read = pkgutil.resolve_name('heat_lite.cmd.offline:template_graph')
        found = graph_view.Graph(read(args.template, args.environment, args.nested))
        title, name = '', Path(args.template).stem
    else:
        stack = api.stack(args.stack)
        found = graph_view.Graph(_nodes(api, stack, args.nested))
        name = stack['stack_name']
        title = f'{name}  {out.colorize(stack["stack_status"], stack["stack_status"])}'
    _write(found, out, args.format, title, name)


def _nodes(api, stack, depth):
    path = f'/stacks/{stack["stack_name"]}/{stack["id"]}'
    query = {'nested_depth': depth} if depth else {}
    rows = api.call('GET', path + '/resources', **query)['resources']
    tree = resource_tree.ResourceTree()
    tree.update(rows, 0, is_first=True)
    return [_node(member, tree) for member in tree.members.values()]


def _node(member, tree):
    base = member.path.rpartition('/')[0]
    requires = [
        other.name
        for other in tree.members.values()
        if other.path.rpartition('/')[0] == base
        and member.name in (other.row.get('required_by') or ())
    ]
    return graph_view.Node(member.path, member.row['resource_type'], requires, member.status)


def _write(found, out, form, title, name):
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
    elif form == graph_view.DOT:
        out.write_line(graph_view.as_dot(found, name))
    elif form == graph_view.MERMAID:
        out.write_line(graph_view.as_mermaid(found))
    else:
        if title:
            out.write_line(title)
        graph_view.draw(found, out, shutil.get_terminal_size((WIDTH, 24)).columns)

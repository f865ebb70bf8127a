"""The house rules that a machine can check: who may import whom, where eventlet may live, how large things may grow."""

import ast
import functools
import statistics
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / 'heat_lite'

# floor -> what it may import of heat_lite besides itself. A name covers everything below it.
FLOORS = {
    'conf': (),
    'policies': (),
    'common': ('conf', 'policies'),
    'template': ('common.exception',),
    'db': ('common', 'conf'),
    'clients': ('common', 'conf'),
    'rpc': ('common', 'conf'),
    'engine': ('common', 'conf', 'template', 'db', 'clients', 'rpc'),
    'api': ('common', 'conf', 'policies', 'rpc', 'template.format', 'template.positions'),
    'resources': ('engine.resource', 'engine.lifecycle', 'template', 'clients.errors', 'rpc.client', 'common'),
    'plugin': ('common', 'template', 'clients', 'engine.resource', 'resources'),
    'cmd': ('conf', 'policies', 'common', 'template', 'db', 'clients', 'rpc', 'engine', 'api', 'resources'),
}
# what the template library may use that is not Python's own: it knows no cloud, no configuration, no clock
TEMPLATE_LIBRARIES = {'yaml', 'yaql', 'croniter'}
TEMPLATE_REFUSES = {'socket', 'os', 'pathlib', 'time', 'io', 'subprocess', 'threading', 'requests', 'urllib.request', 'http'}
# what a person types talks REST only
CLI_MAY = ('cmd.cli', 'common.paths')

FUNCTION_LINES = 60
CLASS_LINES = 400
CLASS_METHODS = 25
MODULE_LINES = 400
OWN_IMPORTS = 15
MEDIAN_LINES = 10
# what is over a limit, each with its reason
WIDE_CLASSES = {
    'Resource': 'the contract of resource plug-ins: many small methods to override, as in Heat',
    'Stack': 'one noun that every action asks: mostly questions of a line or two',
}
WIDE_IMPORTS = {'heat_lite/engine/service.py': 'puts the doors of the engine together, and does nothing else'}
# single modules that reach further than their floor
BEYOND = {'resources': ('engine.registry',)}  # resources/__init__.py fills the registry that cmd hands to the engine
LONG_MODULES = {'heat_lite/common/exception.py': 'a table: one class an error, as the API names them'}


@functools.cache
def trees():
    return {path: ast.parse(path.read_text(), str(path)) for path in sorted(PACKAGE.rglob('*.py'))}


def module_name(path):
    """``template.format`` for heat_lite/template/format.py."""
    parts = path.relative_to(PACKAGE).with_suffix('').parts
    return '.'.join(parts[:-1] if parts[-1] == '__init__' else parts)


MODULES = {module_name(path): path for path in PACKAGE.rglob('*.py')}


def absolute(path, node):
    """The module that a ``from`` names, relative ones written out."""
    if not node.level:
        return node.module or ''
    package = path.relative_to(ROOT).with_suffix('').parts[: -node.level]
    return '.'.join([*package, *([node.module] if node.module else [])])


def imports(path):
    """Each (line, dotted name) that a module imports; of ``from a import b`` it is a.b where that is a module of ours, else a."""
    for node in ast.walk(trees()[path]):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = absolute(path, node)
            for alias in node.names:
                full = f'{base}.{alias.name}'
                yield node.lineno, full if full.removeprefix('heat_lite.') in MODULES else base


def own_imports(path):
    """Each (line, module) of ours, without the leading heat_lite."""
    for line, name in imports(path):
        if name == 'heat_lite' or name.startswith('heat_lite.'):
            yield line, name.removeprefix('heat_lite').removeprefix('.')


def covered(name, allowed):
    return any(name == each or name.startswith(each + '.') for each in allowed)


def place(path, line=None):
    text = str(path.relative_to(ROOT))
    return text if line is None else f'{text}:{line}'


def floor_of(path):
    return module_name(path).partition('.')[0]


def test_each_module_stands_on_a_floor():
    assert {floor_of(path) for path in trees()} - {''} <= FLOORS.keys()


@pytest.mark.parametrize('floor', FLOORS)
def test_imports_go_down(floor):
    allowed = (floor, '', *FLOORS[floor])
    beyond = {name: (*allowed, *more) for name, more in BEYOND.items()}
    wrong = [
        f'{place(path, line)} imports {name}'
        for path in trees()
        if floor_of(path) == floor
        for line, name in own_imports(path)
        if name and not covered(name, beyond.get(module_name(path), allowed))
    ]
    assert not wrong, '\n'.join(wrong)


def test_the_command_line_knows_the_rest_api_only():
    wrong = [
        f'{place(path, line)} imports {name}'
        for path in trees()
        if module_name(path).startswith('cmd.cli')
        for line, name in own_imports(path)
        if not covered(name, CLI_MAY)
    ]
    assert not wrong, '\n'.join(wrong)


def test_the_template_library_knows_no_world():
    wrong = []
    for path in trees():
        if floor_of(path) != 'template':
            continue
        for line, name in imports(path):
            top = name.partition('.')[0]
            stranger = top not in TEMPLATE_LIBRARIES and top != 'heat_lite' and not is_standard(top)
            if stranger or name in TEMPLATE_REFUSES or top in TEMPLATE_REFUSES:
                wrong.append(f'{place(path, line)} imports {name}')
    assert not wrong, '\n'.join(wrong)


def is_standard(name):
    return name in sys.stdlib_module_names


def circles(edges):
    """Groups of modules that reach each other (Tarjan's strongly connected components with more than one member)."""
    order, low, stack, found = {}, {}, [], []

    def visit(node):
        order[node] = low[node] = len(order)
        stack.append(node)
        for following in edges.get(node, ()):
            if following not in order:
                visit(following)
            if following in stack:
                low[node] = min(low[node], low[following])
        if low[node] == order[node]:
            group = []
            while not group or group[-1] != node:
                group.append(stack.pop())
            if len(group) > 1:
                found.append(sorted(group))

    for node in edges:
        if node not in order:
            visit(node)
    return found


def test_no_circles():
    edges = {module_name(path): {name for _, name in own_imports(path) if name} for path in trees()}
    assert not circles(edges)


def test_circles_are_seen():
    assert circles({'a': {'b'}, 'b': {'c'}, 'c': {'a'}, 'd': {'a'}}) == [['a', 'b', 'c']]


def functions():
    for path, tree in trees().items():
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield path, node


def length(node):
    return node.end_lineno - node.lineno + 1


def test_no_import_inside_a_function():
    wrong = [
        place(path, inner.lineno)
        for path, node in functions()
        for inner in ast.walk(node)
        if isinstance(inner, (ast.Import, ast.ImportFrom))
    ]
    assert not wrong, wrong


def test_eventlet_lives_in_cmd_alone():
    wrong = [
        place(path, line)
        for path in trees()
        if floor_of(path) != 'cmd'
        for line, name in imports(path)
        if name.partition('.')[0] in ('eventlet', 'greenlet')
    ]
    assert not wrong, wrong


def test_functions_are_short():
    long = [f'{place(path, node.lineno)} {node.name}: {length(node)}' for path, node in functions() if length(node) > FUNCTION_LINES]
    assert not long, '\n'.join(long)
    assert statistics.median(length(node) for _, node in functions()) < MEDIAN_LINES


def classes():
    for path, tree in trees().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                yield path, node


def methods(node):
    """The methods of a class; properties are its data."""
    return [item for item in node.body if isinstance(item, ast.FunctionDef) and not item.decorator_list]


def test_classes_are_small():
    large = [f'{place(path, node.lineno)} {node.name}: {length(node)}' for path, node in classes() if length(node) >= CLASS_LINES]
    assert not large, '\n'.join(large)
    wide = {node.name: len(methods(node)) for _, node in classes() if len(methods(node)) > CLASS_METHODS}
    assert wide.keys() <= WIDE_CLASSES.keys(), wide


def test_modules_are_small():
    sizes = {place(path): len(path.read_text().splitlines()) for path in trees()}
    large = {name: lines for name, lines in sizes.items() if lines > MODULE_LINES}
    assert large.keys() <= LONG_MODULES.keys(), f'too long: {large}; with a reason: {LONG_MODULES}'


def test_modules_need_few_of_ours():
    counts = {place(path): len({name for _, name in own_imports(path)}) for path in trees()}
    many = {name: count for name, count in counts.items() if count > OWN_IMPORTS}
    assert many.keys() <= WIDE_IMPORTS.keys(), many


def test_modules_say_what_lives_there():
    silent = [place(path) for path, tree in trees().items() if tree.body and not ast.get_docstring(tree)]
    assert not silent, silent

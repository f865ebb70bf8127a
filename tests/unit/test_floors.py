"""Rules of the code base that a test can check: imports between packages, eventlet, and sizes."""

import ast
import functools
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / 'heat_lite'

# the floors that make up the service, which the programs assemble
SERVICE = (
    'conf',
    'operations',
    'common',
    'policies',
    'template',
    'db',
    'clients',
    'rpc',
    'engine',
    'api',
    'resources',
)
# floor -> other floors of heat_lite that it may import, with everything below them
FLOORS = {
    'conf': (),
    'operations': ('common.value_types',),
    'common': ('conf',),
    'policies': ('common', 'operations'),
    'template': (
        'common.exception',
        'common.lru_cache',
        'common.value_texts',
        'common.value_types',
    ),
    'db': ('common', 'conf'),
    'clients': ('common', 'conf'),
    'rpc': ('common', 'conf', 'operations'),
    'engine': ('common', 'conf', 'policies', 'template', 'db', 'clients', 'rpc'),
    'api': (
        'common',
        'conf',
        'operations',
        'policies',
        'rpc',
        'template.reader',
        'template.source_positions',
        'template.suggest',
    ),
    'resources': (
        'engine.event',
        'engine.resource',
        'engine.stack.lifecycle',
        'template',
        'clients.errors',
        'clients.finders',
        'clients.service_catalog',
        'rpc.client',
        'common',
    ),
    'plugin': (
        'common',
        'template',
        'clients',
        'engine.resource',
        'engine.scheduler',
        'resources',
    ),
    # the programs: each room knows the service below it
    'startup': SERVICE,
    'server': ('startup', 'operate', *SERVICE),
    'operate': ('startup', 'server', 'authoring', 'cli', *SERVICE),
    'authoring': ('startup', 'cli', *SERVICE),
    'cli': ('common', 'template', 'authoring'),
    'cmd': ('startup', 'server', 'operate', 'authoring', 'cli', *SERVICE),
    'wsgi': ('cmd.wsgi',),
}
# the third-party libraries of the template package; it uses no cloud, configuration or clock
TEMPLATE_LIBRARIES = {'yaml', 'yaql', 'croniter', 'regex'}
TEMPLATE_REFUSES = {
    'socket',
    'os',
    'pathlib',
    'time',
    'io',
    'subprocess',
    'threading',
    'requests',
    'urllib.request',
    'http',
}
# the command line uses the REST API only; environments are read before they are sent
CLI_MAY = (
    'common.printable',
    'cli',
    'authoring.file_references',
    'authoring.located_errors',
    'authoring.project_templates',
    'common.access_keys',
    'common.installation',
    'common.value_types',
    'template.reader',
)

LONGEST_FUNCTION = 60
MOST_FUNCTIONS = 20
MODULE_LINES = 500
# modules that may import more than their floor; resources/__init__.py fills the registry
BEYOND = {'resources': ('engine.registry',)}
LONG_MODULES = {
    'heat_lite/common/exception.py': 'a table: one class an error, as the API names them'
}


@functools.cache
def trees():
    return {path: ast.parse(path.read_text(), str(path)) for path in sorted(PACKAGE.rglob('*.py'))}


def module_name(path):
    """Return ``template.format`` for heat_lite/template/format.py."""
    parts = path.relative_to(PACKAGE).with_suffix('').parts
    return '.'.join(parts[:-1] if parts[-1] == '__init__' else parts)


MODULES = {module_name(path): path for path in PACKAGE.rglob('*.py')}


def absolute(path, node):
    """Return the absolute name of the module in a ``from`` import."""
    if not node.level:
        return node.module or ''
    package = path.relative_to(ROOT).with_suffix('').parts[: -node.level]
    return '.'.join([*package, *([node.module] if node.module else [])])


def imports(path):
    """Yield (line, dotted name) of each import; ``from a import b`` is a.b if that is our
    module, else a.
    """
    for node in ast.walk(trees()[path]):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = absolute(path, node)
            for alias in node.names:
                full = f'{base}.{alias.name}'
                yield node.lineno, full if full.removeprefix('heat_lite.') in MODULES else base


def own_imports(path):
    """Yield (line, module) of each import of heat_lite, without that prefix."""
    for line, name in imports(path):
        if name == 'heat_lite' or name.startswith('heat_lite.'):
            yield line, name.removeprefix('heat_lite').removeprefix('.')


def run_imports(path):
    """Yield the own imports without those that only a type checker reads."""
    blocks = (
        node
        for node in ast.walk(trees()[path])
        if isinstance(node, ast.If) and ast.unparse(node.test) == 'TYPE_CHECKING'
    )
    for_types = {inner.lineno for block in blocks for inner in block.body}
    return ((line, name) for line, name in own_imports(path) if line not in for_types)


def covered(name, allowed):
    return any(name == each or name.startswith(each + '.') for each in allowed)


def location(path, line=None):
    text = str(path.relative_to(ROOT))
    return text if line is None else f'{text}:{line}'


def floor_of(path):
    return module_name(path).partition('.')[0]


def test_modules_belong_to_a_floor():
    assert {floor_of(path) for path in trees()} - {''} <= FLOORS.keys()


@pytest.mark.parametrize('floor', FLOORS)
def test_floor_imports_lower_floors_only(floor):
    allowed = (floor, '', *FLOORS[floor])
    beyond = {name: (*allowed, *more) for name, more in BEYOND.items()}
    wrong = [
        f'{location(path, line)} imports {name}'
        for path in trees()
        if floor_of(path) == floor
        for line, name in own_imports(path)
        if name and not covered(name, beyond.get(module_name(path), allowed))
    ]
    assert not wrong, '\n'.join(wrong)


def test_engine_core_does_not_import_execution_or_cluster():
    upper = ('engine.execution', 'engine.cluster', 'engine.endpoints')
    wrong = [
        f'{location(path, line)} imports {name}'
        for path in trees()
        if path.parent == PACKAGE / 'engine' and path.name != 'service.py'
        for line, name in run_imports(path)
        if covered(name, upper)
    ]
    assert not wrong, '\n'.join(wrong)


def test_command_line_uses_the_rest_api_only():
    wrong = [
        f'{location(path, line)} imports {name}'
        for path in trees()
        if module_name(path).startswith('cli.')
        for line, name in own_imports(path)
        if not covered(name, CLI_MAY)
    ]
    assert not wrong, '\n'.join(wrong)


def test_template_package_uses_no_outside_world():
    wrong = []
    for path in trees():
        if floor_of(path) != 'template':
            continue
        for line, name in imports(path):
            top = name.partition('.')[0]
            stranger = top not in TEMPLATE_LIBRARIES and top != 'heat_lite' and not is_standard(top)
            if stranger or name in TEMPLATE_REFUSES or top in TEMPLATE_REFUSES:
                wrong.append(f'{location(path, line)} imports {name}')
    assert not wrong, '\n'.join(wrong)


def is_standard(name):
    return name in sys.stdlib_module_names


def cycles(edges):
    """Return the strongly connected components of more than one module (Tarjan's algorithm)."""
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


def test_imports_have_no_cycles():
    edges = {module_name(path): {name for _, name in run_imports(path) if name} for path in trees()}
    assert not cycles(edges)


def test_cycles_are_found():
    assert cycles({'a': {'b'}, 'b': {'c'}, 'c': {'a'}, 'd': {'a'}}) == [['a', 'b', 'c']]


def functions():
    for path, tree in trees().items():
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield path, node


def length(node):
    return node.end_lineno - node.lineno + 1


def test_functions_contain_no_imports():
    wrong = [
        location(path, inner.lineno)
        for path, node in functions()
        for inner in ast.walk(node)
        if isinstance(inner, (ast.Import, ast.ImportFrom))
    ]
    assert not wrong, wrong


def test_eventlet_is_imported_by_the_server_only():
    wrong = [
        location(path, line)
        for path in trees()
        if floor_of(path) not in ('server', 'startup')
        for line, name in imports(path)
        if name.partition('.')[0] in ('eventlet', 'greenlet')
    ]
    assert not wrong, wrong


def test_functions_are_short():
    """Limits of the pathological only; what is usual stands in CONTRIBUTING.md."""
    lengths = sorted(length(node) for _, node in functions())
    assert lengths[len(lengths) * 9 // 10] <= MOST_FUNCTIONS
    long = [
        f'{location(path, node.lineno)} {node.name}: {length(node)}'
        for path, node in functions()
        if length(node) > LONGEST_FUNCTION
    ]
    assert not long, '\n'.join(long)


def test_modules_are_small():
    sizes = {location(path): len(path.read_text().splitlines()) for path in trees()}
    large = {name: lines for name, lines in sizes.items() if lines > MODULE_LINES}
    assert large.keys() <= LONG_MODULES.keys(), f'too long: {large}; with a reason: {LONG_MODULES}'


def test_modules_have_docstrings():
    silent = [
        location(path)
        for path, tree in trees().items()
        if tree.body and not ast.get_docstring(tree)
    ]
    assert not silent, silent

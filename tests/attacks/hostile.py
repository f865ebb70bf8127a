"""The requests of the table of attacks: short to send, and dear if a service computes them."""

import json

VERSION = '2018-08-31'
NESTED = 'range(200).select(range(200).select(range(200).select(1).sum()).sum()).sum()'
#: the same as many times as an attribute says; it is null before the resource exists
UNKNOWN = 'range(int($.data)).select(range(200).select(range(200).select(1).sum()).len()).len()'
#: lists that contain the next one twice
LISTS = 'range(60).aggregate([$1, $1], [])'
SLOW = '(a|aa)+$'
LONG = 'a' * 80 + 'b'
FILE = 'x' * 400_000
#: 3.6 MB
BIG = {'list_join': ['', [{'get_file': 'f'}] * 9]}
PREVIEW = '/stacks/preview'


def request(template, path=PREVIEW, **more):
    """Return a request with a template."""
    return 'POST', path, {'stack_name': 'hostile', 'template': template, **more}


def stack(values, path=PREVIEW, more=None, **sections):
    """Return a request whose template has an OS::Heat::Value for each value."""
    resources = {
        f'r{number}': {'type': 'OS::Heat::Value', 'properties': {'value': value}}
        for number, value in enumerate(values)
    }
    return request(
        {'heat_template_version': VERSION, 'resources': resources, **sections}, path, **(more or {})
    )


def yaql(expression, data=None):
    """Return a request with one expression."""
    return stack([{'yaql': {'expression': expression, 'data': data or {}}}])


def text(lines):
    """Return a request with a template in YAML."""
    return request(f'heat_template_version: {VERSION}\n{lines}')


def _pattern(name='p'):
    return {'type': 'string', 'constraints': [{'allowed_pattern': SLOW}]}


def _many_patterns():
    names = [f'p{number}' for number in range(100)]
    parameters = {name: _pattern() for name in names}
    return stack([1], parameters=parameters, more={'parameters': dict.fromkeys(names, LONG)})


def _nested_pattern():
    inner = {'heat_template_version': VERSION, 'parameters': {'p': _pattern()}}
    resources = {
        f'r{number}': {'type': 'inner.yaml', 'properties': {'p': LONG}} for number in range(100)
    }
    template = {'heat_template_version': VERSION, 'resources': resources}
    return request(template, files={'inner.yaml': json.dumps(inner)})


def _at_run_time():
    """A stack whose expressions are short until an attribute is known, so validation passes."""
    count = {'get_attr': ['first', 'value']}
    resources = {
        f'r{number}': _value({'yaql': {'expression': UNKNOWN, 'data': count}})
        for number in range(8)
    }
    resources['first'] = {
        'type': 'OS::Heat::Value',
        'properties': {'type': 'number', 'value': 190},
    }
    return request({'heat_template_version': VERSION, 'resources': resources}, '/stacks')


def _outputs():
    outputs = {f'o{number}': {'value': BIG} for number in range(60)}
    return stack([1], '/stacks', {'files': {'f': FILE}}, outputs=outputs)


def _itself():
    properties = {'template': {'get_file': 'itself.yaml'}}
    template = {
        'heat_template_version': VERSION,
        'resources': {'s': {'type': 'OS::Heat::Stack', 'properties': properties}},
    }
    return request(template, files={'itself.yaml': json.dumps(template)})


def _circle():
    """Template resources that contain each other, by names of the environment."""
    files = {
        f'{one}.yaml': json.dumps(
            {
                'heat_template_version': VERSION,
                'resources': {f'r{n}': {'type': f'My::{other}'} for n in range(4)},
            }
        )
        for one, other in ('ab', 'ba')
    }
    environment = {'resource_registry': {'My::a': 'a.yaml', 'My::b': 'b.yaml'}}
    template = {'heat_template_version': VERSION, 'resources': {'r': {'type': 'My::a'}}}
    return request(template, files=files, environment=environment)


def _group(definition, count=300, **properties):
    group = {'count': count, 'resource_def': definition, **properties}
    resources = {'g': {'type': 'OS::Heat::ResourceGroup', 'properties': group}}
    return request(
        {'heat_template_version': VERSION, 'resources': resources}, files={'f': 'i' * 300_000}
    )


def _value(value):
    return {'type': 'OS::Heat::Value', 'properties': {'value': value}}


def _aliases():
    rows = '  a0: &a0 [~, ~, ~, ~, ~, ~, ~, ~, ~]\n' + ''.join(
        f'  a{n}: &a{n} [{", ".join([f"*a{n - 1}"] * 9)}]\n' for n in range(1, 8)
    )
    return text(f'parameters:\n{rows}')


def _merge_keys():
    rows = '  m0: &m0 {k: v}\n' + ''.join(
        f'  m{n}: &m{n} {{<<: [{", ".join([f"*m{n - 1}"] * 20)}], k{n}: v}}\n'
        for n in range(1, 400)
    )
    return text(f'parameters:\n{rows}')


def _registry(entries, type_name='ax'):
    template = {'heat_template_version': VERSION, 'resources': {'r': {'type': type_name}}}
    return request(template, environment={'resource_registry': entries})


def _hooks():
    """Patterns of names for each of 500 resources, more than the cache of fnmatch holds."""
    patterns = {f'{"*r" * 60}{number}*': {'hooks': 'pre-create'} for number in range(2000)}
    environment = {'resource_registry': {'resources': patterns}}
    return stack([1] * 500, '/stacks', {'environment': environment})


#: 22,000 items
ITEMS = [f'{number:x}' for number in range(22_000)]
#: row of the table -> a function that returns (method, path, body)
REQUESTS = {
    'name of resource types: (.*)*!': lambda: (
        'GET', '/resource_types?name=' + r'(\w%7C\w\w%7C:)%2B[!?]', None),
    'allowed_pattern: 100 parameters': _many_patterns,
    'allowed_pattern: in 100 nested stacks': _nested_pattern,
    'yaql: regex': lambda: yaql(f'regex("{SLOW}").matches($.data)', LONG),
    'yaql: nested range().select()': lambda: yaql(NESTED),
    'yaql: 8 hanging resources at run time': _at_run_time,
    'yaql: lists in lists, compared': lambda: yaql(f'{LISTS} = {LISTS}'),
    'yaql: lists in lists, as a text': lambda: yaql(f'str({LISTS}).len()'),
    'yaql: a list of 100,000 numbers': lambda: yaql('[' + '1,' * 100_000 + '1]'),
    'yaql: pow(7, 6000000)': lambda: yaql('pow(7, 6000000)'),
    'yaql: shiftBitsLeft(1, 2**33)': lambda: yaql('shiftBitsLeft(1, 8589934592)'),
    'yaql: text * number': lambda: yaql('"x" * 1000000000'),
    'yaql: list * number': lambda: yaql('[1] * 1000000000'),
    'yaql: lists that grow': lambda: yaql(
        'range(190).aggregate($1 + $1, [1, 2])'),
    'yaql: join that grows': lambda: yaql(
        'range(190).aggregate([$1, $1].join($1), "xx")'),
    'yaql: replace that grows': lambda: yaql(
        'range(190).aggregate($1.replace("x", $1), "xx")'),
    'repeat with growth in its values': lambda: stack([{'repeat': {
        'template': 'a', 'for_each': {'a': ['b' * 1000] * 300, 'b': ['c' * 100] * 300}}}]),
    '400 list_joins of 4 MB': lambda: stack([BIG] * 400, more={'files': {'f': FILE}}),
    '200 str_splits of 4 MB': lambda: stack(
        [{'str_split': [',', BIG]}] * 200, more={'files': {'f': 'x,' * 4000}}),
    '60 outputs of 4 MB': _outputs,
    '60 Values of 4 MB': lambda: stack([BIG] * 60, '/stacks', {'files': {'f': FILE}}),
    'str_replace of 20,000 keys': lambda: stack([{'str_replace': {
        'template': BIG, 'params': {f'k{n}': 'v' for n in range(20_000)}}}],
        more={'files': {'f': 'k1 ' * 100_000}}),
    'filter of 22,000 by 22,000': lambda: stack(
        [{'filter': [ITEMS, [each.upper() for each in ITEMS]]}]),
    'list_concat_unique of 100 x 22,000': lambda: stack(
        [{'list_concat_unique': [{'str_split': [',', {'get_file': 'f'}]}] * 4}] * 100,
        more={'files': {'f': ','.join(ITEMS)}}),
    'map_merge that grows': lambda: stack(
        [{'map_merge': [{'get_param': 'p'}] * 100}] * 100,
        parameters={'p': {'type': 'json', 'default': {f'k{n}': 'v' for n in range(10_000)}}}),
    'map_replace that grows': lambda: stack([{'map_replace': [
        {f'k{n}': 'v' for n in range(2000)},
        {'values': {'v': BIG}}]}], more={'files': {'f': FILE}}),
    'get_file of 400 kB 20,000 times': lambda: stack(
        [[{'get_file': 'f'}] * 20_000], more={'files': {'f': FILE}}),
    'get_param of 400 kB 20,000 times': lambda: stack(
        [[{'get_param': 'p'}] * 20_000],
        parameters={'p': {'type': 'string', 'default': FILE[:100_000]}}),
    'get_attr of 15,000 keys 10,000 times': lambda: stack(
        [{n: n for n in ITEMS[:15_000]}, [{'get_attr': ['r0', 'value']}] * 10_000]),
    'digests of 4 MB': lambda: stack(
        [{'digest': ['sha512', BIG]}] * 100, more={'files': {'f': FILE}}),
    '4,500,000 values in an answer': lambda: stack(
        [{'get_param': 'p'}] * 45,
        parameters={'p': {'type': 'json', 'default': [1] * 99_000}}),
    'lint of 250,000 numbers': lambda: (
        'POST', '/validate/lint',
        {'template': f'heat_template_version: {VERSION}\ndescription: [' + '1,' * 250_000 + '1]'}),
    '15,000 patterns of one parameter': lambda: stack([1], parameters={'p': {
        'type': 'string', 'default': 'x',
        'constraints': [{'allowed_pattern': f'x{n}?'} for n in range(15_000)]}}),
    'YAML: aliases, 500 bytes to 40 MB': _aliases,
    'YAML: 1:1:1:...': lambda: text('description: ' + ':'.join(['1'] * 200_000)),
    'YAML: huge numbers': lambda: text('description: [' + ', '.join(['9' * 1990] * 240) + ']'),
    'YAML: merge keys': _merge_keys,
    'YAML: deep': lambda: text('description: ' + '[' * 100_000 + ']' * 100_000),
    'YAML: 500 kB of small values': lambda: text('description: [' + '1,' * 250_000 + '1]'),
    'one environment file 3,000 times': lambda: stack([1], more={
        'files': {'e': 'parameters:\n  a: ' + FILE}, 'environment_files': ['e'] * 3000}),
    'ResourceGroup of 300 x 300 kB': lambda: _group(_value({'get_file': 'f'})),
    'ResourceGroup: growth by %index%': lambda: _group(
        _value('iii' * 30_000), count=900, index_var='iii'),
    '200,000 tags': lambda: stack([1], more={'tags': 'a,' * 200_000}),
    'resource_registry: a name that grows': lambda: _registry({'a*': 'aa*'}),
    'resource_registry: 10,000 links': lambda: _registry(
        {f'ax{"" if n == 0 else n}': f'ax{n + 1}' for n in range(10_000)}),
    'resource_registry: 2,000 patterns of names': _hooks,
    'name of a property: <<<': lambda: request({
        'heat_template_version': VERSION,
        'resources': {'r': {'type': 'OS::Heat::Value', 'properties': {'<' * 400_000: 1}}}}),
    'OS::Heat::Stack of itself': _itself,
    'template resources in a circle': _circle,
}  # fmt: skip

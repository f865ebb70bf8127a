"""The rules for names and prose that a machine can check (CONTRIBUTING.md has them for people)."""

import ast
import collections
import functools
import io
import re
import sys
import tokenize
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / 'heat_lite'

PARAMETERS = 8
MODULES_IN_A_FOLDER = 30
SHORTEST_MODULE = 30

# one stem, one noun: these repeat on each floor on purpose
REPEATED_NOUNS = {
    'actions': 'a noun of the API',
    'adoption': 'the document of an adoption and the endpoint that exports it',
    'application': 'the application at the end of the pipelines of each API',
    'attributes': 'the language has them, a server implements them, plug-ins import them',
    'base': 'what the modules of its own folder share',
    'context': 'the filter puts the RequestContext on a request',
    'event_stream': 'the statements, messages and endpoint of the streams of events',
    'events': 'a noun of the API',
    'listener': 'the RPC client and the endpoint of one engine; a type of the load balancer',
    'preview': 'the prediction of the engine and the command that shows it',
    'properties': 'the language has them, the linter has rules about them',
    'recovery': 'the take-over of an action and the commands that repair a stack',
    'resources': 'a noun of the API',
    'rest': 'the client of a service and the description of its objects',
    'revisions': 'a noun of the API',
    'services': 'a noun of the API: the engines that report to be alive',
    'signals': 'a noun of the API',
    'snapshots': 'a noun of the API',
    'software': 'a noun of the API: configurations and deployments',
    'stacks': 'a noun of the API',
    'templates': 'a noun of the API',
    'watch_rules': "Heat's noun for the alarms that engines evaluate",
    'wsgi': 'the application and its entry point',
    'worker': 'the RPC client and the endpoint of one engine that works with others',
}
# folders whose modules are named after something else than a noun of ours
NAMED_AFTER = {
    'conf': 'the group of options',
    'cmd': 'the command',
    'server': 'the part of a program',
    'operate': 'the command of operators',
    'cli': 'the noun whose verbs it has',
    'authoring': 'the command',
    'startup': 'the step of a start',
    'plugin': 'the module that it exports',
    'resources': 'the resource type',
    'wsgi': 'the API that its application serves',
}
STANDARD_LIBRARY_NAMES = {
    'engine/execution/mailbox.py': 'the term for the queue of an actor; mail is not meant',
    'engine/resource/resource.py': "Heat's word; the standard module is for Unix limits",
    'plugin/resource.py': 'exports engine/resource/resource.py',
}
SHORT_MODULES = {
    'api/middleware/custom_backend.py': 'a filter of its own in api-paste.ini',
    'api/paste_config.py': 'bridges Paste and oslo.config for every filter',
    'api/v1/services.py': 'the controller of a noun of the API',
    'common/event_pace.py': 'one rule for engines and APIs, which share no other folder',
    'common/status.py': 'the vocabulary of states',
    'common/value_types.py': 'the vocabulary of annotations',
    'engine/endpoints/services.py': 'the endpoint of a noun of the API',
    'template/lint/finding.py': 'what every rule of the linter yields',
}
# the contracts of RPC, of plug-ins and of the classes that Heat's plug-ins construct
MANY_PARAMETERS = {
    'engine/endpoints/': 'the arguments on the wire',
    'plugin/': "the signatures that Heat's plug-ins call",
    'template/parameters/parameter_schema.py': 'one argument for each key of a parameter',
    'template/properties.py': 'one argument for each fact of a property',
    'template/schema.py': 'one argument for each fact of a property',
    'rpc/client.py': 'the arguments on the wire',
}
# a sentence names its subject: an engine, a caller, a row; and no metaphors of the house
FORBIDDEN = re.compile(
    r'\b((?:of|for|by|to|with|and|but|as|what) who|whoever|whomever|nobody|somebody'
    r'|anybody|everybody|someone|anyone|neighbours?|errand'
    r'|in the midst|takes? away|taken away|is told|are told|gives? way|of which nobody)\b',
    re.IGNORECASE,
)
QUOTED = re.compile(r'``[^`]*``|`[^`]*`|"[^"]*"')


@functools.cache
def modules():
    """``{path below heat_lite: syntax tree}``."""
    paths = sorted(PACKAGE.rglob('*.py'))
    return {path.relative_to(PACKAGE).as_posix(): ast.parse(path.read_text()) for path in paths}


def named_modules():
    return [name for name in modules() if not name.endswith('__init__.py')]


def is_allowed(name, allowed):
    return any(name == each or (each.endswith('/') and name.startswith(each)) for each in allowed)


def test_stems_stand_for_one_noun():
    places = collections.defaultdict(list)
    for name in named_modules():
        if name.partition('/')[0] not in NAMED_AFTER:
            places[Path(name).stem].append(name)
    repeated = {stem: found for stem, found in places.items() if len(found) > 1}
    assert repeated.keys() <= REPEATED_NOUNS.keys(), repeated


def test_modules_do_not_hide_the_standard_library():
    hiding = [name for name in named_modules() if Path(name).stem in sys.stdlib_module_names]
    assert set(hiding) <= STANDARD_LIBRARY_NAMES.keys(), hiding


def test_short_modules_have_a_reason():
    short = {
        name
        for name in named_modules()
        if len((PACKAGE / name).read_text().splitlines()) < SHORTEST_MODULE
        and name.partition('/')[0] not in NAMED_AFTER
    }
    assert short <= SHORT_MODULES.keys(), short - SHORT_MODULES.keys()


def test_folders_are_small():
    counts = collections.Counter(str(Path(name).parent) for name in named_modules())
    large = {name: count for name, count in counts.items() if count > MODULES_IN_A_FOLDER}
    assert not large, large


def test_functions_have_few_parameters():
    wide = [
        f'{name}:{node.lineno} {node.name}'
        for name, tree in modules().items()
        if not is_allowed(name, MANY_PARAMETERS)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and parameters(node) > PARAMETERS
    ]
    assert not wide, '\n'.join(wide)


def parameters(node):
    names = [each.arg for each in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
    return len(names) - (names[:1] in (['self'], ['cls']))


def prose(path):
    """Each (line, text) of the docstrings, comments and messages of a module, or of a page."""
    text = path.read_text()
    if path.suffix == '.md':
        yield from enumerate(text.splitlines(), 1)
        return
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        is_text = token.type == tokenize.STRING and ' ' in token.string
        if token.type == tokenize.COMMENT or is_text:
            for offset, line in enumerate(token.string.splitlines()):
                yield token.start[0] + offset, line


def sentences_without_subject(path):
    return [
        f'{path.relative_to(ROOT)}:{number}: {line.strip()[:110]}'
        for number, line in prose(path)
        if FORBIDDEN.search(QUOTED.sub('', line))
    ]


@pytest.mark.parametrize('folder', sorted(each.name for each in PACKAGE.iterdir() if each.is_dir()))
def test_sentences_name_their_subject(folder):
    wrong = [
        found
        for path in sorted((PACKAGE / folder).rglob('*.py'))
        for found in sentences_without_subject(path)
    ]
    assert not wrong, '\n'.join(wrong)


def test_pages_name_their_subject():
    pages = [ROOT / 'README.md', ROOT / 'CONTRIBUTING.md', *sorted((ROOT / 'docs').rglob('*.md'))]
    wrong = [found for path in pages for found in sentences_without_subject(path)]
    assert not wrong, '\n'.join(wrong)


def test_forbidden_words_are_seen():
    assert FORBIDDEN.search('Whoever holds the lock') and FORBIDDEN.search('the caller is told')
    assert not FORBIDDEN.search('the whole stack') and not FORBIDDEN.search('The caller returns.')

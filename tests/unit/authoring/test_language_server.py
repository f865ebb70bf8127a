"""``heat-lite lsp`` as a process, with the client of pygls over its standard input and output."""

import asyncio
import contextlib
import os
import subprocess
import sys
from pathlib import Path

import pytest
from lsprotocol import types
from pygls.lsp.client import LanguageClient

from heat_lite.template.editing import formatting
from tests.timeouts import WAIT_SECONDS

ROOT = Path(__file__).parents[3]
HOT = """\
heat_template_version: 2021-04-16
parameters:
  flavor: {type: string, description: The size of the server.}
resources:
  net: {type: OS::Neutron::Net}
  part: {type: part.yaml, properties: {size: 1}}
"""
SERVER = HOT + '  server:\n    type: OS::Nova::Server\n    properties:\n'
PART = """\
heat_template_version: 2021-04-16
description: A part.
parameters:
  size: {type: number}
resources:
  value: {type: OS::Heat::Value, properties: {value: {get_param: size}}}
outputs:
  area: {value: {get_attr: [value, value]}}
"""


class Editor:
    """A client of the server, and the findings that the server has published."""

    def __init__(self, client, folder):
        self.client = client
        self.folder = folder
        self.published: dict[str, types.PublishDiagnosticsParams] = {}
        self.news = asyncio.Event()
        self.versions: dict[str, int] = {}
        client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(
            lambda params: self._on_diagnostics(params)
        )

    def _on_diagnostics(self, params: types.PublishDiagnosticsParams):
        self.published[params.uri] = params
        self.news.set()

    def uri(self, name):
        return (self.folder / name).as_uri()

    def open(self, name, text):
        self.versions[name] = 1
        item = types.TextDocumentItem(self.uri(name), 'yaml', 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def change(self, name, text):
        self.versions[name] += 1
        document = types.VersionedTextDocumentIdentifier(self.versions[name], self.uri(name))
        change = types.TextDocumentContentChangeWholeDocument(text)
        params = types.DidChangeTextDocumentParams(document, [change])
        self.client.text_document_did_change(params)

    async def findings(self, name):
        """Return [(line, column, rule)] for the present version of a document."""
        while True:
            self.news.clear()
            found = self.published.get(self.uri(name))
            if found is not None and found.version == self.versions[name]:
                break
            await asyncio.wait_for(self.news.wait(), WAIT_SECONDS)
        return [
            (each.range.start.line, each.range.start.character, each.code)
            for each in found.diagnostics
        ]

    def at(self, kind, name, text, mark):
        """Return the parameters of a request about the end of a part of a text."""
        before = text[: text.index(mark) + len(mark)]
        line = before[before.rfind('\n') + 1 :]
        column = len(line.encode('utf-16-le')) // 2
        position = types.Position(before.count('\n'), column)
        return kind(types.TextDocumentIdentifier(self.uri(name)), position)

    async def complete(self, name, text, mark):
        """Return {label: completion} at the end of a part of a text."""
        params = self.at(types.CompletionParams, name, text, mark)
        found = await self.client.text_document_completion_async(params)
        return {item.label: item for item in found.items}

    async def hover(self, name, text, mark):
        params = self.at(types.HoverParams, name, text, mark)
        found = await self.client.text_document_hover_async(params)
        return None if found is None else found.contents.value

    async def definition(self, name, text, mark):
        """Return (file name, line), None if there is no definition."""
        params = self.at(types.DefinitionParams, name, text, mark)
        found = await self.client.text_document_definition_async(params)
        return None if found is None else (found.uri.rpartition('/')[2], found.range.start.line)


@contextlib.asynccontextmanager
async def editor(folder, *argv):
    client = LanguageClient('tests', '1')
    command = [sys.executable, '-m', 'heat_lite.cli.main', 'lsp', *argv]
    environ = {**os.environ, 'PYTHONPATH': str(ROOT)}
    await client.start_io(*command, cwd=folder, env=environ)
    here = folder.as_uri()
    params = types.InitializeParams(types.ClientCapabilities(), root_uri=here)
    await asyncio.wait_for(client.initialize_async(params), WAIT_SECONDS)
    client.initialized(types.InitializedParams())
    try:
        yield Editor(client, folder)
    finally:
        await asyncio.wait_for(client.shutdown_async(None), WAIT_SECONDS)
        client.exit(None)
        await asyncio.wait_for(client.stop(), WAIT_SECONDS)


def play(folder, scenario, *argv):
    """Run a scenario, a coroutine of an Editor, against a new server."""

    async def run():
        async with editor(folder, *argv) as client:
            await asyncio.wait_for(scenario(client), WAIT_SECONDS)

    asyncio.run(run())


@pytest.fixture
def folder(tmp_path):
    (tmp_path / 'part.yaml').write_text(PART)
    (tmp_path / 'script.sh').write_text('exit 0\n')
    return tmp_path


def test_language_server_publishes_findings_of_the_present_text(folder):
    async def scenario(editor):
        editor.open('web.yaml', HOT)
        assert await editor.findings('web.yaml') == [(2, 2, 'unused-parameter')]
        editor.change('web.yaml', HOT.replace('size: 1', 'sise: 1'))
        assert await editor.findings('web.yaml') == [
            (2, 2, 'unused-parameter'),
            (5, 26, 'missing-property'),
            (5, 39, 'unknown-property'),
        ]
        editor.change('web.yaml', HOT + '  # heat-lint: disable-file=unused-parameter\n')
        assert await editor.findings('web.yaml') == []
        editor.change('web.yaml', HOT + '  x: [\n')
        assert [rule for _, _, rule in await editor.findings('web.yaml')] == ['syntax']

    play(folder, scenario)


def test_language_server_sees_the_open_text_of_a_nested_template(folder):
    async def scenario(editor):
        editor.open('part.yaml', PART.replace('size', 'width'))
        editor.open('web.yaml', HOT)
        found = [rule for _, _, rule in await editor.findings('web.yaml')]
        assert found == ['unused-parameter', 'missing-property', 'unknown-property']

    play(folder, scenario)


def test_language_server_publishes_the_first_of_many_findings(folder):
    unknown = ''.join(f'  r{number}: {{type: OS::Heat::Nil}}\n' for number in range(3000))

    async def scenario(editor):
        editor.open('web.yaml', f'heat_template_version: 2021-04-16\nresources:\n{unknown}')
        found = await editor.findings('web.yaml')
        assert [rule for _, _, rule in found] == ['unknown-type'] * 1000 + [None]
        last = editor.published[editor.uri('web.yaml')].diagnostics[-1]
        assert last.message.startswith('2000 more findings')

    play(folder, scenario)


def test_language_server_ends_a_check_that_takes_too_long(folder):
    pattern = 'parameters:\n  p: {type: string, default: "' + 'a' * 40 + '!", constraints: [{'
    text = HOT.replace('parameters:\n', pattern + 'allowed_pattern: "(a+)+b"}]}\n')

    async def scenario(editor):
        editor.open('slow.yaml', text)
        await editor.findings('slow.yaml')
        [found] = editor.published[editor.uri('slow.yaml')].diagnostics
        assert 'The check has not ended' in found.message
        hover = await editor.hover('slow.yaml', text, 'OS::Neutron::N')
        assert 'OS::Neutron::Net' in hover

    play(folder, scenario, '--timeout', '0.001')


#: (text, the part of it before the cursor, a completion, a name that is none)
COMPLETIONS = [
    (HOT + '  s:\n    type: OS::Nova::Se\n', 'OS::Nova::Se', 'OS::Nova::Server', 'net'),
    (SERVER + '      fl\n', '      fl', 'flavor', 'name'),
    (SERVER + '      image: x\n      \n', 'x\n      ', 'flavor', 'image'),
    (SERVER + '      networks: [{po}]\n', '{po', 'port', 'network'),
    (SERVER + '      flavor: {get_p}\n', '{get_p', 'get_param', 'get_attr'),
    (SERVER + '      flavor: {get_param: }\n', 'get_param: ', 'flavor', 'net'),
    (SERVER + '      flavor: {get_resource: \n', 'get_resource: ', 'net', 'flavor'),
    (SERVER + '      name: {get_attr: [part, ]}\n', 'part, ', 'area', 'size'),
    (SERVER + '      name: {get_attr: [net, \n', 'net, ', 'mtu', 'area'),
    (SERVER + '      diskConfig: \n', 'diskConfig: ', 'MANUAL', 'flavor'),
    (HOT.replace('{size: 1}', '{s}'), '{s', 'size', 'area'),
    (HOT + 'out\n', 'out', 'outputs', 'resources'),
    (SERVER + '      name: "a\n      fl\n', '      fl', 'flavor', 'name'),
    ('', '', 'heat_template_version', 'flavor'),
    ('---\n', '---\n', 'resource_registry', 'flavor'),
    (HOT + '  s:\n    type: part.yaml\n    dep\n', 'dep', 'depends_on', 'type'),
]


def test_language_server_completes(folder):
    async def scenario(editor):
        for number, (text, mark, label, absent) in enumerate(COMPLETIONS):
            editor.open(f'{number}.yaml', text)
            found = await editor.complete(f'{number}.yaml', text, mark)
            assert label in found, mark
            assert absent not in found, mark

    play(folder, scenario)


def test_language_server_completion_replaces_the_word(folder):
    # the character beyond 16 bits counts twice in the protocol
    text = HOT + '  s: {description: \U0001f600, type: OS::Neutron::Ne}\n'

    async def scenario(editor):
        editor.open('web.yaml', text)
        found = await editor.complete('web.yaml', text, ', type: OS::Neutron::Ne')
        edit = found['OS::Neutron::Net'].text_edit
        assert edit.new_text == 'OS::Neutron::Net'
        assert (edit.range.start.character, edit.range.end.character) == (29, 44)

    play(folder, scenario)


def test_language_server_describes_types_properties_functions_and_references(folder):
    text = SERVER + '      flavor: {get_param: flavor}\n      user_data: {get_file: script.sh}\n'

    async def scenario(editor):
        editor.open('web.yaml', text)
        for mark, expected in (
            ('OS::Nova::Serv', 'Required properties: `flavor`'),
            ('properties:\n      flav', '**flavor** (string, required'),
            ('{get_par', '**get_param**'),
            ('get_param: flav', 'The size of the server.'),
            ('part: {type: part', 'A part.'),
        ):
            assert expected in await editor.hover('web.yaml', text, mark), mark
        assert await editor.hover('web.yaml', text, 'heat_template_ver') is None

    play(folder, scenario)


def test_language_server_finds_definitions(folder):
    text = SERVER + (
        '      flavor: {get_param: flavor}\n      user_data: {get_file: script.sh}\n'
        '      networks: [{network: {get_resource: net}}]\n'
        '      name: {get_attr: [part, area]}\n    depends_on: part\n'
    )

    async def scenario(editor):
        editor.open('web.yaml', text)
        for mark, expected in (
            ('get_param: fl', ('web.yaml', 2)),
            ('get_resource: n', ('web.yaml', 4)),
            ('depends_on: pa', ('web.yaml', 5)),
            ('get_attr: [pa', ('web.yaml', 5)),
            ('[part, ar', ('part.yaml', 7)),
            ('{type: par', ('part.yaml', 0)),
            ('get_file: scr', ('script.sh', 0)),
            ('OS::Nova', None),
        ):
            assert await editor.definition('web.yaml', text, mark) == expected, mark

    play(folder, scenario)


def test_language_server_requests_about_a_closed_document_have_empty_answers(folder):
    async def scenario(editor):
        for name in ('closed.yaml', 'missing/new.yaml'):
            assert await editor.complete(name, HOT, 'net: {type: OS::Neutron::N') == {}
            assert await editor.hover(name, HOT, 'net: {type: OS::Neutron::N') is None
            assert await editor.definition(name, HOT, 'part: {type: pa') is None

    play(folder, scenario)


def test_language_server_applies_settings(folder):
    (folder / '.heat-lint.yaml').write_text('rules: {unused-parameter: note}\n')

    async def scenario(editor):
        editor.open('web.yaml', HOT)
        await editor.findings('web.yaml')
        [found] = editor.published[editor.uri('web.yaml')].diagnostics
        assert found.severity == types.DiagnosticSeverity.Information

    play(folder, scenario)


def test_language_server_without_pygls_names_the_missing_package(tmp_path):
    program = (
        'import sys\nsys.modules["pygls"] = None\n'
        'from heat_lite.cli.main import main\nsys.exit(main(["lsp"]))\n'
    )
    environ = {**os.environ, 'PYTHONPATH': str(ROOT)}
    done = subprocess.run(
        [sys.executable, '-c', program], capture_output=True, text=True, env=environ
    )
    assert done.returncode == 2
    assert "pip install 'heat-lite[lsp]'" in done.stderr


BROKEN = (
    SERVER
    + """\
      flavor: {get_param: flavor}
      networks: [{network: {get_resource: net
  last:
    type: OS::Heat::Value
    properties: {value: {get_
"""
)


def test_half_typed_lines_are_described_and_lead_to_definitions(folder):
    async def scenario(client):
        client.open('app.yaml', BROKEN)
        assert 'The size of the server' in await client.hover('app.yaml', BROKEN, 'get_param: flav')
        assert 'OS::Nova::Server' in await client.hover('app.yaml', BROKEN, 'type: OS::Nova::Ser')
        found = await client.definition('app.yaml', BROKEN, 'get_param: flav')
        assert found == ('app.yaml', 2)
        assert await client.definition('app.yaml', BROKEN, 'get_resource: n') == ('app.yaml', 4)
        assert 'get_attr' in await client.complete('app.yaml', BROKEN, '{value: {get_')

    play(folder, scenario)


def test_symbols_are_the_sections_and_entries_even_of_half_typed_lines(folder):
    async def scenario(client):
        client.open('app.yaml', BROKEN)
        document = types.TextDocumentIdentifier(client.uri('app.yaml'))
        found = await client.client.text_document_document_symbol_async(
            types.DocumentSymbolParams(document)
        )
        assert [each.name for each in found] == ['heat_template_version', 'parameters', 'resources']
        entries = [(each.name, each.detail, each.range.end.line) for each in found[2].children]
        assert entries == [
            ('net', 'OS::Neutron::Net', 4),
            ('part', 'part.yaml', 5),
            ('server', 'OS::Nova::Server', 10),
            ('last', 'OS::Heat::Value', 13),
        ]

    play(folder, scenario)


def test_document_is_formatted_unless_it_cannot_be_read(folder):
    async def scenario(client):
        text = HOT.replace('  part:', '\n\n\n  part:')
        client.open('app.yaml', text)
        client.open('broken.yaml', BROKEN)
        changes = []
        for name in ('app.yaml', 'broken.yaml'):
            document = types.TextDocumentIdentifier(client.uri(name))
            options = types.FormattingOptions(tab_size=2, insert_spaces=True)
            params = types.DocumentFormattingParams(document, options)
            changes.append(await client.client.text_document_formatting_async(params))
        [change], nothing = changes
        assert change.new_text == formatting.formatted(text) != text and not nothing
        assert change.range.end.line == text.count('\n')

    play(folder, scenario)


def test_misspelt_word_has_a_quick_fix(folder):
    async def scenario(client):
        text = (
            HOT + '  café: {type: OS::Heat::Value, properties: {vlaue: {get_atrr: [net, name]}}}\n'
        )
        client.open('app.yaml', text)
        await client.findings('app.yaml')
        diagnostics = client.published[client.uri('app.yaml')].diagnostics
        document = types.TextDocumentIdentifier(client.uri('app.yaml'))
        whole = types.Range(types.Position(0, 0), types.Position(9, 0))
        params = types.CodeActionParams(document, whole, types.CodeActionContext(diagnostics))
        found = await client.client.text_document_code_action_async(params)
        edits = [edit for each in found for edit in each.edit.changes[client.uri('app.yaml')]]
        line = text.splitlines()[6]
        assert {
            (line[edit.range.start.character : edit.range.end.character], edit.new_text)
            for edit in edits
        } >= {('vlaue', 'value'), ('get_atrr', 'get_attr')}

    play(folder, scenario)

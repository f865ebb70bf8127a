import json

import pytest

from heat_lite.cli import errors, stack_files
from tests import identity

INNER = 'heat_template_version: 2021-04-16\nresources: {}\n'


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(folder, **texts):
    for name, text in texts.items():
        (folder / name.replace('__', '.')).write_text(text)


def template(resources):
    return f'heat_template_version: 2021-04-16\nresources:\n{resources}'


def test_nested_templates_and_files_are_sent_by_their_urls(folder):
    (folder / 'parts').mkdir()
    (folder / 'parts' / 'inner.yaml').write_text(template('  b: {type: leaf.yaml}\n'))
    (folder / 'parts' / 'leaf.yaml').write_text(
        template('  c:\n    type: OS::Heat::Value\n    properties: {value: {get_file: ../motd}}\n')
    )
    write(folder, motd='hello', app__yaml=template('  a:\n    type: parts/inner.yaml\n'))
    files = stack_files.StackFiles()
    base = folder.as_uri()
    assert files.template('app.yaml') == template(f'  a:\n    type: "{base}/parts/inner.yaml"\n')
    assert files.contents.keys() == {
        f'{base}/parts/inner.yaml',
        f'{base}/parts/leaf.yaml',
        f'{base}/motd',
    }
    assert files.contents[f'{base}/motd'] == 'hello'
    assert f'"{base}/motd"' in files.contents[f'{base}/parts/leaf.yaml']


def test_lines_of_a_template_stay_in_place(folder):
    write(folder, app__yaml='# é\n' + template('  a: {type: i.yaml} # x\n  b: 1\n'), i__yaml=INNER)
    text = stack_files.StackFiles().template('app.yaml')
    lines = text.splitlines()
    assert lines[0] == '# é' and lines[3].endswith('i.yaml"} # x') and lines[4] == '  b: 1'


def test_json_template_is_resolved(folder):
    text = {'heat_template_version': '2021-04-16', 'resources': {'a': {'type': 'i.yaml'}}}
    write(folder, app__json=json.dumps(text), i__yaml=INNER)
    sent = json.loads(stack_files.StackFiles().template('app.json'))
    assert sent['resources']['a']['type'] == f'{folder.as_uri()}/i.yaml'


def test_template_that_contains_itself_is_read_once(folder):
    write(folder, app__yaml=template('  a: {type: app.yaml}\n'))
    files = stack_files.StackFiles()
    files.template('app.yaml')
    assert list(files.contents) == [f'{folder.as_uri()}/app.yaml']


def test_binary_file_is_sent_in_base64(folder):
    (folder / 'blob').write_bytes(b'\xff\x00')
    write(folder, app__yaml=template('  a: {properties: {value: {get_file: blob}}}\n'))
    files = stack_files.StackFiles()
    files.template('app.yaml')
    assert files.contents[f'{folder.as_uri()}/blob'] == '/wA=\n'


def test_missing_file_is_named_with_the_line_that_refers_to_it(folder):
    write(folder, app__yaml=template('  a: {type: nowhere.yaml}\n'))
    with pytest.raises(
        errors.FileError, match=r'app.yaml:3:\d+: error: type: nowhere.yaml: .*No such'
    ):
        stack_files.StackFiles().template('app.yaml')


@pytest.mark.parametrize('content', [b'\xff', b'a: [', b'a: &b [*b]\n' + b'[' * 5000])
def test_unreadable_template_is_an_error_of_a_command(folder, content):
    (folder / 'app.yaml').write_bytes(content)
    with pytest.raises(errors.FileError, match='app.yaml'):
        stack_files.StackFiles().template('app.yaml')


def test_environment_maps_types_to_urls(folder):
    registry = {
        'My::A': 'i.yaml',
        'My::B': 'OS::Heat::Value',
        'resources': {'x': {'My::C': 'i.yaml', 'hooks': 'pre-create'}},
    }
    (folder / 'env').mkdir()
    (folder / 'env' / 'e.yaml').write_text(json.dumps({'resource_registry': registry}))
    (folder / 'env' / 'i.yaml').write_text(INNER)
    files = stack_files.StackFiles()
    url = f'{folder.as_uri()}/env/i.yaml'
    assert files.environment('env/e.yaml')['resource_registry'] == {
        'My::A': url,
        'My::B': 'OS::Heat::Value',
        'resources': {'x': {'My::C': url, 'hooks': 'pre-create'}},
    }
    assert files.contents == {url: INNER}


def test_base_url_of_a_registry_is_where_its_files_are(folder):
    (folder / 'lib').mkdir()
    (folder / 'lib' / 'i.yaml').write_text(INNER)
    write(folder, e__yaml='resource_registry: {base_url: lib, "My::A": i.yaml}')
    found = stack_files.StackFiles().environment('e.yaml')['resource_registry']['My::A']
    assert found == f'{folder.as_uri()}/lib/i.yaml'


def test_invalid_environment_is_an_error_of_a_command(folder):
    write(folder, e__yaml='parametres: {}')
    with pytest.raises(errors.FileError, match='e.yaml:1:1: error: environment has wrong section'):
        stack_files.StackFiles().environment('e.yaml')


def serve_texts(texts):
    def application(environ, start_response):
        text = texts.get(environ['PATH_INFO'])
        start_response('200 OK' if text else '404 Not Found', [])
        return [(text or '').encode()]

    return identity.serve(application)


def test_template_of_a_url_takes_its_files_from_there():
    texts = {'/a/app.yaml': template('  a: {type: ../i.yaml}\n'), '/i.yaml': INNER}
    with serve_texts(texts) as base:
        url = base.removesuffix('/v3')
        files = stack_files.StackFiles()
        assert f'"{url}/i.yaml"' in files.template(f'{url}/a/app.yaml')
        assert files.contents == {f'{url}/i.yaml': INNER}
        with pytest.raises(errors.FileError, match='Not Found'):
            files.template(f'{url}/missing.yaml')


def test_template_of_a_url_cannot_send_local_files(folder):
    secret = folder / 'secret'
    secret.write_text('s3cret')
    text = template(f'  a: {{properties: {{value: {{get_file: "{secret.as_uri()}"}}}}}}\n')
    with serve_texts({'/app.yaml': text}) as base:
        files = stack_files.StackFiles()
        with pytest.raises(errors.FileError, match='must not refer to the local file'):
            files.template(base.removesuffix('/v3') + '/app.yaml')
    assert files.contents == {}


def test_files_container_leaves_references_as_they_are(folder):
    write(folder, app__yaml=template('  a: {type: elsewhere.yaml}\n'))
    files = stack_files.StackFiles(with_references=False)
    assert files.template('app.yaml') == (folder / 'app.yaml').read_text()
    assert files.contents == {}


def test_merge_lets_the_newer_environment_win():
    older = {'parameters': {'a': 1, 'b': 1}, 'resource_registry': {'x': 'y'}}
    newer = {'parameters': {'b': 2, 'c': 3}, 'event_sinks': []}
    assert stack_files.merge(older, newer) == {
        'parameters': {'a': 1, 'b': 2, 'c': 3},
        'resource_registry': {'x': 'y'},
        'event_sinks': [],
    }

"""The verbs ``service list`` and ``build info``, and endpoints that are not complete."""

import json

import pytest

from heat_lite.cli import main
from tests import identity

ANSWERS = {
    '/v1/p/services': {
        'services': [
            {
                'hostname': 'node',
                'status': 'up',
                'engine_id': 'e-1',
                'updated_at': '2026-01-01T00:00:00.000000',
                'binary': 'heat-engine',
            }
        ]
    },
    '/v1/p/build_info': {'api': {'revision': '1.0'}, 'engine': {'revision': '2.0'}},
}


def application(environ, start_response):
    content = json.dumps(ANSWERS[environ['PATH_INFO']]).encode()
    start_response('200 OK', [('Content-Length', str(len(content)))])
    return [content]


@pytest.mark.parametrize(
    'command, words', [('service list', ['node', 'up', 'e-1']), ('build info', ['1.0', '2.0'])]
)
def test_service_is_described_as_a_table_and_as_json(command, words, capsys):
    with identity.serve(application) as url:
        chosen = [*command.split(), '--endpoint', f'{url}/v1/p']
        assert main.main(chosen) == 0
        told = capsys.readouterr().out
        assert main.main([*chosen, '--json']) == 0
    assert all(word in told for word in words)
    assert json.loads(capsys.readouterr().out) in (
        ANSWERS['/v1/p/services']['services'],
        ANSWERS['/v1/p/build_info'],
    )


@pytest.mark.parametrize(
    'path, scheme, told, status',
    [('/v1', 'http', 'lacks the project', 2), ('/v1/p', 'https', 'not use TLS', 1)],
)
def test_incomplete_endpoint_is_refused_with_what_to_write(path, scheme, told, status, capsys):
    with identity.serve(application) as url:
        endpoint = url.replace('http', scheme) + path
        assert main.main(['list', '--endpoint', endpoint]) == status
    assert told in capsys.readouterr().err


def test_document_without_a_template_is_not_sent(tmp_path, capsys):
    file = tmp_path / 'app.json'
    file.write_text('{"nonsense": 1}')
    with identity.serve(application) as url:
        endpoint = ['--endpoint', f'{url}/v1/p']
        assert main.main(['adopt', '--adopt-file', str(file), 'app', *endpoint]) == 1
    assert 'it has no "template"' in capsys.readouterr().err

import datetime
import io
import json

import pytest

from heat_lite.cli import api_client, arguments, errors, stacks
from heat_lite.cli.display import terminal
from tests import identity

NOW = datetime.datetime(2026, 1, 2, 12, tzinfo=datetime.UTC)


@pytest.mark.parametrize(
    'time, text',
    [
        ('2026-01-02T11:59:15Z', '45s'),
        ('2026-01-02T11:57:00', '3m'),
        ('2026-01-02T07:00:00Z', '5h'),
        ('2025-12-30T11:00:00Z', '3d'),
        ('2026-01-02T12:00:09Z', '0s'),
        (None, ''),
        ('long ago', 'long ago'),
    ],
)
def test_age_has_the_largest_unit(time, text):
    assert stacks.age(time, NOW) == text


def run(function, specific, api, *words):
    args = arguments.parser('x', 'x', 'x', specific).parse_args(words)
    out = terminal.Terminal(io.StringIO(), live=False, is_json=args.json)
    function(api, out, args)
    return out.stream.getvalue()


def test_list_reads_all_pages_and_sends_filters(monkeypatch):
    monkeypatch.setattr(stacks, 'PAGE_SIZE', 2)
    queries = []
    names = ['a', 'b', 'c']

    def application(environ, start_response):
        query = dict(part.split('=') for part in environ['QUERY_STRING'].split('&'))
        queries.append(query)
        first = names.index(query['marker']) + 1 if 'marker' in query else 0
        page = [
            {'stack_name': name, 'id': name, 'stack_status': 'X', 'creation_time': None}
            for name in names[first : first + int(query['limit'])]
        ]
        start_response('200 OK', [])
        return [json.dumps({'stacks': page}).encode()]

    with identity.serve(application) as url:
        api = api_client.ApiClient(url)
        words = ('--status', 'failed', '--sort', 'name:asc', '--deleted', '--json')
        found = json.loads(run(stacks.list_stacks, stacks.LIST_STACKS, api, *words))
        assert [each['id'] for each in found] == names
        assert queries[0] == {
            'status': 'FAILED',
            'sort_keys': 'name',
            'sort_dir': 'asc',
            'show_deleted': 'true',
            'limit': '2',
        }
        assert queries[1]['marker'] == 'b'
        limited = run(stacks.list_stacks, stacks.LIST_STACKS, api, '--limit', '1', '--json')
    assert len(json.loads(limited)) == 1 and queries[-1] == {'limit': '1'}


def test_output_of_one_name_is_printed_plainly():
    stack = {
        'stack_name': 's',
        'id': '1',
        'outputs': [
            {'output_key': 'url', 'output_value': 'http://x'},
            {'output_key': 'map', 'output_value': {'a': 1}},
            {'output_key': 'bad', 'output_value': None, 'output_error': 'no such thing'},
        ],
    }

    def application(environ, start_response):
        start_response('200 OK', [])
        return [json.dumps({'stack': stack}).encode()]

    with identity.serve(application) as url:
        api = api_client.ApiClient(url)
        assert run(stacks.outputs, stacks.OUTPUTS, api, 's', 'url') == 'http://x\n'
        assert json.loads(run(stacks.outputs, stacks.OUTPUTS, api, 's', 'map')) == {'a': 1}
        with pytest.raises(errors.CommandError, match='no output urk. Did you mean url?'):
            run(stacks.outputs, stacks.OUTPUTS, api, 's', 'urk')
        with pytest.raises(errors.CommandError, match='no output q. It has: url, map, bad'):
            run(stacks.outputs, stacks.OUTPUTS, api, 's', 'q')
        assert 'error: no such thing' in run(stacks.outputs, stacks.OUTPUTS, api, 's')
        with pytest.raises(errors.CommandError, match='no such thing'):
            run(stacks.outputs, stacks.OUTPUTS, api, 's', 'bad')

"""Outputs that cannot be written, and responses of an unknown form, end without a traceback."""

import os
import subprocess
import sys

import pytest

from heat_lite.cli import api_client, errors

PROGRAM = [sys.executable, '-m', 'heat_lite.cli.main']


@pytest.mark.parametrize('words', [['--help'], ['list', '--help'], ['docs', '--name', 'Heat']])
def test_full_disk_is_named_and_fails(words):
    with open('/dev/full', 'w') as full:
        done = subprocess.run([*PROGRAM, *words], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1
    assert done.stderr == 'heat-lite: the standard output: No space left on device\n'


def test_reader_that_ends_is_no_error():
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([*PROGRAM, '--help'], stdout=writer, stderr=subprocess.PIPE, text=True)
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, '')


def test_closed_streams_are_no_error():
    command = f'{sys.executable} -m heat_lite.cli.main docs get_attr <&- >&-'
    done = subprocess.run(['sh', '-c', command], stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (0, '')


def test_response_of_an_unknown_form_names_the_address_and_what_it_lacks():
    api = api_client.ApiClient('http://127.0.0.1:1/v1/x')
    with pytest.raises(api_client.RequestFailed):
        api.call('GET', '/stacks')
    assert api.unexpected_text(KeyError('stacks')) == (
        "the response to GET http://127.0.0.1:1/v1/x/stacks lacks 'stacks': "
        'is this the URL of an orchestration service?'
    )


class _Arguments:
    stack = 'app'


@pytest.mark.parametrize(
    ('text', 'command'),
    [
        ("Cancelling update when stack is ('CREATE', 'IN_PROGRESS') is", 'cancel --no-rollback'),
        ('The Stack (app) is protected from being deleted.', 'protect --off'),
        ('Updating a stack when it is suspended is not supported.', 'resume'),
    ],
)
def test_advice_names_the_command_that_helps(text, command):
    error = api_client.RequestFailed(400, text)
    assert f'`heat-lite {command} app`' in errors.advice(error, _Arguments)
    ended = 'Cancelling update when stack is CREATE_COMPLETE is not supported.'
    for other in ('else', ended):
        assert errors.advice(api_client.RequestFailed(400, other), _Arguments) == ''

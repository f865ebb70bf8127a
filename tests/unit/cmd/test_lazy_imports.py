"""What is loaded late does all that it does otherwise. Each case is a program of its own, since modules are loaded once."""

import json
import subprocess
import sys
import textwrap

from oslo_utils import strutils

START = """
import sys
from heat_lite.cmd import late
late.set_up()

def is_loaded(name):
    return type(sys.modules[name]).__name__ == 'module'
"""
WORDS = [f'{key} = "x y"' for key in strutils._SANITIZE_KEYS]
LINES = [
    *WORDS,
    *(word.upper() for word in WORDS),
    "{'admin_password': 'x'}",
    '<password>\nx</password>',
    '--password x --token=y',
    'auth_token=x&y=1',
    'nothing here',
]


def run(program, *args):
    command = [sys.executable, '-W', 'error', '-c', START + textwrap.dedent(program), *args]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_module_is_loaded_when_something_in_it_is_used():
    program = """
    import jinja2
    before = is_loaded('jinja2')
    print(before, jinja2.Template('{{ 1 + 1 }}').render(), is_loaded('jinja2'))
    """
    assert run(program) == 'False 2 True'


def test_what_is_taken_out_of_a_module_loads_it():
    assert run("from jinja2 import Template\nprint(Template('a').render(), is_loaded('jinja2'))") == 'a True'
    assert run('import asyncio.events\nprint(asyncio.events.get_running_loop is asyncio.get_running_loop)') == 'True'


def test_what_a_module_does_not_have_it_does_not_have():
    assert run("import psutil\nprint(hasattr(psutil, 'no_such'), hasattr(psutil, 'Process'))") == 'False True'


def test_threads_that_come_at_once_wait_for_each_other():
    program = """
    import concurrent.futures, threading, asyncio
    together = threading.Barrier(8)

    def use(_):
        together.wait()
        return asyncio.Runner

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        print(len(set(pool.map(use, range(8)))))
    """
    assert run(program) == '1'


def test_texts_without_an_encoding_are_taken_for_utf_8():
    program = """
    import requests
    answer = requests.Response()
    answer._content = 'grün'.encode()
    print(answer.text)
    """
    assert run(program) == 'grün'


def test_secrets_are_blanked_as_ever():
    program = """
    import json
    late.load_secrets()
    from oslo_utils import strutils
    assert isinstance(strutils._SANITIZE_PATTERNS_1['token'][0], str)
    print(json.dumps([strutils.mask_password(line) for line in json.loads(sys.argv[1])]))
    """
    assert json.loads(run(program, json.dumps(LINES))) == [strutils.mask_password(line) for line in LINES]


def test_the_expressions_are_made_at_once_where_texts_will_not_do():
    program = """
    import re
    make = re.sub
    def only_made(pattern, *args):
        if isinstance(pattern, str):
            raise TypeError('a text')
        return make(pattern, *args)
    re.sub = only_made
    late.load_secrets()
    from oslo_utils import strutils
    print(strutils.mask_password('token=x'))
    """
    assert run(program) == 'token=***'

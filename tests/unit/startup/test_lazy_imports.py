"""Deferred modules behave like others. Each case is a process: a module is loaded only once."""

import subprocess
import sys
import textwrap

START = """
import sys
from heat_lite.startup import lazy_imports
lazy_imports.install()

def is_loaded(name):
    return type(sys.modules[name]).__name__ == 'module'
"""


def run(program, *args):
    command = [sys.executable, '-W', 'error', '-c', START + textwrap.dedent(program), *args]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_deferred_module_is_loaded_at_first_use():
    program = """
    import jinja2
    before = is_loaded('jinja2')
    print(before, jinja2.Template('{{ 1 + 1 }}').render(), is_loaded('jinja2'))
    """
    assert run(program) == 'False 2 True'


def test_importing_a_name_loads_the_module():
    assert (
        run("from jinja2 import Template\nprint(Template('a').render(), is_loaded('jinja2'))")
        == 'a True'
    )
    assert (
        run(
            'import asyncio.events\n'
            'print(asyncio.events.get_running_loop is asyncio.get_running_loop)'
        )
        == 'True'
    )


def test_missing_attribute_is_missing():
    assert (
        run("import psutil\nprint(hasattr(psutil, 'no_such'), hasattr(psutil, 'Process'))")
        == 'False True'
    )


def test_concurrent_first_use_loads_the_module_once():
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


def test_response_without_encoding_is_read_as_utf_8():
    program = """
    import requests
    answer = requests.Response()
    answer._content = 'grün'.encode()
    print(answer.text)
    """
    assert run(program) == 'grün'

import io
import json
import os
import subprocess
import sys

from heat_lite.cli.display import terminal
from heat_lite.common import printable
from tests.timeouts import WAIT_SECONDS


def open_terminal(live):
    stream = io.StringIO()
    return terminal.Terminal(stream, live), stream


def test_table_columns_are_as_wide_as_their_content():
    out, stream = open_terminal(live=False)
    out.table(['NAME', 'VALUE'], [['a', ['x', 1]], ['long name', None]])
    assert stream.getvalue() == 'NAME       VALUE\na          ["x", 1]\nlong name\n'


def test_cell_joins_lines():
    assert terminal.cell('one\n  two') == 'one two'


def test_colorize_without_terminal_returns_the_plain_text():
    for live, text in ((True, '\033[31mCREATE_FAILED\033[0m'), (False, 'CREATE_FAILED')):
        out, _ = open_terminal(live)
        assert out.colorize('CREATE_FAILED', 'CREATE_FAILED') == text


def test_outcome_of_initial_status_is_empty():
    assert terminal.outcome('INIT_COMPLETE') == ''
    assert terminal.outcome('CREATE_COMPLETE') == 'COMPLETE'


def test_no_color_keeps_the_terminal_live(monkeypatch):
    monkeypatch.setenv('NO_COLOR', '1')
    out, _ = open_terminal(live=True)
    assert out.live and out.colorize('CREATE_FAILED', 'CREATE_FAILED') == 'CREATE_FAILED'


def test_json_is_harmless_on_a_terminal_and_readable_by_a_program():
    out, stream = open_terminal(live=False)
    value = {'a': 'x\x1b[2J\x9b\u202e\nü'}
    out.write_json(value)
    out.write_json(value, indent=None)
    text = stream.getvalue()
    assert not printable.UNSAFE.search(text.replace('\n', '')) and 'ü' in text
    *first, last = text.splitlines()
    assert json.loads(''.join(first)) == json.loads(last) == value


def test_wide_table_becomes_narrower_on_a_terminal_but_keeps_ids():
    widths = [40, 15, 36]
    terminal.fit(['NAME', 'STATUS', 'ID'], widths, 70)
    assert widths == [15, 15, 36]
    terminal.fit(['NAME', 'STATUS', 'ID'], widths, 20)
    assert widths == [terminal.MIN_WIDTH, 15, 36]


def test_table_without_place_for_ids_leaves_them_out_on_a_terminal(monkeypatch):
    monkeypatch.setenv('COLUMNS', '40')
    for live, shown in ((True, ['a', 'b']), (False, ['a', 'b', 'i' * 36])):
        out, stream = open_terminal(live)
        out.table(['NAME', 'STATUS', 'ID'], [['a', 'b', 'i' * 36]])
        assert stream.getvalue().splitlines()[1].split() == shown


def test_confirmation_is_for_persons_only():
    for live, text in ((True, 'done\n'), (False, '')):
        out, stream = open_terminal(live)
        out.confirm('done')
        assert stream.getvalue() == text


def test_terminal_on_a_file_is_not_live():
    assert not terminal.Terminal(io.StringIO()).live


ECHO = """
import os, sys, termios
from heat_lite.cli.display import terminal
has_echo = lambda: bool(termios.tcgetattr(0)[terminal.LOCAL_FLAGS] & termios.ECHO)
os.dup2(os.open(sys.argv[1], os.O_RDWR), 0)  # the terminal of this session
echo = terminal.Echo()
echo.disable()
print(has_echo())
echo.restore()
print(has_echo())
"""


def test_keys_are_not_echoed_until_the_echo_is_restored():
    parent, child = os.openpty()
    try:
        done = subprocess.run(
            [sys.executable, '-c', ECHO, os.ttyname(child)],
            start_new_session=True,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=WAIT_SECONDS,
        )
    finally:
        os.close(parent)
        os.close(child)
    assert (done.stdout.split(), done.stderr) == (['False', 'True'], '')


def test_echo_of_an_input_that_is_no_terminal_is_left_alone(monkeypatch):
    for stream in (io.StringIO('y'), None):
        monkeypatch.setattr(sys, 'stdin', stream)
        echo = terminal.Echo()
        echo.disable()
        echo.restore()

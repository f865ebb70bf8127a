import io

from heat_lite.cmd.cli import screen


def drawn(live):
    stream = io.StringIO()
    return screen.Screen(stream, live), stream


def test_a_table_is_as_wide_as_its_content():
    out, stream = drawn(live=False)
    out.table(['NAME', 'VALUE'], [['a', ['x', 1]], ['long name', None]])
    assert stream.getvalue() == 'NAME       VALUE\na          ["x", 1]\nlong name\n'


def test_values_stay_on_one_line():
    assert screen.cell('one\n  two') == 'one two'


def test_statuses_are_coloured_on_a_terminal_only():
    for live, text in ((True, '\033[31mCREATE_FAILED\033[0m'), (False, 'CREATE_FAILED')):
        out, _ = drawn(live)
        assert out.paint('CREATE_FAILED', 'CREATE_FAILED') == text


def test_nobody_has_touched_it_yet():
    assert screen.outcome('INIT_COMPLETE') == ''
    assert screen.outcome('CREATE_COMPLETE') == 'COMPLETE'


def test_redraws_over_what_was_there():
    out, stream = drawn(live=True)
    out.redraw(['one', 'two'])
    out.redraw(['1', '2'])
    assert stream.getvalue() == '\r\033[Kone\n\r\033[Ktwo\n\033[2A\r\033[K1\n\r\033[K2\n'
    out.keep()
    out.redraw(['below'])
    assert stream.getvalue().endswith('\n\r\033[Kbelow\n')


def test_a_file_is_not_live():
    assert not screen.Screen(io.StringIO()).live

import io
import os
import pathlib
import sys

import pytest

from heat_lite.authoring import fmt

UGLY = 'resources:\n    a: {type: OS::Heat::None}\nheat_template_version: 2021-04-16\n'
PRETTY = 'heat_template_version: 2021-04-16\n\nresources:\n  a: {type: OS::Heat::None}\n'


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / 'ugly.yaml').write_text(UGLY)
    (tmp_path / 'pretty.yaml').write_text(PRETTY)
    (tmp_path / 'other.yaml').write_text('services:\n    web: {}\n')
    return tmp_path


def test_file_is_formatted_in_place_and_keeps_its_mode(folder, capsys):
    os.chmod('ugly.yaml', 0o640)
    assert fmt.main(['ugly.yaml', 'pretty.yaml']) == 0
    assert capsys.readouterr().out == 'formatted ugly.yaml\n'
    assert (folder / 'ugly.yaml').read_text() == PRETTY
    assert os.stat('ugly.yaml').st_mode & 0o777 == 0o640


def test_check_names_the_files_and_writes_nothing(folder, capsys):
    assert fmt.main(['--check', '.']) == 1
    assert capsys.readouterr().out == 'ugly.yaml\n'
    assert (folder / 'ugly.yaml').read_text() == UGLY
    assert fmt.main(['--check', 'pretty.yaml']) == 0


def test_templates_of_the_package_are_in_their_usual_form():
    folder = pathlib.Path(__file__).resolve().parents[3] / 'etc/heat_lite/templates'
    assert fmt.main(['--check', *map(str, folder.glob('*.yaml'))]) == 0


def test_diff_shows_the_changes_and_writes_nothing(folder, capsys):
    assert fmt.main(['--diff', 'ugly.yaml']) == 0
    output = capsys.readouterr().out
    assert '-    a: {type: OS::Heat::None}' in output and '+heat_template_version' in output
    assert (folder / 'ugly.yaml').read_text() == UGLY


def test_dash_formats_standard_input(monkeypatch, capsys):
    monkeypatch.setattr(sys, 'stdin', io.TextIOWrapper(io.BytesIO(UGLY.encode())))
    assert fmt.main(['-']) == 0
    assert capsys.readouterr().out == PRETTY


def test_symbolic_link_stays_a_link(folder):
    (folder / 'link.yaml').symlink_to('ugly.yaml')
    assert fmt.main(['link.yaml']) == 0
    assert (folder / 'link.yaml').is_symlink() and (folder / 'ugly.yaml').read_text() == PRETTY


@pytest.mark.parametrize('text', ['', '\n', '# a comment\n'])
def test_empty_file_is_refused_and_stays_as_it_is(folder, capsys, text):
    (folder / 'empty.yaml').write_text(text)
    assert fmt.main(['empty.yaml']) == 1
    output = capsys.readouterr()
    assert output.out == '' and 'empty.yaml: not formatted: The document is empty.' in output.err
    assert (folder / 'empty.yaml').read_text() == text


def test_invalid_file_is_reported_and_does_not_stop_the_others(folder, capsys):
    (folder / 'broken.yaml').write_text('a: [')
    assert fmt.main(['broken.yaml', 'gone.yaml', 'ugly.yaml']) == 1
    output = capsys.readouterr()
    assert 'broken.yaml' in output.err and 'gone.yaml: The file cannot be read' in output.err
    assert output.out == 'formatted ugly.yaml\n'


def test_text_that_cannot_be_formatted_is_left_alone(folder, capsys):
    (folder / 'key.yaml').write_text('? a\n: 1\n')
    assert fmt.main(['key.yaml']) == 1
    assert 'key.yaml: not formatted: line 1 has a key of more than one line' in (
        capsys.readouterr().err
    )
    assert (folder / 'key.yaml').read_text() == '? a\n: 1\n'


def test_folder_without_templates_is_an_error(tmp_path, capsys):
    assert fmt.main([str(tmp_path)]) == 1
    assert 'no template or environment is there' in capsys.readouterr().err


def test_misspelt_option_gets_a_suggestion(capsys):
    with pytest.raises(SystemExit):
        fmt.main(['--chek', 'x'])
    assert 'Did you mean --check?' in capsys.readouterr().err

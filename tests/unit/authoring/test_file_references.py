import os

import pytest

from heat_lite.authoring import file_references


@pytest.mark.parametrize(
    'name, reference, target',
    [
        ('app.yaml', 'inner.yaml', 'inner.yaml'),
        ('a/app.yaml', '../b/inner.yaml', 'b/inner.yaml'),
        ('/a/app.yaml', 'inner.yaml', '/a/inner.yaml'),
        ('a/app.yaml', '/b/inner.yaml', '/b/inner.yaml'),
        ('a/app.yaml', 'http://h/x.yaml', 'http://h/x.yaml'),
        ('http://h/a/app.yaml', '../b/inner.yaml', 'http://h/b/inner.yaml'),
        ('http://h/a/app.yaml', '/inner.yaml', 'http://h/inner.yaml'),
        ('-', 'inner.yaml', 'inner.yaml'),
    ],
)
def test_join_finds_the_file_of_a_reference(name, reference, target):
    assert file_references.join(name, reference) == target


def test_join_of_a_file_url_decodes_its_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    url = (tmp_path / 'a b.yaml').as_uri()
    assert file_references.join('app.yaml', url) == 'a b.yaml'


def test_url_of_a_path_is_absolute_and_quoted(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert file_references.url_of('a b.yaml') == f'file://{tmp_path}/a%20b.yaml'
    assert file_references.url_of('http://h/x.yaml') == 'http://h/x.yaml'


def test_unreadable_files_are_refused_with_the_reason(tmp_path, monkeypatch):
    os.mkfifo(tmp_path / 'pipe')
    (tmp_path / 'long').write_bytes(b'12345')
    (tmp_path / 'server.yaml').write_bytes(b'')
    monkeypatch.setattr(file_references, 'MAX_BYTES', 4)
    for name, text in (
        ('missing', 'No such file or directory$'),
        ('sever.yaml', 'Did you mean .*/server.yaml[?]$'),
        ('router.yaml', 'No such file or directory$'),
        ('', 'Is a directory'),
        ('pipe', 'no regular file'),
        ('long', 'longer than 4 bytes'),
    ):
        with pytest.raises(ValueError, match=text):
            file_references.read_bytes(str(tmp_path / name))

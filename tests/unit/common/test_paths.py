from heat_lite.common import paths


def test_files_of_a_checkout():
    assert paths.data('etc', 'templates', 'demo.yaml').is_file()
    assert paths.data('migrations').is_dir()


def test_files_of_an_installed_package_come_first(tmp_path, monkeypatch):
    (tmp_path / 'etc').mkdir()
    monkeypatch.setitem(paths.INSTALLED, 'etc', tmp_path / 'etc')
    assert paths.data('etc', 'api-paste.ini') == tmp_path / 'etc' / 'api-paste.ini'

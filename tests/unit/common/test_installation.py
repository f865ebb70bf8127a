"""Entry points of installed packages, and data files of this package."""

import importlib.metadata
import sys

from heat_lite.common import installation


def test_entry_points_of_a_group():
    assert {point.name for point in installation.entry_points('console_scripts')} >= {
        'heat-lite',
        'heat-lite-engine',
    }
    for group in ('console_scripts', 'oslo.config.opts'):
        assert installation.entry_points(group) == list(
            importlib.metadata.entry_points(group=group)
        )
    assert installation.entry_points('absent.group') == []


def test_entry_points_of_a_package_on_a_new_path_are_found(tmp_path, monkeypatch):
    assert installation.entry_points('some.group') == []
    info = tmp_path / 'added-1.dist-info'
    info.mkdir()
    (info / 'METADATA').write_text('Metadata-Version: 2.1\nName: added\nVersion: 1\n')
    (info / 'entry_points.txt').write_text('[some.group]\none = added:one\n')
    monkeypatch.setattr(sys, 'path', [str(tmp_path), *sys.path])
    assert [point.value for point in installation.entry_points('some.group')] == ['added:one']


def test_data_path_finds_files_of_a_checkout():
    assert installation.data_path('etc', 'templates', 'demo.yaml').is_file()
    assert installation.data_path('migrations').is_dir()


def test_data_path_prefers_files_of_an_installed_package(tmp_path, monkeypatch):
    (tmp_path / 'etc').mkdir()
    monkeypatch.setitem(installation.INSTALLED, 'etc', tmp_path / 'etc')
    assert installation.data_path('etc', 'api-paste.ini') == tmp_path / 'etc' / 'api-paste.ini'

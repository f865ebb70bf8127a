"""Entry points of installed packages."""

import importlib.metadata
import sys

from heat_lite.common import points


def test_those_of_a_group():
    assert {point.name for point in points.of('console_scripts')} >= {'heat-lite', 'heat-lite-engine'}
    for group in ('console_scripts', 'oslo.config.opts'):
        assert points.of(group) == list(importlib.metadata.entry_points(group=group))
    assert points.of('nobody.brings.this') == []


def test_packages_on_another_path_are_found(tmp_path, monkeypatch):
    assert points.of('some.group') == []
    info = tmp_path / 'added-1.dist-info'
    info.mkdir()
    (info / 'METADATA').write_text('Metadata-Version: 2.1\nName: added\nVersion: 1\n')
    (info / 'entry_points.txt').write_text('[some.group]\none = added:one\n')
    monkeypatch.setattr(sys, 'path', [str(tmp_path), *sys.path])
    assert [point.value for point in points.of('some.group')] == ['added:one']

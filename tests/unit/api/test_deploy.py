"""Which file and which pipeline make the application."""

import configparser

import pytest
import webob
from oslo_config import cfg

import heat_lite.conf
from heat_lite.api import deploy
from heat_lite.common import paths
from tests.http import scripted

PIPELINES = ('heat-api', 'heat-api-noauth', 'heat-api-authpassword', 'heat-api-standalone', 'heat-api-custombackend', 'heat-api-cfn')


@pytest.fixture
def conf():
    made = heat_lite.conf.register(cfg.ConfigOpts())
    made([], project='heat_lite', default_config_files=[], default_config_dirs=[])
    return made


def test_pipelines_come_with_the_package(conf):
    assert deploy.pipelines(conf) == str(paths.data('etc', 'api-paste.ini'))


def test_an_operators_file_wins(conf, tmp_path):
    mine = tmp_path / 'mine.ini'
    mine.write_text('')
    conf.set_override('api_paste_config', str(mine), 'paste_deploy')
    assert deploy.pipelines(conf) == str(mine)


def test_an_operators_file_that_is_missing_is_not_replaced(conf):
    conf.set_override('api_paste_config', 'mine.ini', 'paste_deploy')
    with pytest.raises(cfg.ConfigFilesNotFoundError):
        deploy.pipelines(conf)


def test_all_pipelines_are_there():
    file = configparser.ConfigParser()
    file.read(paths.data('etc', 'api-paste.ini'))
    assert {section.removeprefix('pipeline:') for section in file.sections() if section.startswith('pipeline:')} == set(PIPELINES)


@pytest.mark.parametrize('name', ['heat-api-noauth', 'heat-api-custombackend', 'heat-api-authpassword', 'heat-api-standalone'])
def test_pipelines_load_by_name(name):
    with scripted.service(name=name) as (app, _):
        assert webob.Request.blank('/').get_response(app).status_int == 300

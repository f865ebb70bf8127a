"""The pipelines of the application: file and name."""

import configparser

import pytest
import webob
from oslo_config import cfg

import heat_lite.conf
from heat_lite.api import deploy
from heat_lite.common import installation
from tests.http import scripted

PIPELINES = (
    'heat-api',
    'heat-api-noauth',
    'heat-api-authpassword',
    'heat-api-standalone',
    'heat-api-custombackend',
    'heat-api-cfn',
    'heat-api-cfn-standalone',
    'heat-api-cloudwatch',
)


@pytest.fixture
def conf():
    conf = heat_lite.conf.register(cfg.ConfigOpts())
    conf([], project='heat_lite', default_config_files=[], default_config_dirs=[])
    return conf


def test_pipelines_file_is_that_of_the_package_by_default(conf):
    assert deploy.pipelines_file(conf) == str(installation.data_path('etc', 'api-paste.ini'))


def test_pipelines_file_of_the_operator_takes_precedence(conf, tmp_path):
    custom = tmp_path / 'mine.ini'
    custom.write_text('')
    conf.set_override('api_paste_config', str(custom), 'paste_deploy')
    assert deploy.pipelines_file(conf) == str(custom)


def test_missing_pipelines_file_of_the_operator_is_an_error(conf):
    conf.set_override('api_paste_config', 'mine.ini', 'paste_deploy')
    with pytest.raises(cfg.ConfigFilesNotFoundError):
        deploy.pipelines_file(conf)


def test_package_has_all_pipelines():
    file = configparser.ConfigParser()
    file.read(installation.data_path('etc', 'api-paste.ini'))
    assert {
        section.removeprefix('pipeline:')
        for section in file.sections()
        if section.startswith('pipeline:')
    } == set(PIPELINES)


@pytest.mark.parametrize(
    'name',
    ['heat-api-noauth', 'heat-api-custombackend', 'heat-api-authpassword', 'heat-api-standalone'],
)
def test_pipeline_loads_by_name(name):
    with scripted.service(name=name, keystone='http://127.0.0.1:9/v3') as (app, _):
        assert webob.Request.blank('/').get_response(app).status_int == 300

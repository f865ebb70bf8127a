"""Encryption keys: the public default is refused, and a key is replaced while engines run."""

import concurrent.futures
import contextlib
import logging
import stat
import subprocess
import sys
import threading

import pytest
from oslo_config import cfg

from heat_lite import conf as options
from heat_lite.api import paste_config
from heat_lite.api.middleware import keystone_token
from heat_lite.cmd import wsgi
from heat_lite.common import exception
from heat_lite.conf import identity
from heat_lite.db import credentials, session
from heat_lite.operate import data_folder, folder_settings, manage
from heat_lite.startup import settings
from tests import databases, engines

OLD, NEW = 'the old key of this test, 32 lon', 'the new key of this test, 32 lon'
SECONDS = 60
TEMPLATE = {
    'heat_template_version': '2021-04-16',
    'resources': {'random': {'type': 'OS::Heat::RandomString'}},
    'outputs': {'random': {'value': {'get_attr': ['random', 'value']}}},
}


def configuration(folder, text=''):
    file = folder / 'heat-lite.conf'
    file.write_text(
        f'[DEFAULT]\ntransport_url = local://\n{text}[paste_deploy]\nflavor = noauth\n'
        f'[database]\nconnection = sqlite:///{folder}/heat.sqlite\n'
    )
    return file


def run(program, file):
    module = f'heat_lite.cmd.{program}'
    return subprocess.run(
        [sys.executable, '-m', module, '--config-file', file],
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )


@pytest.mark.parametrize('program', ['api', 'api_cfn', 'engine'])
@pytest.mark.parametrize('key', ['', f'auth_encryption_key = {identity.WELL_KNOWN_KEY}\n'])
def test_program_with_default_key_refuses_to_start(tmp_path, program, key):
    done = run(program, configuration(tmp_path, key))
    assert done.returncode == 1
    assert 'auth_encryption_key is not set, or is its default, which is public' in done.stderr
    assert (
        'heat-lite-manage generate_key' in done.stderr and 'former_encryption_keys' in done.stderr
    )
    assert 'Traceback' not in done.stderr


def test_wsgi_application_with_default_key_refuses_to_start(tmp_path):
    code = 'import heat_lite.cmd.wsgi as wsgi; wsgi.application()'
    done = subprocess.run(
        [sys.executable, '-c', code],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        env={wsgi.CONFIG_FILE_VARIABLE: str(configuration(tmp_path)), 'PYTHONPATH': '.'},
    )
    assert done.returncode == 1 and 'UnsafeKey' in done.stderr


@pytest.mark.parametrize('load', [settings.require_private_key, settings.encryption_key])
def test_dollar_in_a_key_is_explained_without_the_key(tmp_path, load):
    path = configuration(tmp_path, 'auth_encryption_key = 0123456789abcdef01234567$planted\n')
    conf = options.load(['--config-file', str(path)], 'heat-lite-engine', cfg.ConfigOpts())
    with pytest.raises(settings.UnsafeKey, match=r'Write "\$\$" for each "\$"') as caught:
        load(conf)
    assert 'planted' not in str(caught.value)
    path.write_text(path.read_text().replace('$', '$$'))
    conf.reload_config_files()
    assert settings.encryption_key(conf).endswith('$planted')


@pytest.mark.parametrize(
    ('place', 'line'),
    [
        ('[DEFAULT] transport_url', 'transport_url = rabbit://guest:pa$planted@127.0.0.1/\n'),
        (r'[database] connection', '[database]\nconnection = mysql+pymysql://a:b${planted}@h/d\n'),
        ('[trustee] password', '[trustee]\npassword = pa$planted\n'),
        ('[keystone_authtoken] password', '[keystone_authtoken]\npassword = pa$planted.x\n'),
    ],
)
def test_dollar_in_a_password_is_explained_without_the_password(tmp_path, place, line):
    path = configuration(tmp_path, line)

    def load():
        return settings.load(
            ['--config-file', str(path)], 'heat-lite-engine', conf=cfg.ConfigOpts()
        )

    with pytest.raises(SystemExit, match=r'Write "\$\$" for each "\$"') as caught:
        load()
    text = str(caught.value)
    assert f'{path}: {place} cannot be read' in text
    assert 'planted' not in text and len(text.splitlines()) == 1
    path.write_text(path.read_text().replace('$', '$$'))
    load()


def test_reference_to_another_option_is_no_mistake(tmp_path):
    path = configuration(
        tmp_path,
        'log_file = $host-x.log\n[trustee]\nbase = y\npassword = $base\n[other]\npassword = $y\n',
    )
    conf = settings.load(['--config-file', str(path)], 'heat-lite-engine', conf=cfg.ConfigOpts())
    assert conf.log_file == f'{conf.host}-x.log'


@pytest.mark.parametrize('length', [0, 1, 31, 33, 48, 64])
def test_key_of_wrong_length_is_refused_without_being_shown(length):
    conf = options.register(cfg.ConfigOpts())
    conf.set_override('auth_encryption_key', 'x' * length)
    with pytest.raises(
        settings.UnsafeKey, match=f'has {length} characters instead of 32'
    ) as caught:
        settings.require_private_key(conf)
    assert 'xx' not in str(caught.value)


@pytest.mark.parametrize('length', [16, 24, 32])
def test_key_of_a_length_that_heat_accepts_is_accepted(length, caplog):
    conf = options.register(cfg.ConfigOpts())
    conf.set_override('auth_encryption_key', 'x' * length)
    caplog.set_level(logging.WARNING)
    settings.require_private_key(conf)
    assert bool(caplog.records) == (length < 32)


def test_generated_key_is_accepted_and_random(capsys):
    manage.generate_key(None)
    manage.generate_key(None)
    first, second = capsys.readouterr().out.split()
    conf = options.register(cfg.ConfigOpts())
    conf.set_override('auth_encryption_key', first)
    settings.require_private_key(conf)
    assert first != second


def test_embedded_service_reads_a_database_of_the_default_key_and_writes_with_its_own(tmp_path):
    with databases.migrated('sqlite', tmp_path) as url:
        with databases.configured(url, key=identity.WELL_KNOWN_KEY):
            old = credentials.create({'password': 'planted-password'})
        conf = options.register(databases.conf_for(url))
        conf.set_override('auth_encryption_key', identity.WELL_KNOWN_KEY)
        folder_settings.configure(conf, tmp_path)
        conf.set_override('connection', url, 'database')
        assert conf.auth_encryption_key == (tmp_path / 'key').read_text() != identity.WELL_KNOWN_KEY
        assert stat.S_IMODE((tmp_path / 'key').stat().st_mode) == 0o600
        session.configure(conf)
        assert credentials.get(old).password == 'planted-password'
        new = credentials.create({'password': 'planted-password'})
        session.dispose()
        with (
            databases.configured(url, key=identity.WELL_KNOWN_KEY),
            pytest.raises(exception.InvalidEncryptionKey),
        ):
            credentials.get(new)


def test_embedded_key_file_without_content_is_replaced(tmp_path):
    (tmp_path / 'key').touch(mode=0o644)
    key = data_folder.encryption_key(tmp_path)
    assert len(key) == 32 and stat.S_IMODE((tmp_path / 'key').stat().st_mode) == 0o600


def rotate(url, folder):
    file = folder / 'rotate.conf'
    file.write_text(
        f'[DEFAULT]\nauth_encryption_key = {NEW}\n[heat_lite]\nformer_encryption_keys = {OLD}\n'
        f'[database]\nconnection = {url}\n'
    )
    command = [sys.executable, '-m', 'heat_lite.operate.manage', '--config-file', file]
    return subprocess.run(
        [*command, 'rotate_encryption_key', '-b', '5'],
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )


@contextlib.contextmanager
def stacks_being_created(driver):
    """Create stacks until the end of the block; yield their identities."""
    stop, created = threading.Event(), []

    def create():
        while not stop.is_set():
            created.append(driver.create(TEMPLATE, name=f'stack-{len(created)}'))

    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        future = pool.submit(create)
        try:
            yield created
        finally:
            stop.set()
            future.result(SECONDS)


def values(driver, identities):
    return [driver.stack(identity)['outputs'][0]['output_value'] for identity in identities]


@pytest.mark.parametrize('backend', databases.BACKENDS)
def test_key_is_rotated_while_an_engine_runs(backend, tmp_path):
    with databases.migrated(backend, tmp_path) as url:
        with engines.running(url, auth_encryption_key=OLD) as driver:
            context = driver.context
            first = [driver.create(TEMPLATE, name=f'old-{number}') for number in range(3)]
            expected = values(driver, first)
        both = {'former_encryption_keys': [OLD]}
        with engines.running(url, ours=both, auth_encryption_key=NEW) as driver:
            driver.context = context
            with stacks_being_created(driver) as created:
                assert values(driver, first) == expected
                done = rotate(url, tmp_path)
            assert done.returncode == 0, done.stderr
            assert 'resource_data: ' in done.stdout
            expected += values(driver, created)
        with engines.running(url, auth_encryption_key=NEW) as driver:
            driver.context = context
            assert values(driver, [*first, *created]) == expected
            for identity_ in [*first, *created]:
                driver.delete(identity_)


@pytest.mark.parametrize(
    ('text', 'reason'),
    [
        ('', 'is its default, which is public'),
        (f'auth_encryption_key = {"k" * 33}\n', 'it has 33 characters instead of 32'),
    ],
)
def test_rotation_to_a_key_that_engines_refuse_is_refused(tmp_path, text, reason):
    done = run_manage(tmp_path, 'rotate_encryption_key', text=text)
    assert done.returncode == 1 and reason in done.stderr


def run_manage(folder, *words, text=''):
    file = configuration(folder, text)
    command = [sys.executable, '-m', 'heat_lite.operate.manage', '--config-file', file]
    return subprocess.run([*command, *words], capture_output=True, text=True, timeout=SECONDS)


@pytest.mark.parametrize(
    ('text', 'warns'),
    [
        ('', False),
        ('memcached_servers = 127.0.0.1:1\n', True),
        ('memcached_servers = 127.0.0.1:1\nmemcache_security_strategy = ENCRYPT\n', False),
    ],
)
def test_api_warns_about_tokens_in_memcached_without_encryption(tmp_path, caplog, text, warns):
    file = tmp_path / 'heat-lite.conf'
    file.write_text(f'[keystone_authtoken]\nmemcache_secret_key = x\n{text}')
    conf = options.load(['--config-file', str(file)], 'heat-lite-api', cfg.ConfigOpts())
    keystone_token.filter_factory(paste_config.global_conf_of(conf))
    assert ('without memcache_security_strategy' in caplog.text) is warns

"""The options against those of Heat, as recorded in heat_options.json."""

import json
from pathlib import Path

import pytest
from oslo_config import cfg

from heat_lite import conf as options

HEAT = json.loads(Path(__file__).with_name('heat_options.json').read_text())
CASES = [(group, name) for group, known in HEAT.items() for name in known]

# what is not as in Heat, and why
OTHER_DEFAULTS = {
    'host': 'the name of this machine',
    'cloud_backend': 'there is no such class here; the option is accepted only',
    'keystone_backend': 'there is no such class here; the option is accepted only',
}


@pytest.fixture(scope='module')
def declared():
    return {group: {opt.name: opt for opt in opts} for group, opts in options.list_opts()}


@pytest.mark.parametrize('group, name', CASES)
def test_is_as_in_heat(declared, group, name):
    facts = HEAT[group][name]
    option = declared[group][name]
    choices = getattr(option.type, 'choices', None)
    if facts['type'] != 'type':  # those of keystoneauth have no type of their own
        assert type(option).__name__ == f'{facts["type"]}Opt'
    if name not in OTHER_DEFAULTS:
        assert option.default == facts['default']
    assert (list(choices) if choices else None) == facts.get('choices')
    assert getattr(option.type, 'min', None) == facts.get('min')
    assert getattr(option.type, 'max', None) == facts.get('max')
    assert bool(option.secret) == facts.get('secret', False)
    assert bool(option.deprecated_for_removal) == facts.get('deprecated_for_removal', False)


def test_every_option_says_what_it_does(declared):
    silent = [(group, name) for group, opts in declared.items() for name, opt in opts.items() if not opt.help]
    assert silent == []


def test_registering_twice_is_harmless():
    conf = cfg.ConfigOpts()
    options.register(conf)
    options.register(conf)
    conf([])
    assert conf.max_stacks_per_tenant == 512
    assert conf.clients_nova.endpoint_type is None
    assert conf.heat_lite.concurrency == 'threading'


def test_files_are_read(tmp_path):
    file = tmp_path / 'x.conf'
    file.write_text('[DEFAULT]\nnum_engine_workers = 3\n[heat_api]\nbind_port = 18004\n[clients]\nendpoint_type = internalURL\n')
    conf = options.load(['--config-file', str(file)], 'heat-lite-engine', cfg.ConfigOpts())
    assert conf.num_engine_workers == 3
    assert conf.heat_api.bind_port == 18004
    assert conf.clients.endpoint_type == 'internalURL'


@pytest.mark.parametrize(
    'text', ['[DEFAULT]\nnum_engine_workers = 0\n', '[heat_lite]\nconcurrency = both\n', '[DEFAULT]\nmax_server_name_length = 54\n']
)
def test_wrong_values_are_refused(tmp_path, text):
    file = tmp_path / 'x.conf'
    file.write_text(text)
    conf = options.load(['--config-file', str(file)], 'heat-lite-engine', cfg.ConfigOpts())
    with pytest.raises(cfg.ConfigFileValueError):
        assert [conf.num_engine_workers, conf.heat_lite.concurrency, conf.max_server_name_length]


def test_keystone_options_of_a_group_are_known_once_asked_for():
    conf = options.register(cfg.ConfigOpts())
    options.identity.register_auth(conf, 'trustee')
    conf([])
    assert conf.trustee.auth_type is None
    assert conf.trustee.insecure is False

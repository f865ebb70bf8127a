"""The options: those of Heat as recorded in heat_options.json, help texts, files and values."""

import ast
import json
from pathlib import Path

import pytest
from oslo_config import cfg

from heat_lite import conf as options
from heat_lite.engine.runtime import EngineLimits

HEAT = json.loads(Path(__file__).with_name('heat_options.json').read_text())
CASES = [(group, name) for group, known in HEAT.items() for name in known]

# Options whose default differs from Heat's, and why.
OTHER_DEFAULTS = {
    'host': 'the name of this machine',
    'convergence_engine': 'the walk of one engine is right for nearly all stacks (decision 17)',
    'cloud_backend': 'the class does not exist here: its clients are built in',
}
# Options that Heat wants to remove and this service keeps, since both ways are supported.
KEPT = {'convergence_engine'}
PACKAGE = Path(options.__file__).parents[1]
NO_EFFECT = 'accepted, no effect here'
OURS = [(group, option) for group, opts in options.groups().items() for option in opts]
# Methods that set an option. A name among their arguments is not a read.
SETTERS = {'set_default', 'set_override'}


@pytest.fixture(scope='module')
def declared():
    return {group: {opt.name: opt for opt in opts} for group, opts in options.list_opts()}


@pytest.mark.parametrize('group, name', CASES)
def test_option_of_heat_has_recorded_type_and_default(declared, group, name):
    facts = HEAT[group][name]
    option = declared[group][name]
    choices = getattr(option.type, 'choices', None)
    if facts['type'] != 'type':  # the record has no type for the options of keystoneauth
        assert type(option).__name__ == f'{facts["type"]}Opt'
    if name not in OTHER_DEFAULTS:
        assert option.default == facts['default']
    assert (list(choices) if choices else None) == facts.get('choices')
    assert getattr(option.type, 'min', None) == facts.get('min')
    assert getattr(option.type, 'max', None) == facts.get('max')
    assert bool(option.secret) == facts.get('secret', False)
    if name not in KEPT:
        assert bool(option.deprecated_for_removal) == facts.get('deprecated_for_removal', False)


def test_every_option_has_a_help_text(declared):
    missing = [
        (group, name)
        for group, opts in declared.items()
        for name, opt in opts.items()
        if not opt.help
    ]
    assert missing == []


def reads():
    """Return {module: the names that its code reads} for each module outside conf.

    Names are those of attributes, and strings, which name options and fields. Names that a call
    sets are left out.
    """
    return {
        str(path): names_read_in(ast.parse(path.read_text()))
        for path in PACKAGE.rglob('*.py')
        if path.parent != PACKAGE / 'conf'
    }


def names_read_in(tree):
    written = {
        id(argument)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and getattr(node.func, 'attr', None) in SETTERS
        for argument in node.args
    }
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            found.add(node.attr)
            if getattr(node.value, 'attr', getattr(node.value, 'id', None)) == 'limits':
                found.add(f'limits.{node.attr}')
        elif isinstance(node, ast.Constant) and id(node) not in written:
            found.add(node.value)
    return found


#: groups that one module passes on to another, which reads their options
PASSED_ON = {
    'heat_api': ['cmd/api.py', 'server/api_worker.py', 'server/wsgi_server.py'],
    'heat_api_cfn': ['cmd/api.py', 'server/api_worker.py', 'server/wsgi_server.py'],
    'heat_api_cloudwatch': ['cmd/api.py', 'server/api_worker.py', 'server/wsgi_server.py'],
    **{
        f'clients_{name}': ['clients/keystone_session.py', 'clients/clients.py']
        for name in options.clients.SERVICES
    },
    'clients_docker': ['clients/docker_plugin.py'],
}


def readers(names, group, option):
    """Return the modules that read an option: those that name it and its group, or the limits."""
    readable = [str(PACKAGE / each) for each in PASSED_ON.get(group, ())]
    return [
        module
        for module, found in names.items()
        if (group in EngineLimits.GROUPS and f'limits.{option.dest}' in found)
        or (option.dest in found and (group == 'DEFAULT' or group in found or module in readable))
    ]


@pytest.fixture(scope='module')
def read():
    return reads()


@pytest.mark.parametrize('group, option', OURS, ids=lambda value: getattr(value, 'name', value))
def test_option_is_read_or_its_help_says_that_it_has_no_effect(read, group, option):
    assert bool(readers(read, group, option)) != (NO_EFFECT in option.help)


@pytest.mark.parametrize('group, option', OURS, ids=lambda value: getattr(value, 'name', value))
def test_help_of_an_option_is_made_of_sentences(group, option):
    assert option.help[0].isupper() and option.help.endswith('.')


def test_options_registered_twice_keep_their_defaults():
    conf = cfg.ConfigOpts()
    options.register(conf)
    options.register(conf)
    conf([])
    assert conf.max_stacks_per_tenant == 512
    assert conf.clients_nova.endpoint_type is None


def test_values_of_a_configuration_file_are_read(tmp_path):
    file = tmp_path / 'x.conf'
    file.write_text(
        '[DEFAULT]\nnum_engine_workers = 3\n'
        '[heat_api]\nbind_port = 18004\n'
        '[clients]\nendpoint_type = internalURL\n'
    )
    conf = options.load(['--config-file', str(file)], 'heat-lite-engine', cfg.ConfigOpts())
    assert conf.num_engine_workers == 3
    assert conf.heat_api.bind_port == 18004
    assert conf.clients.endpoint_type == 'internalURL'


@pytest.mark.parametrize(
    'text',
    [
        '[DEFAULT]\nnum_engine_workers = 0\n',
        '[heat_lite]\ntask_threads = many\n',
        '[DEFAULT]\nmax_server_name_length = 54\n',
    ],
)
def test_invalid_value_raises_an_error(tmp_path, text):
    file = tmp_path / 'x.conf'
    file.write_text(text)
    conf = options.load(['--config-file', str(file)], 'heat-lite-engine', cfg.ConfigOpts())
    with pytest.raises(cfg.ConfigFileValueError):
        assert [conf.num_engine_workers, conf.heat_lite.task_threads, conf.max_server_name_length]


def test_keystone_options_of_a_group_are_registered_on_demand():
    conf = options.register(cfg.ConfigOpts())
    options.identity.register_auth(conf, 'trustee')
    conf([])
    assert conf.trustee.auth_type is None
    assert conf.trustee.insecure is False


@pytest.mark.parametrize('group', ['trustee', 'ec2authtoken'])
def test_deprecated_names_of_a_login_are_honoured(tmp_path, group):
    """The names that Heat accepts in these groups."""
    file = tmp_path / 'x.conf'
    names = ('auth_plugin = password', 'user-name = u', 'tenant_name = p', 'auth_url = http://k/v3')
    file.write_text('\n'.join([f'[{group}]', *names, 'password = s']))
    conf = options.load(['--config-file', str(file)], 'heat-lite-engine', cfg.ConfigOpts())
    loading = options.identity.register_auth(conf, group)
    auth = loading.load_auth_from_conf_options(conf, group)
    assert (auth._username, auth._project_name, auth.auth_url) == ('u', 'p', 'http://k/v3')

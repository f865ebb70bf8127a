"""heat-lite-manage config_check: findings with file and line, and the exit status."""

import json
from pathlib import Path

import pytest
from oslo_config import cfg

from heat_lite.operate.config_check import option_report
from heat_lite.server import watchdog
from heat_lite.startup import settings

HEAT = json.loads((Path(__file__).parents[2] / 'conf' / 'heat_options.json').read_text())


@pytest.fixture
def findings(tmp_path):
    """A function from the text of a file to {(kind, group, option): (line, text)}."""

    def check(text):
        file = tmp_path / 'heat.conf'
        file.write_text(text)
        return {
            (each.kind, each.setting.group, each.setting.name): (each.setting.line, each.text)
            for each in option_report.check([str(file)])
        }

    return check


def test_options_with_effect_have_no_findings(findings):
    assert (
        findings(
            '# heat.conf\n[DEFAULT]\nnum_engine_workers = 3\ntransport_url = rabbit://h/\n'
            'log-file = /x\nlog_dir: /y\n[database]\nconnection = mysql://h/heat\n'
            '[keystone_authtoken]\nauth_type = password\npassword = secret\nuser_domain_name = D\n'
            '[trustee]\nauth_type = password\n'
            '[ec2authtoken]\nauth_type = v3applicationcredential\napplication_credential_id = 1\n'
            '[clients_nova]\nendpoint_type = internalURL\n'
            '[oslo_reports]\nlog_dir = /x\nfile_event_handler = /y\n'
        )
        == {}
    )


@pytest.mark.parametrize(
    ('text', 'option', 'line', 'words'),
    [
        ('[DEFAULT]\nmax_resource_per_stack = 1', ('DEFAULT', 'max_resource_per_stack'), 2,
         'max_resources_per_stack'),
        ('stack_domain_admn = x', ('DEFAULT', 'stack_domain_admn'), 1, 'stack_domain_admin'),
        ('[heat_apy]\nbind_port = 1', ('heat_apy', 'bind_port'), 2, 'heat_api'),
        ('[heat_api]\nbackups_enabled = 1', ('heat_api', 'backups_enabled'), 2, '[volumes]'),
    ],
)  # fmt: skip
def test_unknown_option_is_an_error_with_a_suggestion(findings, text, option, line, words):
    found = findings(text)[('unknown', *option)]
    assert found[0] == line and words in found[1]


@pytest.mark.parametrize(
    ('text', 'option'),
    [
        ('num_engine_workers = many', 'num_engine_workers'),
        ('num_engine_workers = 0', 'num_engine_workers'),
        ('deferred_auth_method = hope', 'deferred_auth_method'),
    ],
)
def test_invalid_value_is_an_error(findings, text, option):
    assert ('invalid', 'DEFAULT', option) in findings(text)


def test_backend_of_keystone_is_invalid_unless_it_is_that_of_heat(findings):
    option = ('invalid', 'DEFAULT', 'keystone_backend')
    assert 'built in' in findings('keystone_backend = a.B')[option][1]
    default = HEAT['DEFAULT']['keystone_backend']['default']
    assert findings(f'keystone_backend = {default}\n') == {}


def test_options_of_the_health_check_are_known(findings):
    known = (
        '[healthcheck]\ndetailed = true\nbackends = enable_by_files\nenable_by_file_paths = /a\n'
    )
    assert findings(known) == {}
    assert ('unknown', 'healthcheck', 'backend') in findings('[healthcheck]\nbackend = a')


def test_option_without_effect_has_the_reason(findings):
    found = findings(
        '[cache]\nenabled = true\n[database]\nmax_retries = 3\n'
        '[ec2authtoken]\ncollect_timing = true\n[ec2authtoken.one]\nauth_url = u\n'
    )
    for option in (
        ('cache', 'enabled'),
        ('database', 'max_retries'),
        ('ec2authtoken', 'collect_timing'),
        ('ec2authtoken.one', 'auth_url'),
    ):
        assert found['no effect', *option][1]


def test_option_with_another_meaning_depends_on_its_value(findings):
    option = ('differs', 'DEFAULT', 'cloud_backend')
    assert option in findings('cloud_backend = my.Clients')
    assert option not in findings('cloud_backend = heat.engine.clients.OpenStackClients')
    replica, option = '[database]\nslave_connection = a\n', ('differs', 'database')
    assert (*option, 'slave_connection') in findings(replica)
    assert (*option, 'slave_connection') not in findings(f'{replica}synchronous_reader = false')


def test_options_of_filters_and_traces_of_heat_are_effective_or_told(findings):
    assert (
        findings(
            '[cors]\nallowed_origin = https://h\nallow_credentials = true\nmax_age = 9\n'
            '[oslo_middleware]\nenable_proxy_headers_parsing = true\n'
            '[oslo_messaging_notifications]\ndriver = noop\ntopics = n\nretry = 3\n'
            '[audit_middleware_notifications]\ndriver = log\ntopics = n\n'
            '[profiler]\nenabled = true\nhmac_keys = k\nconnection_string = otlp://h:4318\n'
        )
        == {}
    )
    told = findings(
        '[oslo_middleware]\nmax_request_body_size = 1\nsecure_proxy_ssl_header = X\n'
        '[profiler]\nconnection_string = elasticsearch://h\n'
    )
    assert {key: text.split()[-1] for key, (_, text) in told.items()} == {
        ('no effect', 'oslo_middleware', 'max_request_body_size'): 'max_json_body_size.',
        (
            'no effect',
            'oslo_middleware',
            'secure_proxy_ssl_header',
        ): 'enable_proxy_headers_parsing.',
        ('differs', 'profiler', 'connection_string'): 'otlp://HOST:PORT.',
    }


def test_options_of_queues_that_need_others_are_told(findings):
    locks, group = '[oslo_concurrency]\nlock_path = /a\n', '[oslo_messaging_rabbit]\n'
    assert ('differs', 'oslo_concurrency', 'lock_path') in findings(locks)
    assert findings(f'{locks}{group}use_queue_manager = true\n') == {}
    streams = f'{group}rabbit_stream_fanout = true\nrabbit_qos_prefetch_count = 1\n'
    option = ('differs', 'oslo_messaging_rabbit', 'rabbit_stream_fanout')
    assert 'rabbit_transient_quorum_queue = true' in findings(streams)[option][1]
    assert findings(f'{streams}rabbit_transient_quorum_queue = true\n') == {}


def test_missing_login_for_signatures_is_told(findings):
    option = ('missing', 'ec2authtoken', 'auth_type')
    assert '403' in findings('[keystone_authtoken]\nauth_url = u\n')[option][1]
    assert findings('[ec2authtoken]\nauth_uri = http://k/v3\n')[option][0] == 2
    for login in ('auth_type = password', 'auth_section = trustee', 'multi_cloud = true'):
        assert option not in findings(f'[ec2authtoken]\n{login}\n')
    service = '[keystone_authtoken]\nauth_type = password\n'
    assert option not in findings(f'[ec2authtoken]\nauth_uri = u\n{service}')
    assert option not in findings('[database]\nconnection = mysql://h/heat\n')


def test_old_url_of_signatures_and_a_trustee_without_password_are_told(findings):
    found = findings('[ec2authtoken]\nauth_uri = http://k/v3/ec2tokens\nauth_type = password\n')
    assert 'endpoint_override' in found['deprecated', 'ec2authtoken', 'auth_uri'][1]
    found = findings('[trustee]\nauth_type = v3applicationcredential\n')
    assert 'no trust' in found['differs', 'trustee', 'auth_type'][1]


def test_group_of_a_cloud_has_an_effect_with_multi_cloud(findings):
    cloud = '[ec2authtoken.one]\nauth_type = password\nuser-name = u\nregion_name = R\n'
    many = '[ec2authtoken]\nmulti_cloud = true\nclouds = two, one\n'
    assert {key[0] for key in findings(f'{many}{cloud}')} == {'deprecated'}
    option = ('no effect', 'ec2authtoken.one', 'region_name')
    assert option in findings(cloud)
    assert option in findings(f'[ec2authtoken]\nclouds = one\n{cloud}')
    assert ('differs', 'ec2authtoken', 'clouds') in findings('[ec2authtoken]\nclouds = one\n')
    typo = findings(f'{many}{cloud}regoin_name = R\n')
    assert 'region_name' in typo['unknown', 'ec2authtoken.one', 'regoin_name'][1]


@pytest.mark.parametrize(
    ('group', 'name', 'present'),
    [
        ('trustee', 'user-name', 'username'),
        ('trustee', 'auth_plugin', 'auth_type'),
        ('trustee', 'tenant_name', 'project_name'),
        ('ec2authtoken', 'user_name', 'username'),
    ],
)
def test_deprecated_name_is_told_with_the_present_one(findings, group, name, present):
    found = findings(f'[{group}]\n{name} = password')
    assert found['deprecated', group, name] == (2, f'the present name is {present}.')


def test_each_option_of_heat_is_known(findings):
    lines = [
        f'[{group}]\n{name} = {facts["default"]}\n'
        for group, known in HEAT.items()
        for name, facts in known.items()
        if facts['default'] not in (None, [], '')
    ]
    assert [key for key in findings(''.join(lines)) if key[0] == 'unknown'] == []


@pytest.mark.parametrize(
    ('text', 'status'),
    [('num_engine_workers = 3\n', 0), ('[cache]\nenabled = true\n', 3), ('no_such_one = 1\n', 1)],
)
def test_status_tells_errors_from_other_findings(tmp_path, capsys, text, status):
    file = tmp_path / 'heat.conf'
    file.write_text(text)
    assert option_report.report([str(file)]) == status
    assert (f'{file}:' in capsys.readouterr().out) == bool(status)


def test_line_that_sets_nothing_is_an_error(tmp_path):
    file = tmp_path / 'heat.conf'
    file.write_text('[DEFAULT]\nwithout a value\n')
    with pytest.raises(ValueError, match='heat.conf:2'):
        option_report.check([str(file)])


def test_file_that_is_no_text_is_named(tmp_path):
    file = tmp_path / 'heat.conf'
    file.write_bytes(b'[DEFAULT]\nx = \xff\n')
    with pytest.raises(ValueError, match=r'heat\.conf: it is not UTF-8 text'):
        option_report.check([str(file)])


def test_program_warns_of_each_unknown_option_in_its_files(tmp_path, caplog):
    folder = tmp_path / 'more'
    folder.mkdir()
    files = (
        (tmp_path / 'heat.conf', '[DEFAULT]\nstack_domain_admn = x\n'),
        (
            folder / 'one.conf',
            '[heat_apy]\nbind_port = 1\n[heat_api]\nbind_port = 2\n',
        ),
    )
    for file, text in files:
        file.write_text(text)
    args = ['--config-file', str(files[0][0]), '--config-dir', str(folder)]
    option_report.warn_unknown(settings.load(args, 'heat-lite-engine', cfg.ConfigOpts()))
    first, second = caplog.messages
    assert f'{files[0][0]}:2: unknown: [DEFAULT] stack_domain_admn' in first
    assert 'stack_domain_admin' in first and f'{files[1][0]}:1' not in second
    assert f'{files[1][0]}:2: unknown: [heat_apy] bind_port' in second and 'heat_api' in second


def test_process_that_replaces_another_one_repeats_no_warning(tmp_path, caplog, monkeypatch):
    file = tmp_path / 'heat.conf'
    file.write_text('[DEFAULT]\nunheard = 1\n')
    conf = settings.load(['--config-file', str(file)], 'heat-lite-engine', cfg.ConfigOpts())
    monkeypatch.setenv(watchdog.SLOT_VARIABLE, '0:-9::1:1::')
    option_report.warn_unknown(conf)
    assert not caplog.messages
    monkeypatch.delenv(watchdog.SLOT_VARIABLE)
    option_report.warn_unknown(conf)
    assert 'unheard' in caplog.text

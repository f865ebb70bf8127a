"""The URL of Keystone, and the configuration of stack users."""

import pytest
from oslo_config import cfg

from heat_lite import conf as options
from heat_lite.clients import keystone, keystone_session
from heat_lite.common import exception


def configured(tmp_path, text):
    file = tmp_path / 'heat-lite.conf'
    file.write_text(text)
    return options.load(['--config-file', str(file)], 'test', cfg.ConfigOpts())


@pytest.mark.parametrize(
    ('text', 'expected'),
    [
        ('', None),
        ('[clients_keystone]\nauth_uri = http://k:5000', 'http://k:5000/v3'),
        ('[clients_keystone]\nauth_uri = http://k/identity/v3/', 'http://k/identity/v3'),
        ('[keystone_authtoken]\nwww_authenticate_uri = http://k:5000/v2.0', 'http://k:5000/v3'),
        ('[trustee]\nauth_type = password\nauth_url = http://k:5000', 'http://k:5000/v3'),
    ],
)
def test_auth_url_is_read_from_the_first_configured_option(tmp_path, text, expected):
    conf = configured(tmp_path, text)
    assert keystone_session.auth_url(conf) == expected
    assert (keystone.stack_domain(conf) is None) == (expected is None)


def test_create_project_without_domain_names_the_missing_options(tmp_path):
    domain = keystone.stack_domain(
        configured(tmp_path, '[clients_keystone]\nauth_uri = http://k:5000')
    )
    with pytest.raises(
        exception.Error,
        match='set stack_user_domain_id .or _name., stack_domain_admin and '
        'stack_domain_admin_password',
    ):
        domain.create_project('name', 'text')


def test_session_uses_options_of_clients_keystone_first(tmp_path):
    common = '[clients]\nca_file = /ca\ninsecure = true\n'
    text = (
        f'{common}[clients_keystone]\nauth_uri = http://k\ninsecure = false\n'
        'cert_file = /c\nkey_file = /k'
    )
    session = keystone_session.create_session(configured(tmp_path, text))
    assert (session.verify, session.cert) == ('/ca', ('/c', '/k'))


def test_generated_passwords_differ_and_have_all_kinds_of_characters():
    passwords = {keystone.generate_password() for _ in range(20)}
    assert len(passwords) == 20
    for each in passwords:
        assert (
            any(c.islower() for c in each)
            and any(c.isupper() for c in each)
            and any(c.isdigit() for c in each)
            and not each.isalnum()
        )

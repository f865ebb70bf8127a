"""Where Keystone is, and what is missing for users of stacks."""

import pytest
from oslo_config import cfg

from heat_lite import conf as options
from heat_lite.clients import keystone, session
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
def test_where_keystone_is(tmp_path, text, expected):
    conf = configured(tmp_path, text)
    assert session.auth_url(conf) == expected
    assert (keystone.stack_domain(conf) is None) == (expected is None)


def test_no_domain_for_users_of_stacks(tmp_path):
    domain = keystone.stack_domain(configured(tmp_path, '[clients_keystone]\nauth_uri = http://k:5000'))
    with pytest.raises(exception.Error, match='set stack_user_domain_id .or _name., stack_domain_admin and stack_domain_admin_password'):
        domain.create_project('name', 'text')


def test_certificates_for_keystone(tmp_path):
    common = '[clients]\nca_file = /ca\ninsecure = true\n'
    text = f'{common}[clients_keystone]\nauth_uri = http://k\ninsecure = false\ncert_file = /c\nkey_file = /k'
    made = session.plain(configured(tmp_path, text))
    assert (made.verify, made.cert) == ('/ca', ('/c', '/k'))


def test_passwords_differ_and_have_all_kinds_of_characters():
    made = {keystone.password() for _ in range(20)}
    assert len(made) == 20
    for each in made:
        assert any(c.islower() for c in each) and any(c.isupper() for c in each) and any(c.isdigit() for c in each) and not each.isalnum()

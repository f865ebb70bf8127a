"""The logins of [trustee] that trusts are made for."""

import pytest
from oslo_config import cfg

import heat_lite.conf
from heat_lite.clients import trusts

URL = 'auth_url = http://127.0.0.1:9/v3'
APPLICATION = 'v3applicationcredential\napplication_credential_id = 1'


@pytest.mark.parametrize(
    ('login', 'is_used'),
    [
        ('password\nusername = heat', True),
        (f'{APPLICATION}\napplication_credential_secret = s', False),
    ],
)
def test_trusts_are_not_made_for_an_application_credential(tmp_path, caplog, login, is_used):
    file = tmp_path / 'heat.conf'
    file.write_text(f'[trustee]\n{URL}\nauth_type = {login}\n')
    conf = heat_lite.conf.register(cfg.ConfigOpts())
    conf(['--config-file', str(file)], project='heat_lite')
    assert (trusts.create_trust_store(conf) is not None) is is_used
    assert ('application credential' in caplog.text) is not is_used

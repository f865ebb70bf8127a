"""The access keys of the embedded service, in the file of a data folder."""

import stat
import threading

import pytest

from heat_lite.common import access_keys, installation


def test_key_of_a_project_is_created_once_and_renewed(tmp_path):
    keys = access_keys.AccessKeys(tmp_path)
    assert keys.find('unknown') is None
    one = keys.ensure_key('one')
    two = keys.ensure_key('two')
    assert keys.ensure_key('one') == one and one.access != two.access
    service = access_keys.AccessKeys(tmp_path)
    assert service.find(one.access) == one
    new = keys.ensure_key('one', renew=True)
    assert service.find(one.access) is None and service.find(new.access).project == 'one'
    assert service.find(two.access) == two
    mode = (tmp_path / installation.KEYS_FILE).stat().st_mode
    assert stat.S_IMODE(mode) == 0o600


def test_concurrent_commands_keep_each_others_keys(tmp_path):
    def create(project):
        access_keys.AccessKeys(tmp_path).ensure_key(project)

    threads = [threading.Thread(target=create, args=[f'p{number}']) for number in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    keys = access_keys.AccessKeys(tmp_path)
    before = (tmp_path / installation.KEYS_FILE).read_text()
    for number in range(8):
        keys.ensure_key(f'p{number}')
    assert (tmp_path / installation.KEYS_FILE).read_text() == before


@pytest.mark.parametrize('text', ['', '{', '[1]', '[{"access": "a"}]'])
def test_damaged_file_is_named(tmp_path, text):
    (tmp_path / installation.KEYS_FILE).write_text(text)
    with pytest.raises(access_keys.KeysUnreadable, match='access-keys is no list'):
        access_keys.AccessKeys(tmp_path).find('a')

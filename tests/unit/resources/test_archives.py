import io
import tarfile

import pytest

from heat_lite.resources.containers import archives

FILES = {
    '/etc/some.conf': {'content': 'x = 1\n', 'mode': '0600', 'uid': 7},
    '/var/lib/app/empty': {'content': ''},
    '/zeros': {'content': bytes(2000)},
}


@pytest.mark.parametrize('files', [{}, FILES])
def test_archive_ends_with_its_end_mark(files):
    data = archives.pack_files(files)
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        entries = archive.getmembers()
        # Python has read one of the two blocks of the mark; other readers read both and no more
        assert archive.fileobj.tell() + tarfile.BLOCKSIZE == len(data)
        found = {f'/{each.name}': archive.extractfile(each).read() for each in entries if each.size}
    assert data.endswith(bytes(1024))
    assert found == ({'/etc/some.conf': b'x = 1\n', '/zeros': bytes(2000)} if files else {})


def test_archive_has_folders_below_the_first_level():
    with tarfile.open(fileobj=io.BytesIO(archives.pack_files(FILES))) as archive:
        folders = {each.name for each in archive.getmembers() if each.isdir()}
    assert folders == {'var/lib', 'var/lib/app'}

"""Archives: files that are put into containers and volumes, and copies of volumes."""

import io
import json
import posixpath
import tarfile
import tempfile

from heat_lite.clients import errors

#: an image without files: containers of it are never started, they give access to volumes
EMPTY_IMAGE, EMPTY_TAG = 'heat-lite-empty', '1'
DATA = '/data'
#: bytes of a copy that are kept in memory; a longer one goes through a temporary file
MEMORY_BYTES = 8 << 20
#: the end mark of an archive: two blocks of zeros
END_MARK_BYTES = 2 * tarfile.BLOCKSIZE


def pack_files(files):
    """Return an uncompressed archive, which ends with its end mark.

    Podman stops to read at the mark, and answers 500 where something comes after it too late. The
    library adds up to 9.5 kB.

    ``files`` is ``{path: {'content': text or bytes, 'mode': octal text, 'uid': ..., 'gid': ...}}``.
    """
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode='w') as archive:
        for folder in sorted(_folders(files)):
            entry = tarfile.TarInfo(folder)
            entry.type, entry.mode = tarfile.DIRTYPE, 0o755
            archive.addfile(entry)
        for path, file in sorted(files.items()):
            content = file.get('content') or ''
            data = content.encode() if isinstance(content, str) else content
            entry = tarfile.TarInfo(path.lstrip('/'))
            entry.size, entry.mode = len(data), int(file.get('mode') or '0644', 8)
            entry.uid, entry.gid = file.get('uid') or 0, file.get('gid') or 0
            archive.addfile(entry, io.BytesIO(data))
        end = archive.offset + END_MARK_BYTES
    return target.getvalue()[:end]


def _folders(files):
    """Return the folders of paths below the first level, which images may lack."""
    found = set()
    for path in files:
        folder = posixpath.dirname(path.lstrip('/'))
        while folder:
            found.add(folder)
            folder = posixpath.dirname(folder)
    return {each for each in found if each.count('/') >= 1}


def copy_volume(call, source, target, name, labels):
    """Copy the files of a volume into another one, through helper containers ``NAME-0`` and 1."""
    with Access(call, source, f'{name}-0', labels) as reader:
        with Access(call, target, f'{name}-1', labels) as writer:
            writer.write(reader.read())


def fill_volume(call, volume, files, name, labels):
    """Write files into a volume, through a helper container."""
    with Access(call, volume, f'{name}-1', labels) as writer:
        writer.write(pack_files(files))


class Access:
    """Access to the files of a volume, by a container that is never started."""

    def __init__(self, call, volume, name, labels):
        self._call, self._volume, self._name, self._labels = call, volume, name, labels

    def __enter__(self):
        self._remove()  # of an attempt whose service was killed
        mount = {'Type': 'volume', 'Source': self._volume, 'Target': DATA}
        body = {
            'Image': empty_image(self._call),
            'Cmd': ['-'],
            'Labels': self._labels,
            'HostConfig': {'Mounts': [mount], 'NetworkMode': 'none'},
        }
        self._call('create_container_from_config', body, self._name)
        return self

    def __exit__(self, *error):
        self._remove()

    def read(self):
        """Return a file object with the archive of all files."""
        chunks, _ = self._call('get_archive', self._name, f'{DATA}/.')
        return _spool(chunks)

    def write(self, archive):
        self._call('put_archive', self._name, DATA, archive)

    def _remove(self):
        try:
            self._call('remove_container', self._name, force=True)
        except errors.NotFound:
            pass


def _spool(chunks):
    target = tempfile.SpooledTemporaryFile(MEMORY_BYTES)
    for each in chunks:
        target.write(each)
    target.seek(0)
    return target


def empty_image(call):
    """Return the image without files; import it if the engine has none."""
    tag = f'{EMPTY_IMAGE}:{EMPTY_TAG}'
    try:
        call('inspect_image', tag)
    except errors.NotFound:
        import_archive(call, pack_files({}), EMPTY_IMAGE, EMPTY_TAG)
    return tag


def import_archive(call, data, repository, tag, changes=None):
    """Import an archive of a file system as an image."""
    answer = call('import_image_from_data', data, repository=repository, tag=tag, changes=changes)
    last = json.loads(answer.strip().splitlines()[-1])
    if 'error' in last:
        raise errors.BadRequest(
            f'the import of the image {repository}:{tag} failed: {last["error"]}'
        )
    # Podman leaves out the tag.
    call('tag', last['status'], repository, tag)

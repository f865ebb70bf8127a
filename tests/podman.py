"""A container engine for tests: Podman's service with the API of Docker, and an image.

The tests are skipped where podman is not installed; with CI set they fail. The image holds a static
busybox, so no registry is needed.
"""

import contextlib
import fcntl
import functools
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time

import docker

from heat_lite.common import container_labels
from tests.databases import skip_or_fail
from tests.timeouts import WAIT_SECONDS

IMAGE = 'heat-lite-test:3'
APPLETS = (
    'sh httpd wget nc sleep cat tail date hostname ip ls mkdir echo true false test env ps kill '
    'nslookup awk grep sed chmod timeout sort tr mv rm wc'
).split()
PAGE_IMAGES = ('docker.io/library/python:3.12-alpine', 'docker.io/library/redis:7-alpine')
#: the label of images that stand in for those
STAND_IN = 'heat-lite-test-stand-in'
MARK, STACK = container_labels.MARK, container_labels.STACK_ID
#: what the kernels of test machines accept: runc without systemd, and limits that are not raised
CONFIGURATION = """
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
"""
PACKAGES = 'podman runc netavark aardvark-dns iptables busybox-static'


@contextlib.contextmanager
def running(folder):
    """Run the service of Podman in a folder and yield its Service."""
    missing = why_missing()
    if missing:
        skip_or_fail(f'{missing}: apt-get install {PACKAGES}')
    service = Service(pathlib.Path(folder))
    service.start()
    try:
        service.provide_image()
        yield service
    finally:
        service.stop()


@functools.cache
def why_missing():
    """Return what a container engine lacks on this machine; None if nothing."""
    if os.getuid() != 0:
        return 'the tests of containers run as root'
    lacking = [name for name in ('podman', 'runc', 'iptables') if shutil.which(name) is None]
    if lacking:
        return f'{", ".join(lacking)} not found'
    return None if _busybox() else 'there is no static busybox'


def _busybox():
    """Return the path of a busybox without shared libraries; None if there is none."""
    for path in ('/bin/busybox', '/usr/bin/busybox', '/bin/busybox.static'):
        if os.path.exists(path):
            data = pathlib.Path(path).read_bytes()
            if b'ld-linux' not in data[:4096]:
                return path
    return None


class Service:
    """The process ``podman system service``. Containers go on when it is killed."""

    def __init__(self, folder):
        self.socket = folder / 'engine.sock'
        self.url = f'unix://{self.socket}'
        self._log = folder / 'engine.log'
        self._conf = folder / 'containers.conf'
        self._conf.write_text(CONFIGURATION)
        self._process = None

    def start(self):
        self.socket.unlink(missing_ok=True)
        command = ['podman', 'system', 'service', '--time=0', self.url]
        environment = {**os.environ, 'CONTAINERS_CONF': str(self._conf)}
        with self._log.open('a') as log:
            self._process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
        until = time.monotonic() + WAIT_SECONDS
        while not self._answers():
            assert self._process.poll() is None, self._log.read_text()
            assert time.monotonic() < until, self._log.read_text()
            time.sleep(0.05)

    @property
    def pid(self):
        return self._process.pid

    def has_ended(self):
        return self._process.poll() is not None

    def kill(self):
        """End the service at once, as kill -9 does."""
        self._process.kill()
        self._process.wait()

    def stop(self):
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self.kill()

    def client(self):
        return docker.APIClient(self.url, version='auto', timeout=60)

    def _answers(self):
        try:
            return self.client().ping()
        except (docker.errors.DockerException, OSError):
            return False

    def provide_image(self):
        """Import the image of the tests, once for a machine."""
        if not self.images(IMAGE):
            command = ['podman', 'import', '-q', '--change', 'CMD ["/bin/sh"]', '-', IMAGE]
            subprocess.run(command, input=image_archive(), check=True, capture_output=True)

    def images(self, name):
        """Return the images with a name. Podman cannot list them while another one is removed."""
        until = time.monotonic() + WAIT_SECONDS
        while True:
            try:
                return self.client().images(name)
            except docker.errors.APIError:
                assert time.monotonic() < until
                time.sleep(0.1)

    def objects(self, stack_id=None):
        """Return names of the containers, networks and volumes of all stacks, or of one."""
        api = self.client()
        marks = {'label': [f'{STACK}={stack_id}' if stack_id else MARK]}
        found = [each['Names'][0].lstrip('/') for each in api.containers(all=True, filters=marks)]
        found += [each['Name'] for each in api.networks(filters=marks)]
        found += [each['Name'] for each in api.volumes(filters=marks)['Volumes'] or ()]
        return sorted(found)


@contextlib.contextmanager
def images_of_pages(service):
    """Provide the images of the documentation, for tests without a registry.

    Real ones are used. Others are stand-ins with Python and Redis of this machine; the last of
    several processes that use them removes them.
    """
    with _lock('users') as users:
        with _lock('changes', fcntl.LOCK_EX):
            _provide_images_of_pages(service)
            fcntl.flock(users, fcntl.LOCK_SH)
        try:
            yield
        finally:
            with _lock('changes', fcntl.LOCK_EX):
                fcntl.flock(users, fcntl.LOCK_UN)
                with contextlib.suppress(BlockingIOError):
                    fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    subprocess.run(
                        ['podman', 'image', 'prune', '-af', '--filter', f'label={STAND_IN}'],
                        capture_output=True,
                    )


@contextlib.contextmanager
def _lock(name, kind=fcntl.LOCK_UN):
    """Open a file that all test processes of this machine lock."""
    path = pathlib.Path(tempfile.gettempdir()) / f'heat-lite-test-images-{name}.lock'
    with path.open('a') as file:
        fcntl.flock(file, kind)
        yield file


def _provide_images_of_pages(service):
    lacking = [name for name in PAGE_IMAGES if not service.images(name)]
    if lacking and shutil.which('redis-server') is None:
        skip_or_fail('redis-server not found: apt-get install redis-server')
    for name in lacking:
        command = ['podman', 'import', '-q', '--change', f'LABEL {STAND_IN}=1', '-', name]
        archive = image_archive(_python_and_redis)
        subprocess.run(command, input=archive, check=True, capture_output=True)


def _python_and_redis(archive):
    root = pathlib.Path(sys.base_prefix)
    python, redis = pathlib.Path(sys.executable).resolve(), shutil.which('redis-server')
    archive.add(python, 'usr/local/bin/python')
    archive.add(os.path.realpath(redis), 'usr/local/bin/redis-server')
    archive.add(os.path.realpath(shutil.which('redis-cli')), 'usr/local/bin/redis-cli')
    library = root / 'lib' / f'python{sys.version_info.major}.{sys.version_info.minor}'
    for path in library.iterdir():
        if path.stem in {*sys.stdlib_module_names, 'lib-dynload'}:
            archive.add(path, f'usr/local/lib/{library.name}/{path.name}', filter=_without_caches)
    modules = (library / 'lib-dynload').glob('*.so')
    for path in _libraries(python, redis, *modules):
        archive.add(os.path.realpath(path), path)


def _without_caches(entry):
    return None if entry.name.endswith('__pycache__') else entry


def _libraries(*programs):
    """Return the paths of the shared libraries of programs."""
    shown = subprocess.run(['ldd', *programs], capture_output=True, text=True).stdout
    return sorted(set(re.findall(r'\s(/\S+)(?= \(0x)', shown)))


def image_archive(add_more=None):
    """Return an archive of a file system with busybox, and what a function adds."""
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode='w') as archive:
        if add_more:
            add_more(archive)
        archive.add(os.path.realpath(_busybox()), 'bin/busybox')
        for name in APPLETS:
            link = tarfile.TarInfo(f'bin/{name}')
            link.type, link.linkname = tarfile.SYMTYPE, 'busybox'
            archive.addfile(link)
        users = b'root:x:0:0::/:/bin/sh\n'
        entry = tarfile.TarInfo('etc/passwd')
        entry.size = len(users)
        archive.addfile(entry, io.BytesIO(users))
        for name in ('tmp', 'www'):
            folder = tarfile.TarInfo(name)
            folder.type, folder.mode = tarfile.DIRTYPE, 0o777
            archive.addfile(folder)
    return target.getvalue()

"""A container without an image: the file system of this machine, of which nothing is written.

Changes go to memory. Processes have names and numbers of their own; the network is the machine's.
"""

import contextlib
import pathlib
import shutil
import subprocess
import sys

from tests.databases import skip_or_fail

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(sys.executable).parent
#: makes a new root of the old one and a layer in memory; prints a line when it is ready
INIT = """
mount -t tmpfs tmpfs {folder} && mkdir {folder}/upper {folder}/work {folder}/root &&
mount -t overlay overlay \
    -o lowerdir=/,upperdir={folder}/upper,workdir={folder}/work {folder}/root &&
mount -t proc proc {folder}/root/proc && mount --rbind /dev {folder}/root/dev &&
mount -t tmpfs tmpfs {folder}/root/run && echo ready && exec sleep infinity
"""
NEW = ('unshare', '--mount', '--pid', '--fork', '--kill-child', '--propagation', 'private')


class Container:
    """Commands run with the programs of the tests' environment first in their path."""

    def __init__(self, init, folder):
        self._init = init
        self.root = folder / 'root'

    def command(self, *words):
        """Return the command of this machine that runs a command in the container."""
        path = f'PATH={BIN}:/usr/local/bin:/usr/local/sbin:/usr/bin:/usr/sbin:/bin:/sbin'
        enter = ('nsenter', '--mount', '--pid', '--target', str(self._init))
        return [*enter, 'chroot', self.root, 'env', '-i', path, 'LANG=C.UTF-8', *words]

    def run(self, *words):
        """Run a command to its end and return what it wrote. Raises AssertionError if it fails."""
        ended = subprocess.run(self.command(*words), capture_output=True, text=True)
        assert ended.returncode == 0, f'{words}: {ended.stdout}{ended.stderr}'
        return ended.stdout

    def start(self, *words):
        return subprocess.Popen(self.command(*words))

    def install_as_heat(self):
        """Install what has Heat's names, and the user, as the images of deployers do."""
        pip = (sys.executable, '-m', 'pip', 'install', '--quiet', '--no-deps')
        sources = [path.parent for path in sorted(ROOT.glob('aliases/**/setup.cfg'))]
        self.run('cp', '-r', ROOT / 'aliases', '/heat-aliases')
        for source in sources:
            place = '/heat-aliases' / source.relative_to(ROOT / 'aliases')
            self.run(*pip, '--no-build-isolation', place)
        # of number 0, since a checkout may be readable for root alone
        self.run('groupadd', '--non-unique', '--gid', '0', 'heat')
        self.run('useradd', '--non-unique', '--uid', '0', '--gid', '0', '-M', 'heat')
        for name in ('/var/lib/heat', '/etc/heat'):
            self.run('mkdir', '-p', name)
        for path in sorted((ROOT / 'etc/heat').glob('*')):
            self.run('cp', '-r', path, '/etc/heat/')


@contextlib.contextmanager
def new(folder):
    """Yield a container; its processes end with the block."""
    if not shutil.which('unshare') or not shutil.which('nsenter'):
        skip_or_fail('unshare and nsenter are needed (Debian: util-linux)')
    init = subprocess.Popen(
        [*NEW, 'sh', '-c', INIT.format(folder=folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        line = init.stdout.readline().strip()
        if line != 'ready':
            skip_or_fail(f'no container can be made, which needs root: {line}')
        number = pathlib.Path(f'/proc/{init.pid}/task/{init.pid}/children').read_text().split()[0]
        yield Container(int(number), folder)
    finally:
        init.kill()
        init.wait()

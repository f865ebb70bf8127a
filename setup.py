"""Adds the data files to a wheel. All other metadata are in setup.cfg.

A checkout has the data files in ``docs``, ``etc/heat_lite`` and ``migrations``, a package in
``heat_lite/_data``. ``heat_lite.common.installation`` finds both.
"""

import shutil
import subprocess
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

DATA = {'etc/heat_lite': 'etc', 'migrations': 'migrations', 'docs': 'docs'}


class BuildWithData(build_py):
    """The standard build, plus a copy of the data folders in the package."""

    def run(self):
        super().run()
        if not self.editable_mode:
            for source, name in DATA.items():
                target = Path(self.build_lib, 'heat_lite', '_data', name)
                shutil.copytree(
                    source, target, dirs_exist_ok=True, ignore=shutil.ignore_patterns('__pycache__')
                )
            self.write_commit()

    def write_commit(self):
        """Write the commit of the checkout, if there is one, for build_info and --version."""
        if not (Path('.git').exists() and shutil.which('git')):
            return
        found = subprocess.run(['git', 'rev-parse', 'HEAD'], capture_output=True, text=True)
        if found.returncode == 0:
            Path(self.build_lib, 'heat_lite', '_data', 'commit').write_text(found.stdout)


setup(cmdclass={'build_py': BuildWithData})

"""Puts the files that are not code beside the code in a wheel; everything else is said in setup.cfg.

A checkout keeps them where a reader looks for them (``etc/heat_lite`` and ``migrations``); an installed package finds the same folders in
``heat_lite/_data``. ``heat_lite.common.paths`` knows both places.
"""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

DATA = {'etc/heat_lite': 'etc', 'migrations': 'migrations'}


class BuildWithData(build_py):
    """The usual build, and the data folders copied into the package."""

    def run(self):
        super().run()
        if not self.editable_mode:
            for source, name in DATA.items():
                target = Path(self.build_lib, 'heat_lite', '_data', name)
                shutil.copytree(source, target, dirs_exist_ok=True, ignore=shutil.ignore_patterns('__pycache__'))


setup(cmdclass={'build_py': BuildWithData})

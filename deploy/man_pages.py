"""Writes a man page for each program, from the parser of its arguments: ``make man``."""

import argparse
import configparser
import datetime
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
#: macros begin with these characters at the begin of a line
CONTROL = re.compile(r"^([.'])", re.MULTILINE)
#: the day of the pages: that of the source, for equal builds
STAMP = int(os.environ.get('SOURCE_DATE_EPOCH', '0'))


def programs():
    """Return ``{program: (module, function)}`` of setup.cfg."""
    parser = configparser.ConfigParser()
    parser.read(ROOT / 'setup.cfg')
    lines = parser['options.entry_points']['console_scripts'].split('\n')
    pairs = [line.split(' = ') for line in lines if line]
    return {name: tuple(target.split(':')) for name, target in pairs}


def help_of(program, target):
    """Return what ``program --help`` prints."""
    module, function = target
    code = (
        f'import sys; sys.argv[:] = [{program!r}, "--help"]; from {module} import {function} as f'
    )
    command = [sys.executable, '-W', 'ignore', '-c', f'{code}; sys.exit(f())']
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout


def page(program, text):
    """Return the man page of a program with this help."""
    usage, _, rest = text.partition('\n\n')
    summary = ' '.join(rest.strip().partition('\n\n')[0].split()).rstrip('.')
    if program == 'heat-lite':  # its help begins with the table of its commands
        summary = 'create, change and look at stacks of the orchestration service'
    day = datetime.datetime.fromtimestamp(STAMP, datetime.UTC).date()
    lines = [
        f'.TH {_escaped(program).upper()} 1 "{day}" "heat-lite"',
        f'.SH NAME\n{_escaped(program)} \\- {_escaped(summary)}',
        f'.SH SYNOPSIS\n.nf\n{_escaped(re.sub("^usage: ", "", usage))}\n.fi',
        f'.SH DESCRIPTION\n.nf\n{_escaped(rest.strip())}\n.fi',
        '.SH FILES\n/etc/heat_lite/heat\\-lite.conf',
        '.SH ENVIRONMENT\n.nf\nOS_GROUP__OPTION sets an option, e.g. OS_DATABASE__CONNECTION.\n.fi',
    ]
    return '\n'.join(lines) + '\n'


def _escaped(text):
    return CONTROL.sub(r'\\&\1', text.replace('\\', '\\e').replace('-', '\\-'))


def main():
    """Write the pages into the folder of the first argument."""
    parser = argparse.ArgumentParser(description='Write a man page for each program.')
    parser.add_argument('folder', type=Path)
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    os.environ['COLUMNS'] = '78'
    for program, target in programs().items():
        (folder / f'{program}.1').write_text(page(program, help_of(program, target)))


if __name__ == '__main__':
    main()

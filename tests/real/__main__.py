"""Run scenarios of resource types on a real cloud, and compare two orchestration services.

usage: . openrc && python -m tests.real [--url URL] [--keep FILE] [--against FILE] [--refusals]
[CASE ...]

The OS_* variables select the cloud and the user. ``--url`` (or HEAT_URL) is the orchestration
service with the project id; the default is that of the catalog.

A case is a file in ``cases``. Each stack is created, updated, checked, suspended, resumed and
deleted; invalid values must be refused; at the end the cloud must contain what it contained before.

``--keep`` writes the observations to a file; ``--against`` compares with those of another service.
The exit status is 1 after a failure or a difference.
"""

import argparse
import json
import os
import pathlib
import sys

import yaml

from tests.real import cloud, differences, scenario

CASES = pathlib.Path(__file__).parent / 'cases'


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('cases', nargs='*')
    parser.add_argument('--url', default=os.environ.get('HEAT_URL'))
    parser.add_argument('--keep', type=pathlib.Path)
    parser.add_argument('--against', type=pathlib.Path)
    parser.add_argument('--refusals', action='store_true', help='only what is wrong')
    asked = parser.parse_args()
    place = cloud.Cloud(os.environ, asked.url)
    seen, bad = {}, 0
    for name in asked.cases or sorted(path.stem for path in CASES.glob('*.yaml')):
        played = scenario.Scenario(
            place, name, yaml.safe_load((CASES / f'{name}.yaml').read_text()), asked.refusals
        )
        seen[name] = played.play()
        bad += played.failed
        print(f'{name}: {"FAILED" if played.failed else "ok"}, {played.seconds:.1f} s', flush=True)
    if asked.keep:
        kept = json.loads(asked.keep.read_text()) if asked.keep.exists() else {}
        asked.keep.write_text(json.dumps({**kept, **seen}, indent=1, sort_keys=True))
    if asked.against:
        other = json.loads(asked.against.read_text())
        for line in differences.between({name: other.get(name) for name in seen}, seen):
            bad += 1
            print(line)
    sys.exit(bool(bad))


if __name__ == '__main__':
    main()

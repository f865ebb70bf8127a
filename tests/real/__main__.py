"""Let resource types live their lives on a real cloud, and compare what two orchestration services make of them.

    . openrc && python -m tests.real [--url URL] [--keep FILE] [--against FILE] [--refusals] [CASE ...]

The cloud and who asks are told by the usual OS_* variables; ``--url`` (or HEAT_URL) is the orchestration service, with the project's id in
it, without one it is that of the catalog. A case is a file in ``cases``. Each is created, looked at, changed, checked, suspended, resumed
and deleted; what is wrong with values is asked for as well; in the end the cloud must hold what it held before. What was seen is kept in a
file by ``--keep``; ``--against`` tells how what was kept of another service differs. Ends with 1 where something failed, or differs.
"""

import argparse
import json
import os
import pathlib
import sys

import yaml

from tests.real import cloud, differences, life

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
        played = life.Life(place, name, yaml.safe_load((CASES / f'{name}.yaml').read_text()), asked.refusals)
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

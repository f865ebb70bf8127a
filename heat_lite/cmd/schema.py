"""``heat-lite schema``: prints the JSON Schema of HOT with all resource types, for editors."""

import argparse
import json
import sys

from heat_lite.cmd import offline
from heat_lite.template import json_schema


def main(argv=None):
    """The command by itself; its exit status."""
    parser = argparse.ArgumentParser(
        prog='heat-lite schema',
        description='Print the JSON Schema of HOT with all resource types: editors that are given it complete and check templates.',
    )
    parser.add_argument('--indent', type=int, default=None, metavar='N', help='write it for people, N spaces a level')
    args = parser.parse_args(argv)
    try:
        print(json.dumps(json_schema.of_hot(offline.Types()), indent=args.indent), flush=True)
    except BrokenPipeError:
        sys.stdout = None  # whoever reads has seen enough (`| head`)
    return 0


if __name__ == '__main__':
    sys.exit(main())

"""``heat-lite schema``: prints the JSON Schema of HOT with all resource types, for editors."""

import json
import sys

from heat_lite.authoring import offline_types
from heat_lite.cli import option_parser
from heat_lite.template import json_schema


def parser():
    top = option_parser.Parser(
        'schema',
        'print the JSON Schema of HOT with all resource types. Editors use it to complete and check'
        ' templates',
        'heat-lite schema > hot.json\nheat-lite schema --plugin-dir plugins > hot.json',
    )
    top.add_argument(
        '--indent',
        type=int,
        default=None,
        metavar='N',
        help='indent the JSON by N spaces a level',
    )
    top.add_argument(
        '--plugin-dir',
        action='append',
        default=[],
        metavar='FOLDER',
        help='add the resource types of the modules in this folder, and run them; may be repeated',
    )
    return top


def main(argv=None):
    """Run the command. Return its exit status."""
    args = parser().parse_args(argv)
    schema = json_schema.hot_schema(offline_types.OfflineTypes(args.plugin_dir))
    try:
        print(json.dumps(schema, indent=args.indent), flush=True)
    except BrokenPipeError:
        sys.stdout = None  # the reader closed the pipe (`| head`)
    return 0


if __name__ == '__main__':
    sys.exit(main())

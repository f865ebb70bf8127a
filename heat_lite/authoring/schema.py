"""``heat-lite schema``: prints the JSON Schema of HOT with all resource types, for editors."""

import json

from heat_lite.authoring import offline_types
from heat_lite.cli.option_parser import Parser, argument, repeatable
from heat_lite.template import json_schema

SCHEMA = (
    argument('--indent', type=int, metavar='N', help='indent the JSON by N spaces a level'),
    repeatable(
        '--plugin-dir',
        metavar='FOLDER',
        help='add the resource types of the modules in this folder, and run them; may be repeated',
    ),
)


def parser() -> Parser:
    return Parser(
        'schema',
        'print the JSON Schema of HOT with all resource types. Editors use it to complete and check'
        ' templates',
        'heat-lite schema > hot.json\nheat-lite schema --plugin-dir plugins > hot.json',
        SCHEMA,
    )


def main(argv: list[str] | None = None) -> int:
    """Run the command. Return its exit status."""
    args = parser().parse_args(argv)
    schema = json_schema.hot_schema(offline_types.OfflineTypes(args.plugin_dir))
    print(json.dumps(schema, indent=args.indent), flush=True)
    return 0

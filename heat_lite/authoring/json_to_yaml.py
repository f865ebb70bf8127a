"""``cfn-json2yaml``: writes CFN templates in JSON as YAML, beside their originals."""

import argparse
import sys
from pathlib import Path

from heat_lite.cli import option_parser
from heat_lite.template import reader
from heat_lite.template.conversion import cfn_reader, cfn_to_hot
from heat_lite.template.editing import yaml_writer

PATTERNS = ('*.template', '*.json')


def main(argv: list[str] | None = None) -> int:
    """Convert the templates of the arguments. Return 1 if one of them is no template."""
    args = _parser().parse_args(argv)
    status = 0
    for path in args.path:
        try:
            for file in _files(Path(path)):
                _convert(file, args.force)
        except (OSError, ValueError, reader.FormatError) as error:
            print(f'cfn-json2yaml: {error}', file=sys.stderr)
            status = 1
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        'cfn-json2yaml',
        description='Write CFN templates in JSON as YAML: app.template becomes app.yaml.',
        epilog='example:\n  cfn-json2yaml templates/',
        formatter_class=option_parser.Formatter,
    )
    parser.add_argument(
        'path', nargs='+', help='a template, or a folder: its files *.template and *.json'
    )
    parser.add_argument('-f', '--force', action='store_true', help='overwrite existing files')
    return parser


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    found = sorted(file for pattern in PATTERNS for file in path.glob(pattern))
    if not found:
        raise ValueError(f'{path}: the folder has no files {" or ".join(PATTERNS)}')
    return found


def _convert(file: Path, force: bool) -> None:
    data = cfn_reader.parse(file.read_text(encoding='utf-8'), str(file))
    if not cfn_to_hot.is_cfn(data):
        raise ValueError(f'{file} is no template in CFN')
    target = file.with_suffix('.yaml')
    if target.exists() and not force:
        raise FileExistsError(f'{target} exists already: --force overwrites it')
    target.write_text(yaml_writer.to_yaml(data), encoding='utf-8')
    print(f'{file} -> {target}')


if __name__ == '__main__':
    sys.exit(main())

"""Reads CFN templates, also those with the short forms of functions, which Heat does not know.

``!GetAtt server.PublicIp`` is read as ``{Fn::GetAtt: [server, PublicIp]}``.
"""

import yaml

from heat_lite.common.value_types import Value
from heat_lite.template import reader

_TIMESTAMP = 'tag:yaml.org,2002:timestamp'
#: short forms without the prefix ``Fn::``
_BARE = ('Ref', 'Condition')


def parse(text: str, name: str) -> dict:
    """Return a template as a map. Raises FormatError, which contains ``name``."""
    try:
        return reader.parse(text, name=name)
    except reader.FormatError as error:
        try:
            data = yaml.load(text, Loader=ShortFormLoader)
        except (yaml.YAMLError, ValueError, RecursionError):
            raise error from None
        if not isinstance(data, dict):
            raise
        # through the usual reader, for its limits and its keys
        return reader.parse(_with_text_keys(data), name=name)


class ShortFormLoader(yaml.SafeLoader):
    """Reads dates as strings, and tags as calls of functions."""

    yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in resolvers if tag != _TIMESTAMP]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


def construct_untagged(loader: yaml.SafeLoader, node: yaml.Node) -> Value:
    """Return the value of a node as if it had no tag."""
    if isinstance(node, yaml.MappingNode):
        return loader.construct_mapping(node, deep=True)
    if isinstance(node, yaml.SequenceNode):
        return loader.construct_sequence(node, deep=True)
    return loader.construct_scalar(node)  # type: ignore[arg-type]


def _call(loader: ShortFormLoader, suffix: str, node: yaml.Node) -> dict:
    args = construct_untagged(loader, node)
    if suffix == 'GetAtt' and isinstance(args, str):
        args = args.split('.', 1)
    return {suffix if suffix in _BARE else f'Fn::{suffix}': args}


ShortFormLoader.add_multi_constructor('!', _call)


def _with_text_keys(data: Value) -> Value:
    if isinstance(data, dict):
        return {str(key): _with_text_keys(value) for key, value in data.items()}
    return [_with_text_keys(item) for item in data] if isinstance(data, list) else data

"""What a client can be told about the language: its versions, and the functions of each."""

import inspect

from heat_lite.template import function, versions
from heat_lite.template.functions import logic


def template_versions():
    """All versions, with the release names under which they are known as well."""
    listed = []
    for key in sorted(versions.TABLE):
        names = versions.TABLE[key]
        for name in sorted(set(version.name for version in names.values())):
            aliases = [f'{key}.{alias}' for alias, version in names.items() if version.name == name != alias]
            dialect = 'hot' if key == 'heat_template_version' else 'cfn'
            listed.append({'version': f'{key}.{name}', 'type': dialect, 'aliases': aliases})
    return listed


def functions_of(full_name, with_condition=False):
    """Names and descriptions of the functions of ``heat_template_version.2021-04-16`` or the like; None for an unknown version.

    ``with_condition`` adds those that only conditions may use.
    """
    key, _, name = full_name.partition('.')
    version = versions.TABLE.get(key, {}).get(name)
    if version is None:
        return None
    table = dict(version.functions)
    if with_condition:
        table.update(version.condition_functions or {})
        table.update(version.functions)
    found = {name: function.load(kind) for name, kind in table.items()}
    return [
        {'functions': name, 'description': _description(kind)}
        for name, kind in found.items()
        if not issubclass(kind, (logic.Removed, logic.NotAllowed))
    ]


def _description(kind):
    return (inspect.getdoc(kind) or '').split('\n\n')[0].replace('\n', ' ')

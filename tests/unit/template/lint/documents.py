"""Documents for the linter, held in memory."""

import functools
import json
import posixpath

from heat_lite.authoring import offline_types
from heat_lite.engine.validation import offline_validation
from heat_lite.template.lint.linter import Linter

TYPES = offline_types.OfflineTypes()


class Files:
    """Files in memory: ``contents`` maps names to texts or data."""

    def __init__(self, contents):
        self.contents = contents

    def join(self, name, reference):
        return (
            reference
            if '://' in reference
            else posixpath.normpath(posixpath.join(posixpath.dirname(name), reference))
        )

    def has(self, name):
        return None if name.startswith('http') else name in self.contents

    def read(self, name):
        if name not in self.contents:
            raise ValueError('The file cannot be read')
        content = self.contents[name]
        return content if isinstance(content, str) else json.dumps(content, indent=1)


class Table:
    """Types in memory: ``types`` maps names to TypeInfo."""

    def __init__(self, types):
        self.types = types

    def names(self):
        return list(self.types)

    def knows(self, name):
        return name in self.types

    def constraint_names(self):
        return []

    def get(self, name):
        return self.types[name]


def lint(contents, names=None, ignored=(), folder=False):
    """Return the findings in the named documents of ``{name: content}``, by default the first.

    With ``folder``, all documents are those of folders.
    """
    if names is None:
        names = list(contents)[:1]
    return Linter(
        TYPES,
        Files(contents),
        functools.partial(offline_validation.validation_errors, TYPES),
        ignored,
        TYPES.base,
    ).lint([] if folder else names, list(contents) if folder else [])

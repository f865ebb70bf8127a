"""The two dialects of templates, HOT and CFN: their keywords, and the versions of each."""

import dataclasses
import types
from collections.abc import Callable, Mapping

VERSION_KEYS = ('heat_template_version', 'AWSTemplateFormatVersion', 'HeatTemplateFormatVersion')


@dataclasses.dataclass(frozen=True)
class Dialect:
    """The keywords of HOT or CFN.

    ``sections``, ``resource`` and ``output`` map the keywords of HOT to those of the dialect.
    """

    name: str
    sections: Mapping[str, str]
    resource: Mapping[str, str]
    output: Mapping[str, str]


def _words(names: str, spelling: Callable[[str], str] = str) -> Mapping[str, str]:
    return types.MappingProxyType({name: spelling(name) for name in names.split()})


def _camel(name: str) -> str:
    return ''.join(word.capitalize() for word in name.split('_'))


_SECTIONS = 'description parameters conditions resources outputs'
# in the order in which Heat reads the parts of a resource
_RESOURCE = 'type properties metadata depends_on deletion_policy update_policy description'
_OUTPUT = 'value description condition'

HOT = Dialect(
    'hot',
    _words(f'{_SECTIONS} parameter_groups'),
    _words(f'{_RESOURCE} external_id condition'),
    _words(_OUTPUT),
)
#: HOT, and what Heat does not have
OWN = dataclasses.replace(
    HOT,
    sections=_words(f'{_SECTIONS} parameter_groups moved'),
    resource=types.MappingProxyType(
        {**_words(f'{_RESOURCE} external_id condition lifecycle'), 'import_id': 'import'}
    ),
)
CFN = Dialect(
    'cfn',
    _words(f'{_SECTIONS} mappings', _camel),
    _words(f'{_RESOURCE} condition', _camel),
    _words(_OUTPUT, _camel),
)


@dataclasses.dataclass(frozen=True)
class Version:
    """One version of the template language.

    ``functions`` and ``condition_functions`` map names to classes, for ``function.Parser``.
    ``condition_functions`` is None if the version has no conditions.
    """

    name: str
    key: str
    dialect: Dialect
    functions: Mapping
    condition_functions: Mapping | None
    parameter_keys: frozenset
    parameter_constraints: frozenset
    deletion_policies: Mapping[str, str]

    @property
    def has_conditions(self) -> bool:
        return self.condition_functions is not None

    @property
    def sections(self) -> set[str]:
        """The names of all sections that this version allows."""
        known = set(self.dialect.sections.values()) | (
            set(VERSION_KEYS[1:]) if self.dialect is CFN else {self.key}
        )
        return known if self.has_conditions else known - {self.dialect.sections['conditions']}

    @property
    def resource_keys(self) -> set[str]:
        """The keys that this version allows in a resource."""
        known = set(self.dialect.resource.values())
        return (
            known
            if self.has_conditions
            else known - {self.dialect.resource['condition'], 'external_id'}
        )

    @property
    def output_keys(self) -> set[str]:
        """The keys that this version allows in an output."""
        known = set(self.dialect.output.values())
        return known if self.has_conditions else known - {self.dialect.output['condition']}

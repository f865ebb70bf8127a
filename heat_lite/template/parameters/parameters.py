"""The parameters of a stack: schemas, values of user and environment, pseudo parameters."""

import contextlib
from collections.abc import Iterator, Mapping

from heat_lite.common import exception
from heat_lite.common.value_types import Value
from heat_lite.template import checks
from heat_lite.template.constraints import AllowedValues, Lookup
from heat_lite.template.parameters import parameter_types
from heat_lite.template.parameters.parameter_schema import ParameterSchema
from heat_lite.template.unknown import Unknown, as_heat_shows, is_known

__all__ = [
    'HIDDEN_TEXT',
    'PSEUDO_CFN',
    'PSEUDO_HOT',
    'RESERVED_NAMES',
    'ParameterSchema',
    'Parameters',
]

#: shown instead of the value of a hidden parameter
HIDDEN_TEXT = '******'
PSEUDO_HOT = ('OS::stack_id', 'OS::project_id', 'OS::stack_name')
PSEUDO_CFN = ('AWS::StackId', 'AWS::StackName', 'AWS::Region')
#: reserved names; OS::region has no value in HOT
RESERVED_NAMES = ('OS::region', *PSEUDO_HOT, *PSEUDO_CFN)
_REGIONS = (
    'us-east-1',
    'us-west-1',
    'us-west-2',
    'sa-east-1',
    'eu-west-1',
    'ap-southeast-1',
    'ap-northeast-1',
)
_DEFAULT_REGION = 'ap-southeast-1'

_UNREAD = object()


class Parameters(Mapping):
    """A map of names to typed values: pseudo parameters, then declared ones in template order.

    ``values`` are the user's. ``defaults`` are the environment's and override the defaults of the
    schemas. A null in either counts as not given. ``identity`` is the stack identifier, None before
    the stack exists. Reading a parameter without value raises UserParameterMissing; reading one of
    the wrong type raises StackValidationFailed. All other checks are in ``validate``.
    """

    def __init__(
        self,
        schemata: Mapping[str, ParameterSchema],
        values: Mapping[str, Value] | None = None,
        defaults: Mapping[str, Value] | None = None,
        identity: object = None,
        dialect: str = 'hot',
    ) -> None:
        self.schemata = schemata
        self.given = values or {}
        self.defaults = defaults or {}
        self._pseudo = _pseudo_cfn(identity) if dialect == 'cfn' else _pseudo_hot(identity)
        self._all = {**self._pseudo, **schemata}
        self._parsed: dict[str, Value] = {}

    # ------------------------------------------------------------ reading

    def __getitem__(self, name: str) -> Value:
        value = self._parsed.get(name, _UNREAD)
        if value is _UNREAD:
            value = self._parsed[name] = self._parse(self._schema(name))
        return value

    def __iter__(self) -> Iterator:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)

    def __contains__(self, name: object) -> bool:
        return name in self._all

    def is_pseudo(self, name: str) -> bool:
        """Return whether it is a pseudo parameter, whose value comes from the stack."""
        return name in self._pseudo or name in RESERVED_NAMES

    def has_value(self, name: str) -> bool:
        """Return whether the parameter has a value."""
        return name in self._all and self._given(self._all[name]) is not None

    def declared_names(self) -> list[str]:
        """Return the names that the template declares, without pseudo parameters."""
        return [name for name in self.schemata if not self.is_pseudo(name)]

    def as_strings(self) -> dict[str, str]:
        """Return all values as the API shows them: strings, hidden ones masked.

        Parameters without value are left out.
        """
        return {
            name: self._as_string(schema)
            for name, schema in self._all.items()
            if self._given(schema) is not None
        }

    def with_values(self) -> dict[str, Value]:
        """Return the declared parameters that have a value: ``{name: value}``."""
        return {name: self[name] for name in self.declared_names() if self.has_value(name)}

    def _as_string(self, schema: ParameterSchema) -> str:
        if schema.hidden:
            return HIDDEN_TEXT
        value = self[schema.name]
        if isinstance(value, Unknown) and value.shown is None:
            return ''
        return parameter_types.render(schema.type, as_heat_shows(value))

    def describe(self, lists_as_text: bool = False) -> dict[str, dict]:
        """Return the declared parameters as POST /validate shows them.

        ``lists_as_text``: given lists as comma-separated texts, as Heat passes them to nested
        stacks.
        """
        given = {name: as_heat_shows(value) for name, value in self.given.items()}
        if lists_as_text:
            given = {
                name: ','.join(map(parameter_types.item_text, value))
                if isinstance(value, list)
                else value
                for name, value in given.items()
            }
        return {
            name: self.schemata[name].describe(given.get(name), self.defaults.get(name))
            for name in self.declared_names()
        }

    def hidden_values(self) -> list[Value]:
        """Return the values of hidden parameters, as they were given and as they are parsed."""
        values = []
        for schema in self.schemata.values():
            given = self._given(schema) if schema.hidden else None
            if given is not None and is_known(given):
                values.append(given)
                with contextlib.suppress(ValueError, TypeError):
                    values.append(parameter_types.parse(schema.type, given))
        return values

    # ------------------------------------------------------------ checking

    def validate(self, validate_value: bool = True, lookup: Lookup | None = None) -> None:
        """Raise UnknownUserParameter for values of unknown parameters.

        With ``validate_value``, also raise UserParameterMissing for missing values and
        StackValidationFailed for invalid ones.
        """
        for name in self.given:
            checks.raise_first(checks.user_parameter(name, self.schemata))
        for schema in self._all.values():
            schema.check()
            if validate_value:
                self._check(schema, lookup)

    def _check(self, schema: ParameterSchema, lookup: Lookup | None) -> None:
        parsed = self[schema.name]
        if isinstance(parsed, Unknown):
            return
        value = parameter_types.constraint_value(schema.type, self._given(schema), parsed)
        try:
            for constraint in schema.constraints:
                constraint.check(value, lookup, schema.convert)
        except (ValueError, TypeError) as error:
            raise _invalid(schema.name, error) from error

    def immutable_changes(self, new: 'Parameters') -> list[str]:
        """Return the names of parameters that are immutable in ``new`` and differ from it."""
        common = [
            name
            for name in new.declared_names()
            if name in self.schemata and new.schemata[name].immutable
        ]
        return sorted(name for name in common if self._differs(new, name))

    def _differs(self, new: 'Parameters', name: str) -> bool:
        if not (self.has_value(name) and new.has_value(name)):
            return self.has_value(name) != new.has_value(name)
        return self[name] != new[name]

    # ------------------------------------------------------------ lookups

    def _schema(self, name: str) -> Value:
        schema = self._all.get(name)
        if schema is None:
            checks.raise_first(checks.parameter_name(name, self._all))
        return schema

    def _given(self, schema: ParameterSchema) -> Value:
        """Return the user's value, else the environment's default, else the schema's."""
        name = schema.name
        for source in (self.given, self.defaults):
            value = source.get(name)
            if value is not None:
                return value
        return schema.default

    def _parse(self, schema: ParameterSchema) -> Value:
        given = self._given(schema)
        if given is None:
            raise exception.UserParameterMissing(key=schema.name)
        if isinstance(given, Unknown):
            return given.of_type(parameter_types.PROPERTY_TYPES[schema.type])
        try:
            return parameter_types.parse(schema.type, given)
        except (ValueError, TypeError) as error:
            kind = f'the value is not of the type {schema.declared_type}'
            raise _invalid(schema.name, kind if schema.hidden else error) from error


def _invalid(name: str, reason: object) -> exception.StackValidationFailed:
    text = f"Parameter '{name}' is invalid: {reason}"
    return exception.StackValidationFailed(text, subject=name).at('parameters')


def _pseudo(name: str, default: str, **options: Value) -> ParameterSchema:
    return ParameterSchema(name, parameter_types.STRING, default=default, **options)


def _pseudo_hot(identity: object) -> dict[str, Value]:
    project = _part(identity, 'project_id') or _part(identity, 'tenant')
    values = (_part(identity, 'stack_id'), project, _part(identity, 'stack_name'))
    return {name: _pseudo(name, str(value)) for name, value in zip(PSEUDO_HOT, values, strict=True)}


def _pseudo_cfn(identity: object) -> dict[str, Value]:
    schemata = (
        _pseudo('AWS::StackId', _arn(identity)),
        _pseudo('AWS::StackName', str(_part(identity, 'stack_name'))),
        _pseudo('AWS::Region', _DEFAULT_REGION, constraints=[AllowedValues(_REGIONS)]),
    )
    return {schema.name: schema for schema in schemata}


def _part(identity: object, name: str) -> str | None:
    """Return a part of an identity, which is an object, a dictionary or None."""
    if isinstance(identity, Mapping):
        return identity.get(name)
    return getattr(identity, name, None)


def _arn(identity: object) -> str:
    tenant, stack, id_ = (_part(identity, name) for name in ('tenant', 'stack_name', 'stack_id'))
    return f'arn:openstack:heat::{tenant}:stacks/{stack}/{id_}'

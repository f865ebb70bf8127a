"""The schema of a template parameter: parsed from HOT or CFN, checked, and shown by the API."""

import dataclasses
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from heat_lite.common import exception
from heat_lite.common.value_texts import bare, quoted
from heat_lite.common.value_types import Value, without_none
from heat_lite.template import constraints as rules
from heat_lite.template.constraints import Constraint
from heat_lite.template.parameters import parameter_types
from heat_lite.template.suggest import with_keyword_suggestion

HOT_KEYS = (
    'type',
    'default',
    'description',
    'constraints',
    'hidden',
    'label',
    'immutable',
    'schema',
    'tags',
)
#: {constraint: (class, {part: key in the API and in CFN})}, in the order in which they count
_BOUNDED: dict[str, tuple[Callable[..., Constraint], dict[str, str]]] = {
    'modulo': (rules.Modulo, {'step': 'Step', 'offset': 'Offset'}),
    'range': (rules.Range, {'min': 'MinValue', 'max': 'MaxValue'}),
    'length': (rules.Length, {'min': 'MinLength', 'max': 'MaxLength'}),
}
#: {constraint: (class, key in the API and in CFN)}
_PLAIN: dict[str, tuple[Callable[..., Constraint], str]] = {
    'allowed_values': (rules.AllowedValues, 'AllowedValues'),
    'allowed_pattern': (rules.AllowedPattern, 'AllowedPattern'),
    'custom_constraint': (rules.CustomConstraint, 'CustomConstraint'),
}
HOT_CONSTRAINTS = (*_BOUNDED, *_PLAIN)
CFN_KEYS = (
    'Type',
    'Default',
    'NoEcho',
    'AllowedValues',
    'AllowedPattern',
    'MaxLength',
    'MinLength',
    'MaxValue',
    'MinValue',
    'Description',
    'ConstraintDescription',
    'Label',
)
CFN_TYPES = {wire: kind for kind, wire in parameter_types.WIRE_NAMES.items()}


@dataclasses.dataclass(slots=True, eq=False, repr=False)
class ParameterSchema:
    """The schema of a parameter.

    ``type`` is the HOT name of the type in both dialects; ``declared_type`` is the name in the
    template.
    """

    name: str
    type: str
    _: dataclasses.KW_ONLY
    declared_type: str = ''
    description: str | None = None
    default: Value = None
    constraints: Sequence[rules.Constraint] = ()
    hidden: bool = False
    label: str | None = None
    immutable: bool = False
    tags: Sequence[str] = ()

    def __post_init__(self) -> None:
        self.declared_type = self.declared_type or self.type
        for constraint in self.constraints if self.hidden else ():
            constraint.is_secret = True

    @property
    def required(self) -> bool:
        """Whether the parameter has no default."""
        return self.default is None

    # ------------------------------------------------------------ parsing

    @classmethod
    def from_hot(
        cls,
        name: str,
        data: Mapping,
        keys: Collection[str] = HOT_KEYS,
        constraints: Collection[str] = HOT_CONSTRAINTS,
    ) -> 'ParameterSchema':
        """Parse a parameter of a HOT template.

        ``keys`` and ``constraints`` are those of the template version. Raises InvalidSchemaError.
        """
        _require_type_key(name, data, keys, 'type')
        if 'tags' in data and not isinstance(data['tags'], list):
            raise exception.InvalidSchemaError(
                f'Tags property should be a list for parameter: {name}'
            )
        checks = _hot_constraints(name, data.get('constraints'), constraints)
        _require_known_type(data['type'], parameter_types.WIRE_NAMES)
        return cls(
            name,
            data['type'],
            description=data.get('description'),
            default=data.get('default'),
            constraints=checks,
            hidden=bool(data.get('hidden')),
            label=data.get('label'),
            immutable=bool(data.get('immutable')),
            tags=data.get('tags', ()),
        )

    @classmethod
    def from_cfn(cls, name: str, data: Mapping) -> 'ParameterSchema':
        """Parse a parameter of a CFN template. Raises InvalidSchemaError."""
        _require_type_key(name, data, CFN_KEYS, 'Type')
        constraints = list(_cfn_constraints(data))
        declared = data['Type']
        _require_known_type(declared, CFN_TYPES)
        return cls(
            name,
            CFN_TYPES[declared],
            declared_type=declared,
            description=data.get('Description'),
            default=data.get('Default'),
            constraints=constraints,
            hidden=str(data.get('NoEcho', 'false')).lower() == 'true',
            label=data.get('Label'),
        )

    def check(self) -> None:
        """Raise InvalidSchemaError for a constraint that the type does not allow, or a default that
        violates a constraint."""
        kind = parameter_types.PROPERTY_TYPES[self.type]
        for constraint in self.constraints:
            if kind not in constraint.valid_types:
                raise self.invalid_parameter(
                    f'{type(constraint).__name__} constraint invalid for {self.declared_type}'
                )
        if self.default is not None:
            self._check_default()

    def _check_default(self) -> None:
        value = self.default
        if self.type == parameter_types.LIST and not isinstance(value, list):
            value = self._default_list()
        for constraint in self.constraints:
            try:
                if not isinstance(constraint, rules.CustomConstraint):
                    constraint.check(value, convert=self.convert)
            except (ValueError, TypeError) as error:
                default = 'of a hidden parameter' if self.hidden else self.default
                text = f'Invalid default {bare(default)} ({error})'
                raise self.invalid_parameter(text) from error

    def _default_list(self) -> list[str]:
        try:
            return parameter_types.parse(self.type, self.default)
        except ValueError as error:
            raise self.invalid_parameter(str(error).replace('Value', 'Default', 1)) from error

    def invalid_parameter(self, reason: str) -> exception.InvalidSchemaError:
        error = exception.InvalidSchemaError(f"Parameter '{self.name}' is invalid: {reason}")
        return error.at('parameters', self.name)

    # ------------------------------------------------------------ values

    def convert(self, value: Value) -> Value:
        """Return a value converted for comparison with allowed values. Raises ValueError."""
        try:
            return parameter_types.compare_as(self.type, value)
        except (ValueError, TypeError):
            raise ValueError(
                f'Value {quoted(value)} is invalid for data type "{self.declared_type}".'
            ) from None

    # ------------------------------------------------------------ the API

    def describe(self, value: Value = None, default: Value = None) -> dict:
        """Return the parameter as POST /validate shows it.

        ``value`` is the user's value. ``default`` is the default of the environment, which
        overrides that of the schema.
        """
        wire = {
            'Type': parameter_types.WIRE_NAMES[self.type],
            'Description': self.description or '',
            'NoEcho': 'true' if self.hidden else 'false',
            'Label': self.label or self.name,
            'Default': self.default if default is None else default,
            'Value': value or None,
            'Tags': list(self.tags) or None,
        }
        stated = without_none(wire)
        return {**stated, **describe_constraints(self.constraints)}

    def __repr__(self) -> str:
        return f'ParameterSchema({self.name}, {self.type})'


def describe_constraints(constraints: Iterable[Constraint]) -> dict:
    """Return constraints as POST /validate shows them, with CFN's keys."""
    wire = {}
    for constraint in constraints:
        for kind, rule in constraint.rule().items():
            if kind in _BOUNDED:
                keys = _BOUNDED[kind][1]
                wire.update({keys[part]: number for part, number in rule.items()})
            else:
                wire[_PLAIN[kind][1]] = rule
    descriptions = [
        str(constraint.description) for constraint in constraints if constraint.description
    ]
    if descriptions:
        wire['ConstraintDescription'] = ' '.join(descriptions)
    return wire


def _require_known_type(name: Value, known: Mapping[str, str]) -> None:
    if not isinstance(name, str) or name not in known:
        raise exception.InvalidSchemaError(
            with_keyword_suggestion(f'Invalid type ({bare(name)})', name, known)
        )


def _require_type_key(name: str, data: Value, keys: Collection[str], type_key: str) -> None:
    if not isinstance(data, Mapping):
        raise exception.InvalidSchemaError(f'Invalid parameter ({name}), expected a mapping')
    _require_keys(data, keys, f'parameter ({name})')
    if type_key not in data:
        raise exception.InvalidSchemaError(f'Missing parameter type for parameter: {name}')


def _require_keys(data: Mapping[str, Value], keys: Collection[str], where: str) -> None:
    for key in data:
        if key not in keys:
            raise exception.InvalidSchemaError(
                with_keyword_suggestion(f"Invalid key '{key}' for {where}", key, keys)
            )


def _hot_constraints(name: str, data: list[Value] | None, known: Collection[str]) -> list[Value]:
    if data is None:
        return []
    if not isinstance(data, list):
        raise exception.InvalidSchemaError(
            f'Invalid parameter constraints for parameter {name}, expected a list'
        )
    return [_hot_constraint(item, known) for item in data]


def _hot_constraint(data: Mapping[str, Value], known: Collection[str]) -> Constraint:
    """Parse one constraint. If a map contains several, only the first in this order counts, as in
    Heat."""
    if not isinstance(data, Mapping):
        raise exception.InvalidSchemaError('Invalid parameter constraints, expected a mapping')
    _require_keys(data, ('description', *HOT_CONSTRAINTS), 'parameter constraints')
    description = data.get('description')
    for kind, (build, keys) in _BOUNDED.items():
        if kind in data and kind in known:
            bounds = data[kind]
            if not isinstance(bounds, Mapping):
                raise exception.InvalidSchemaError(f'Invalid {kind} constraint, expected a mapping')
            _require_keys(bounds, keys, f'{kind} constraint')
            return build(**bounds, description=description)
    for kind, (build, _key) in _PLAIN.items():
        if kind in data and kind in known:
            return build(data[kind], description)
    raise exception.InvalidSchemaError('No constraint expressed')


def _cfn_constraints(data: Mapping[str, Value]) -> Iterator[Constraint]:
    description = data.get('ConstraintDescription')
    for build, keys in _BOUNDED.values():
        bounds = {part: data[key] for part, key in keys.items() if key in data}
        if bounds:
            yield build(**bounds, description=description)
    for build, key in _PLAIN.values():
        if key in data:
            yield build(data[key], description)

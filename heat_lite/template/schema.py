"""Schemas of properties and attributes: types, defaults, constraints, nesting, and how the API shows them.

Built once, with the class that owns them, and shared; treat them as immutable.
"""

from heat_lite.common import exception
from heat_lite.template import support as support_status
from heat_lite.template.constraints import ANY, BOOLEAN, INTEGER, LIST, MAP, NUMBER, STRING, TYPES, CustomConstraint

CACHE_LOCAL, CACHE_NONE = 'cache_local', 'cache_none'


class PropertySchema:
    """What a property takes.

    ``schema`` is, for a map, a dictionary of its keys and, for a list, the schema of its items. ``ref`` names the kind of cloud object
    that the value names: it must be there, and its id stands for it; ``resolves`` does only the latter. ``wire`` is the key in the
    request (``key(name)`` tells), ``sent`` whether the property is in its body at all, ``alias_of`` the name of the property that this
    hidden older name stands for. ``allow_conversion`` lets a map be JSON text or a list, and a list text with commas.
    """

    __slots__ = (
        'type',
        'description',
        'default',
        'required',
        'constraints',
        'update_allowed',
        'immutable',
        'support',
        'schema',
        'ref',
        'wire',
        'sent',
        'alias_of',
        'allow_conversion',
        'implemented',
        'names_objects',
    )

    def __init__(
        self,
        type,
        description=None,
        *,
        default=None,
        required=False,
        constraints=(),
        update_allowed=False,
        immutable=False,
        support=None,
        schema=None,
        ref=None,
        resolves=None,
        wire=None,
        sent=True,
        alias_of=None,
        allow_conversion=False,
        implemented=True,
    ):
        self.type = type
        self.description = description
        self.default = default
        self.required = required
        self.constraints = (*constraints, CustomConstraint(ref)) if ref else tuple(constraints)
        self.update_allowed = update_allowed
        self.immutable = immutable
        self.support = support or (support_status.hidden() if alias_of else support_status.PLAIN)
        self.schema = schema
        self.ref = ref or resolves
        self.wire = wire
        self.sent = sent
        self.alias_of = alias_of
        self.allow_conversion = allow_conversion
        self.implemented = implemented
        #: whether it, or anything inside it, names an object of the cloud
        self.names_objects = bool(self.ref) or any(each.names_objects for each in _inside(schema))
        self._check()

    def _check(self):
        if self.type not in TYPES:
            raise exception.InvalidSchemaError(f'Invalid type ({self.type})')
        nesting = {MAP: dict, LIST: PropertySchema}.get(self.type)
        if self.schema is not None and (nesting is None or not isinstance(self.schema, nesting)):
            raise exception.InvalidSchemaError(f'Items contained in {self.type} do not fit')
        if self.update_allowed and self.immutable:
            raise exception.InvalidSchemaError('Options update_allowed and immutable cannot both be True')
        for constraint in self.constraints:
            if self.type not in (*constraint.valid_types, ANY):
                raise exception.InvalidSchemaError(f'{type(constraint).__name__} constraint invalid for {self.type}')

    @property
    def has_default(self):
        return self.default is not None

    @property
    def hidden(self):
        return self.support.status == support_status.HIDDEN

    def key(self, name):
        """The key of the property in a request's body."""
        return self.wire or name

    def children(self):
        """The nested schemas by name, of a list's items as of a map's keys."""
        if self.type == LIST and self.schema is not None:
            return self.schema.schema if self.schema.type == MAP else None
        return self.schema if self.type == MAP else None

    @classmethod
    def from_parameter(cls, parameter):
        """The property of a template used as a resource type. Defaults stay with the parameter: what is not given is not passed on."""
        return cls(
            _PARAMETER_TYPES[parameter.type],
            parameter.description,
            required=parameter.required,
            constraints=parameter.constraints,
            update_allowed=True,
            immutable=False,
            allow_conversion=parameter.type in ('json', 'comma_delimited_list'),
        )

    def to_wire(self):
        """As GET resource_types/{type} shows a property. Hidden ones are the caller's to leave out (see ``to_wire`` of this module)."""
        wire = {'type': self.type}
        if self.description is not None:
            wire['description'] = self.description
        if self.default is not None:
            wire['default'] = self.default
        nested = self._nested_wire()
        if nested:
            wire['schema'] = nested
        wire['required'] = self.required
        if self.constraints:
            wire['constraints'] = [constraint.to_wire() for constraint in self.constraints]
        wire['update_allowed'] = self.update_allowed
        wire['immutable'] = self.immutable
        return wire

    def _nested_wire(self):
        if self.type == LIST:
            return {'*': self.schema.to_wire()} if self.schema is not None else None
        return to_wire(self.schema) if self.schema else None

    def __repr__(self):
        return f'PropertySchema({self.type}, {self.description!r})'


def _inside(schema):
    if isinstance(schema, dict):
        return schema.values()
    return () if schema is None else (schema,)


_PARAMETER_TYPES = {'string': STRING, 'number': NUMBER, 'comma_delimited_list': LIST, 'json': MAP, 'boolean': BOOLEAN}


def to_wire(schemata):
    """The schemas that are not hidden, by name, as the API shows them."""
    return {name: schema.to_wire() for name, schema in schemata.items() if not schema.hidden}


def string(description=None, **options):
    return PropertySchema(STRING, description, **options)


def integer(description=None, **options):
    return PropertySchema(INTEGER, description, **options)


def number(description=None, **options):
    return PropertySchema(NUMBER, description, **options)


def boolean(description=None, **options):
    return PropertySchema(BOOLEAN, description, **options)


def map_(description=None, keys=None, **options):
    """A map: of any keys, or of those whose schemas are given."""
    return PropertySchema(MAP, description, schema=keys, **options)


def list_(description=None, item=None, **options):
    """A list: of anything, or of items of one schema."""
    return PropertySchema(LIST, description, schema=item, **options)


def any_(description=None, **options):
    return PropertySchema(ANY, description, **options)


class AttributeSchema:
    """What an attribute of a resource is. ``cache_mode`` CACHE_NONE means that it is asked again each time."""

    __slots__ = ('type', 'description', 'support', 'cache_mode', 'wire')

    def __init__(self, description=None, type=None, *, support=None, cache_mode=CACHE_LOCAL, wire=None):
        if type is not None and type not in TYPES:
            raise exception.InvalidSchemaError(f'Invalid type ({type})')
        self.description = description
        self.type = type
        self.support = support or support_status.PLAIN
        self.cache_mode = cache_mode
        self.wire = wire

    @property
    def hidden(self):
        return self.support.status == support_status.HIDDEN

    def key(self, name):
        """The key of the attribute in the answer of the cloud."""
        return self.wire or name

    @classmethod
    def from_output(cls, definition):
        """The attribute of a template used as a resource type."""
        return cls(definition.description)

    def to_wire(self):
        """As GET resource_types/{type} shows an attribute."""
        wire = {'description': self.description}
        if self.type is not None:
            wire['type'] = self.type
        return wire

    def __repr__(self):
        return f'AttributeSchema({self.description!r}, {self.type})'


def any_attribute(description=None, **options):
    """An attribute of no declared type."""
    return AttributeSchema(description, **options)


def text(description=None, **options):
    return AttributeSchema(description, STRING, **options)


def integer_attribute(description=None, **options):
    return AttributeSchema(description, INTEGER, **options)


def number_attribute(description=None, **options):
    return AttributeSchema(description, NUMBER, **options)


def boolean_attribute(description=None, **options):
    return AttributeSchema(description, BOOLEAN, **options)


def map_attribute(description=None, **options):
    return AttributeSchema(description, MAP, **options)


def list_attribute(description=None, **options):
    return AttributeSchema(description, LIST, **options)

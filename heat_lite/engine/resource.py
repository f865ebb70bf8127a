"""The base class of all resource types: the contract of plug-ins, properties, attributes, references.

What happens around the handlers (states, events, waiting, failures) is in ``lifecycle.py``.
"""

import functools

from heat_lite.common import exception, status
from heat_lite.engine import metadata
from heat_lite.template import attributes, function, properties, schema, support

SHOW = 'show'


class Resource:
    """One resource of a stack: its definition, its row and what its type can do.

    A type says what it is by class attributes and does its work in ``handle_create``, ``handle_update``, ``handle_delete``,
    ``handle_suspend``, ``handle_resume``, ``handle_check``, ``handle_snapshot``. A handler is a generator that waits by yielding, or it
    returns a token that ``check_X_complete(token)`` is asked about until it says True. A handler may be tried again after a crash, so it
    looks before it makes: a generator is called again with its id set, of a pair only ``check_create_complete(id)``. What to look for where
    the id was lost, ``find_existing`` says.
    """

    #: the name in templates; a class that has one of its own in ``heat_lite.resources`` is registered by it
    resource_type: str | None = None
    properties_schema: dict[str, schema.PropertySchema] = {}
    attributes_schema: dict[str, schema.AttributeSchema] = {}
    update_policy_schema: dict[str, schema.PropertySchema] = {}
    support_status = support.PLAIN
    #: the client that the type needs and the kind of object it makes there
    default_client_name: str | None = None
    entity: str | None = None
    #: whether the handlers touch nothing outside this process and never block: then nothing has to be announced before they run
    local = False
    #: whether creating again what an interrupted create may have made does no harm (see ``find_existing``)
    repeatable = False
    physical_resource_name_limit: int | None = 255
    #: whether it may act, or be asked for something, long after the request of a user, in his name; whether it is of no use else
    uses_deferred_auth = requires_deferred_auth = False
    #: whether it is made of a stack, of which nobody knows yet what it needs
    has_stack_inside = False
    #: whether what is going on with it is broken off when another action takes the stack over; else that waits for its end
    gives_way = False
    #: whether its handlers call the cloud themselves: only so many of these run side by side
    calls_cloud = True
    always_replace_on_check_failed = True
    #: whether each update replaces it, even one that changes nothing
    always_replaced = False
    #: whether signals change its attributes when no action runs: then outputs that read them are not kept, but asked for
    signals_change_attributes = False
    #: whether what the template says of its metadata counts anew after each signal to another resource of the stack
    metadata_follows = False
    no_signal_actions: tuple[str, ...] = (status.SUSPEND, status.DELETE)
    base_attributes_schema = {SHOW: schema.map_attribute('All that the service tells about the resource.', cache_mode=schema.CACHE_NONE)}

    def __init__(self, name, definition, stack, record):
        self.name = name
        self.definition = definition
        self.stack = stack
        self.record = record
        self._properties = None
        self._attributes = None

    def __str__(self):
        held = f' [{self.resource_id}]' if self.resource_id else ''
        return f'{type(self).__name__} "{self.name}"{held} {self.stack}'

    # ------------------------------------------------------------ identity

    @classmethod
    def all_attributes_schema(cls):
        return {**cls.attributes_schema, **cls.base_attributes_schema}

    def type(self):
        """The type as the template names it: an alias of the environment stays an alias."""
        return self.definition.resource_type

    @property
    def context(self):
        return self.stack.context

    @property
    def resource_id(self):
        """What the cloud calls it; None until there is something."""
        return self.record.nova_instance

    def resource_id_set(self, value):
        self.record.set(nova_instance=value)

    @property
    def action(self):
        return self.record.action

    @property
    def status(self):
        return self.record.status

    @property
    def status_reason(self):
        return self.record.status_reason

    @property
    def state(self):
        return self.record.action, self.record.status

    def identifier(self):
        return self.stack.identifier().resource(self.name)

    def physical_resource_name(self):
        """``stack-resource-xxxxxxxxxxxx``: unique, and within the limit of the service; None before the row exists."""
        if self.record is None:
            return None
        return self.record.physical_name(self.stack.name, self.physical_resource_name_limit)

    def physical_resource_name_or_reference(self):
        return self.physical_resource_name() or self.reference_id()

    # ------------------------------------------------------------ definition

    @property
    def properties(self):
        if self._properties is None:
            self._properties = self.properties_of(self.definition)
        return self._properties

    def properties_of(self, definition):
        """The properties by this or another definition of the same type."""
        return self._section_of(definition, 'properties', self.properties_schema)

    def update_policy(self):
        return self._section_of(self.definition, 'update_policy', self.update_policy_schema)

    def _section_of(self, definition, section, schemata):
        stack = self.stack
        given = getattr(definition, section) or {}
        find = functools.partial(stack.runtime.registry.find, stack)
        known = {'find': find, 'pending': stack.pending, 'strict': stack.tree.strict}
        return properties.Properties(schemata, given, stack.resolver(), self.name, section, stack.lookup, **known)

    def redefine(self, definition):
        """From now on it is what ``definition`` says."""
        self.definition = definition
        self._properties = None
        self._attributes = None

    def metadata_get(self, refresh=False):
        """With ``refresh`` as it is stored now: signals change it in the midst of an action, maybe through another engine."""
        return (metadata.read(self.context, self.record) if refresh else self.record.rsrc_metadata) or {}

    def metadata_change(self, changed):
        """Replace it at once by ``changed(metadata)``, in which nobody else's change is lost; that may be asked again, so it does nothing
        else. Gives the new metadata."""
        return metadata.change(self.context, self.record, changed)

    def metadata_set(self, metadata):
        self.record.set(rsrc_metadata=metadata)

    def metadata_told(self, metadata):
        """It has been changed from outside; overridden by types whose metadata somebody reads elsewhere."""

    def facade(self, key):
        """What the stack inside it may know of it: its metadata, deletion_policy or update_policy."""
        if key == 'metadata':
            return self.metadata_get() or self.stack.resolve(self.definition.metadata) or {}
        if key == 'update_policy':
            return self.stack.resolve(self.definition.update_policy) or {}
        return self.definition.deletion_policy

    def external_id(self):
        return self.stack.resolve(self.definition.external_id)

    def validate_names(self):
        """Check what can be checked without values: that all properties exist."""
        self.properties.validate(with_value=False)
        self.update_policy().validate()

    def previewed_properties(self):
        """Values of all properties, hidden ones among them, as far as they can be told before the resources exist."""
        return {name: self.properties.get(name) for name in self.properties_schema}

    def previewed_metadata(self):
        """The metadata that it would begin with; empty where it waits for what cannot be told."""
        try:
            return self.stack.resolve(self.definition.metadata) or {}
        except (exception.HeatException, *function.ARGUMENT_ERRORS):
            return {}

    def validate(self):
        """Check properties and what the schemas cannot say. Raises StackValidationFailed; types that override it call ``super()``."""
        self.properties.validate(with_value=self.stack.tree.strict)
        self.update_policy().validate()

    def implied_dependencies(self, others):
        """Names of resources that must come first although the template does not say so. ``others`` is ``{name: definition}``."""
        return ()

    # ------------------------------------------------------------ data that outlives a request

    def data(self):
        return dict(self.record.data)

    def data_set(self, key, value, redact=False):
        self.record.set_data(key, value, redact)

    def data_delete(self, key):
        self.record.delete_data(key)

    # ------------------------------------------------------------ leaving a stack, and coming to one

    def prepare_abandon(self):
        """What exports and abandoned stacks tell of it. A type with a stack inside gives that one's document instead."""
        return self.snapshot_data()

    def snapshot_data(self):
        """What a snapshot tells of it."""
        return {
            'name': self.name,
            'resource_id': self.resource_id,
            'type': self.type(),
            'action': self.action,
            'status': self.status,
            'metadata': self.metadata_get(),
            'resource_data': self.data(),
        }

    def handle_adopt(self, resource_data):
        """Take the object over that ``prepare_abandon`` told of."""
        if resource_data.get('resource_id') is None:
            raise Exception('Resource ID was not provided.')  # Heat shows it as a plain Exception
        self.resource_id_set(resource_data['resource_id'])
        for key, value in (resource_data.get('resource_data') or {}).items():
            self.data_set(key, str(value), redact=True)  # nobody says which of it is a secret
        if resource_data.get('metadata'):
            self.metadata_set(resource_data['metadata'])

    # ------------------------------------------------------------ the cloud

    @classmethod
    def require_service(cls, clients, type_name):
        """Overridden by types that need a service of the cloud: raises ResourceTypeUnavailable where it is missing."""

    def find_existing(self):
        """The id of what an interrupted create has made, looked for by its unique physical name; None where there is nothing. Types that
        make something outside override it. Raises Interrupted where nobody can tell."""
        if self.local or self.repeatable:
            return None
        raise exception.Interrupted(
            f'its engine stopped before it heard what came of creating it, and {self.type()} cannot be looked for; '
            f'see whether there is a "{self.physical_resource_name()}"'
        )

    def settle(self):
        """A generator: waits for what an interrupted action has left running; overridden by types for which that may be."""
        return
        yield  # it is a generator

    def client(self, name=None):
        return self.stack.clients().client(name or self.default_client_name)

    def client_plugin(self, name=None):
        """What makes the client of a service, and knows its errors: ``ignore_not_found(error)`` and the like."""
        return self.stack.clients().client_plugin(name or self.default_client_name)

    # ------------------------------------------------------------ what others read

    def reference_id(self):
        """What ``get_resource`` gives."""
        external = self.definition.external_id
        return self.resource_id if external is not None and self.resource_id else self.get_reference_id()

    def get_reference_id(self):
        """Overridden by types whose reference is not their physical id."""
        return str(self.name if self.resource_id is None else self.resource_id)

    @property
    def attributes(self):
        if self._attributes is None:
            self._attributes = attributes.Attributes(self.name, self.all_attributes_schema(), self._attribute_value)
        return self._attributes

    def attribute(self, *path):
        """What ``get_attr`` gives: None while there is nothing to ask. No path at all: all attributes but ``show``."""
        if self.action == status.INIT:
            return None
        if not path:
            return {name: self.attribute(name) for name in self.attributes_schema}
        return self.attributes.get(*path)

    def has_attribute(self, name):
        """Whether ``get_attr`` may ask for it; overridden by types whose attributes are not fixed."""
        return name in self.all_attributes_schema()

    def _attribute_value(self, name):
        if name == SHOW:
            return self.show()
        return self.resolve_attribute(name)

    def resolve_attribute(self, name):
        """The value of an attribute; overridden by types. None means: not known."""
        return None

    def show(self):
        """All that the cloud tells about the object, as a map."""
        return None

    # ------------------------------------------------------------ the stack inside, for types that have one

    def nested_identifier(self):
        """The identity of the stack inside it; None where there is none."""
        return None

    def preview_inside(self):
        """The stack that would be inside it, to be looked at; None for types that have none."""
        return None

    def described_inside(self):
        """The same as far as it tells which parameters there are inside."""
        return self.preview_inside()

    # ------------------------------------------------------------ updates

    def needs_update(self, definition):
        """Whether it must be visited by an update although neither its properties nor its other parts have changed."""
        return self.always_replaced

    def takes_update_of(self, name):
        """Whether a property may change without a replacement, as far as its schema goes."""
        return name in self.properties_schema and self.properties_schema[name].update_allowed

    def needs_replace(self, after_properties):
        """Whether only a new resource can be what the template now asks for."""
        return False

    def needs_replace_with_prop_diff(self, changed, after_properties, before_properties):
        """The same, knowing the names of the changed properties."""
        return False

    def needs_replace_with_tmpl_diff(self, changed):
        """The same, knowing which other parts of the definition changed."""
        return False

    def needs_replace_failed(self):
        """Whether a resource that has failed must be made anew rather than updated."""
        return True

    def prepare_for_replace(self, definition):
        """A generator: lets go of what only one can have, before another resource is made by ``definition`` to take its place. Should
        that come to nothing, an update of this one takes it back (see ``needs_update``)."""
        return
        yield  # it is a generator

    def handle_update(self, definition, tmpl_diff, prop_diff):
        """Types that can change in place override this. ``prop_diff`` holds the new values of the changed properties."""
        if prop_diff:
            raise exception.UpdateReplace(self.name)

    def get_live_state(self, resource_properties):
        """The properties as they are in the cloud now, those that can be told; overridden by types. Raises NotFound where it is gone."""
        return {}

    def access_allowed(self, resource_name):
        """Whether a user of the stack's own, whose id is that of this resource, may read what is meant for a resource."""
        return False

    def handle_signal(self, details=None):
        raise exception.ResourceActionNotSupported(action='signal')

    def needs_delete(self):
        """Whether there may be anything to take away."""
        return self.resource_id is not None


class UnknownResource(Resource):
    """One whose type nobody knows any more: all that can be told of it is what its row says."""

    attributes_schema = {}

    def has_attribute(self, name):
        return True

    def handle_delete(self):
        raise exception.EntityNotFound(entity='Resource Type', name=self.type())

    handle_suspend = handle_resume = handle_check = handle_snapshot = handle_delete


def known(class_of, definition):
    """The class of a definition; UnknownResource where there is none any more."""
    try:
        return class_of(definition)
    except exception.StackValidationFailed:
        return UnknownResource

"""What a resource type declares and overrides: the contract of resource plug-ins, with its
defaults.

Tests: tests/functional/test_plugin_contract.py.
"""

import datetime

from heat_lite.clients import errors
from heat_lite.common import exception, status
from heat_lite.template import schema, support

SHOW = 'show'


class ResourceType:
    """The class attributes and hooks of a type. ``resource.Resource`` does the rest."""

    #: when the handler of the present action first waited; None before, or if unknown
    first_wait: datetime.datetime | None = None

    #: The name in templates. A class with a name of its own in ``heat_lite.resources`` is
    #: registered by it.
    resource_type: str | None = None
    #: the name of Heat's class, where it differs from this one (see ``class_name``)
    heat_class: str | None = None
    properties_schema: dict[str, schema.PropertySchema] = {}
    attributes_schema: dict[str, schema.AttributeSchema] = {}
    update_policy_schema: dict[str, schema.PropertySchema] = {}
    support_status = support.DEFAULT
    #: the release in which a type with nothing else to say about its support began
    since: str | None = None
    #: the client that the type uses and the kind of object that it creates there
    default_client_name: str | None = None
    entity: str | None = None
    #: whether the handlers run inside this process only and never block: their states need no
    #: earlier commit
    local = False
    #: whether it is harmless to repeat an interrupted create (see ``find_existing``)
    repeatable = False
    physical_resource_name_limit: int | None = 255
    #: whether a complete resource has a physical id: an export of a wait condition has none, and
    #: the adoption takes it as it is
    has_object = True
    #: whether it may act for its user after the request; whether it cannot work without that
    uses_deferred_auth = requires_deferred_auth = False
    #: whether it contains a nested stack, whose needs are unknown
    has_nested_stack = False
    #: whether another action on the stack interrupts its handler instead of waiting for the end
    interruptible = False
    #: the service in whose place it stands: lists leave it out where the cloud has the service
    stands_for: str | None = None
    #: whether its handlers call services: the number of these in parallel is limited
    calls_cloud = True
    always_replace_on_check_failed = True
    #: whether ``get_resource`` in the preview of a create is its name, as of most types of Heat
    named_before_create = True
    #: whether each update replaces it, even without a change
    always_replaced = False
    #: whether signals are handled at the same time: for types that store each by itself, or refuse
    #: one while they handle another
    signals_in_parallel = False
    #: the id of the signal that its handler works on, and the engine that does
    handled_signal: dict[int, str] | None = None
    #: whether signals change its attributes while no action runs: then outputs that read them are
    #: not stored (nor are those that read a live attribute)
    signals_change_attributes = False
    #: keys of data that tell what a snapshot of the stack has saved of the object
    snapshot_keys: tuple[str, ...] = ()
    #: whether its metadata are resolved again after a signal to another resource of the stack
    refreshes_metadata = False
    no_signal_actions: tuple[str, ...] = (status.SUSPEND, status.DELETE)
    base_attributes_schema = {
        SHOW: schema.map_attribute(
            'All data that the service shows about the resource.', cache_mode=schema.CACHE_NONE
        )
    }

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        if 'since' in vars(cls):
            cls.support_status = support.since(cls.since)

    # ------------------------------------------------------------ the service

    @classmethod
    def require_service(cls, clients, type_name):
        """Raise ResourceTypeUnavailable if the cloud lacks a service that the type needs."""

    @classmethod
    def is_listed(cls, clients):
        """Return whether lists have the type: the cloud lacks the service that it stands for."""
        try:
            if cls.stands_for is not None:
                clients.require(cls.stands_for)
        except errors.NoCloud:
            return True
        return cls.stands_for is None

    @classmethod
    def class_name(cls):
        """Return the name of Heat's class of this type: reports and generated templates show it."""
        return vars(cls).get('heat_class') or cls.__name__

    def find_existing(self):
        """Return the id of what an interrupted create has made, found by its unique physical name,
        or None.

        Types that create objects override it. Raises Interrupted if a lookup is impossible.
        """
        if self.local or self.repeatable:
            return None
        raise exception.Interrupted(
            f'its engine stopped before the result of the create was known, and {self.type()} '
            f'cannot be looked up; check whether there is a "{self.physical_resource_name()}"'
        )

    def settle(self):
        """Wait for what an interrupted action has left running. A generator."""
        return
        yield  # makes this function a generator

    def show(self):
        """Return the object as its service shows it, as a map."""
        return None

    def object_exists(self):
        """Return whether the object of the resource exists; True if the type cannot tell."""
        try:
            self.show()
        except (exception.NotFound, errors.BadRequest):  # an id of another form is a bad request
            return False
        return True

    def get_live_state(self, resource_properties):
        """Return the properties of the object at present, as far as known.

        Raises NotFound if it is gone.
        """
        return {}

    def live_properties(self):
        """Return the properties that describe the object as it is; None if the type cannot tell.

        Raises NotFound if it does not exist.
        """
        return None

    def needs_delete(self):
        """Return whether there may be an object to delete."""
        return self.resource_id is not None

    # ------------------------------------------------------------ values that other resources and
    # users read

    def get_reference_id(self):
        """Return the value of ``get_resource``, unless it is an external id."""
        return str(self.name if self.resource_id is None else self.resource_id)

    def has_attribute(self, name):
        """Return whether ``get_attr`` may read the attribute.

        Types with variable attributes override it.
        """
        return name in self.all_attributes_schema()

    def resolve_attribute(self, name):
        """Return the value of an attribute; None if it is unknown."""
        return None

    @classmethod
    def is_live_attribute(cls, path):
        """Return whether ``get_attr`` of the path asks a service each time (CACHE_NONE).

        An empty path reads all attributes.
        """
        if cls.local or cls.has_nested_stack:
            return False
        schemata = cls.attributes_schema
        if path:
            schemata = {**cls.base_attributes_schema, **schemata}
        names = path[:1] or tuple(schemata)
        return any(
            name in schemata and schemata[name].cache_mode == schema.CACHE_NONE for name in names
        )

    def answers_slowly(self):
        """Return whether reading an attribute may take long, for example a request to a service."""
        return not self.local

    def metadata_updated(self, metadata):
        """Called after another request has changed the metadata.

        Types that publish them override it.
        """

    def runs_agent(self):
        """Return whether an agent in this server applies deployments that name its UUID."""
        return False

    def access_allowed(self, resource_name):
        """Return whether a stack user with the id of this resource may read the named resource."""
        return False

    # ------------------------------------------------------------ dependencies and nested stacks

    def implied_dependencies(self, others):
        """Return names of resources that must come first without a reference to them.

        ``others`` is ``{name: definition}``.
        """
        return ()

    def restore_order(self):
        """Return pairs of names of resources: a restore changes the second before the first."""
        return ()

    def nested_identifier(self):
        """Return the identity of the nested stack; None if there is none."""
        return None

    def preview_nested(self, update=False):
        """Return the future nested stack, for reading only; None for types without one."""
        return None

    def describe_nested(self):
        """Return a nested stack that shows its parameters, for reading only."""
        return self.preview_nested()

    # ------------------------------------------------------------ updates

    def handle_update(self, definition, tmpl_diff, prop_diff):
        """Update the object in place. ``prop_diff`` holds the new values of changed properties."""
        if prop_diff:
            raise exception.UpdateReplace(self.name)

    def handler_definition(self, definition):
        """Return a definition in the form that the handlers of the type receive."""
        return definition

    def can_update_in_place(self, name):
        """Return whether the schema allows a change of the property without a replacement."""
        return name in self.properties_schema and self.properties_schema[name].update_allowed

    def needs_update(self, definition):
        """Return whether an update must visit the resource although its definition has not
        changed.
        """
        return self.always_replaced

    def needs_replace(self, after_properties):
        """Return whether the new properties require a replacement."""
        return False

    def needs_replace_with_prop_diff(self, changed, after_properties, before_properties):
        """Return whether the changed properties, given by name, require a replacement."""
        return False

    def needs_replace_with_tmpl_diff(self, changed):
        """Return whether the changed parts of the definition require a replacement."""
        return False

    def needs_replace_failed(self):
        """Return whether a failed resource must be replaced rather than updated."""
        return True

    def prepare_for_replace(self, definition):
        """Release what only one object can hold, before the replacement is created. A generator.

        If the replacement fails, an update of this resource takes it back (see ``needs_update``).
        """
        return
        yield  # makes this function a generator

    # ------------------------------------------------------------ signals, snapshots and adoption

    def handle_signal(self, details=None):
        raise exception.ResourceActionNotSupported(action='signal')

    def snapshot_data(self):
        """Return the entry of the resource in a snapshot."""
        return {
            'name': self.name,
            'resource_id': self.resource_id,
            'type': self.type(),
            'action': self.action,
            'status': self.status,
            'metadata': self.metadata_get(),
            'resource_data': self.data(),
        }

    def prepare_abandon(self):
        """Return the entry of the resource in an export.

        Types with a nested stack return its document.
        """
        return self.snapshot_data()

    def handle_adopt(self, resource_data):
        """Adopt the object that ``prepare_abandon`` has described."""
        physical_id = resource_data.get('resource_id')
        if physical_id is None and (self.has_object or not resource_data):
            raise Exception('Resource ID was not provided.')  # Heat shows it as a plain Exception
        if physical_id is not None:
            self.resource_id_set(physical_id)
        for key, value in (resource_data.get('resource_data') or {}).items():
            self.data_set(key, str(value), redact=True)  # any of it may be secret
        if resource_data.get('metadata'):
            self.metadata_set(resource_data['metadata'])

"""A stack: its identity, its definition, its resources, its outputs and its state."""

import functools
import logging
import time

from heat_lite.common import exception, identifier, status
from heat_lite.db import stacks as db_stacks
from heat_lite.db import templates as db_templates
from heat_lite.engine import event, fingerprint, notification, outputs, record, resource, rows, scope, tree
from heat_lite.template import function

LOG = logging.getLogger(__name__)

#: fields that are columns of the stack table under the same name
FIELDS = tuple(
    'id name tenant username owner_id nested_depth parent_resource_name user_creds_id stack_user_project_id disable_rollback '
    'action status status_reason created_at updated_at deleted_at current_traversal convergence digest failures protected plan'.split()
)


class Stack:
    """What an engine knows of one stack for the time of a request or an action.

    ``template_id`` is None until the stack is stored. ``template`` comes parsed from the runtime's cache; what depends on the parameters
    (conditions, definitions) is worked out when it is first asked for.
    """

    def __init__(self, runtime, context, template, template_id=None, tags=(), timeout_mins=None, **fields):
        self.runtime = runtime
        self.context = context
        self.template = template
        self.template_id = template_id
        self.previous_template_id = None
        self.tags = list(tags)
        self.timeout_mins = timeout_mins
        self.stored_outputs = None
        #: whether the lock was stored with it, for the action that comes next
        self.stored_locked = False
        for name in FIELDS:
            setattr(self, name, fields.get(name))
        self.nested_depth = self.nested_depth or 0
        self.status_reason = self.status_reason or ''
        self.journal = record.Journal(context, self.id)
        self.kept = rows.Rows(self)
        self.records = {}
        self._resources = {}
        #: whether the action takes everything away (delete, rollback of a create)
        self.going = False
        #: whether what goes leaves its objects in the cloud (abandon, rollback of an adoption)
        self.abandoning = False
        #: what is known of the resources of a stack that is adopted, by name (see ``adoption``)
        self.adopted = {}
        #: walks that another verb has broken off, while handlers that they have begun go on (see ``traversal``)
        self.leftovers = []
        #: bells of the resources that wait for their hook to be cleared, by record (see ``hooks``)
        self.paused = {}
        #: whether an update looks at what is really there; whether it asks for nothing that is not there already
        self.converge = self.nothing_new = False
        self.progress = None  # what the action had done before this engine went on with it (see ``progress``)
        self.walk = None  # the present one (see ``traversal``)
        self._bound_by_template = {}
        self.tree = tree.Tree(self, functools.partial(Stack.from_row, runtime, context))

    @classmethod
    def from_row(cls, runtime, context, row):
        """The stack of a row as ``db.stacks.get`` gives it."""
        # a row of a list lacks what grows with the stack
        fields = {name: getattr(row, name, None) for name in FIELDS}
        template = runtime.templates.get(context, row.raw_template_id)
        stack = cls(runtime, context, template, row.raw_template_id, row.tags or (), row.timeout, **fields)
        stack.previous_template_id = row.prev_raw_template_id
        stack.stored_outputs = getattr(row, 'outputs', None)
        return stack

    def __str__(self):
        return f'Stack "{self.name}" [{self.id}]'

    utcnow = staticmethod(record.utcnow)

    @property
    def limits(self):
        return self.runtime.limits

    def identifier(self):
        return identifier.HeatIdentifier(self.tenant, self.name, self.id)

    def clients(self, region=None):
        """The cloud as whoever asks may use it, in another region if one is named."""
        if self.runtime.trusts is not None:
            return self.tree.deferred.clients(self.context, region)
        return self.runtime.clients(self.context if region is None else self.context.in_region(region))

    def timeout_seconds(self):
        """How long an action may take; without a value of its own the operator's."""
        return self.timeout_mins * 60 if self.timeout_mins else self.limits.stack_action_timeout

    @property
    def forcing(self):
        """Whether the delete that was asked for forgets what it cannot delete."""
        return bool((self.plan or {}).get('force'))

    @property
    def keeps_all(self):
        """Whether the update that was asked for must not replace anything."""
        return (self.plan or {}).get('on_replace') == 'fail'

    def deadline(self):
        """When an action that begins now must have ended, by the monotonic clock."""
        return time.monotonic() + self.timeout_seconds()

    # ------------------------------------------------------------ definition

    @functools.cached_property
    def meaning(self):
        return self.runtime.meanings.of(self, self.template, self.template_id)

    @property
    def parameters(self):
        return self.meaning.parameters

    @property
    def bound(self):
        return self.meaning.bound

    @property
    def definitions(self):
        """The resources that the template wants, conditions applied: name -> ResourceDefinition."""
        return self.bound.resources

    @functools.cached_property
    def scope(self):
        return self._scope_of(self.bound)

    def _scope_of(self, bound):
        return scope.StackScope(bound, self.nodes, tree.Facade(self) if self.tree.is_nested else None)

    @functools.cached_property
    def nodes(self):
        return scope.Nodes(self)

    def resolve(self, snippet):
        return function.resolve(snippet, self.scope)

    def metadata_changes(self, resource, definition):
        """Whether metadata that are written as they were come out as something else, since a parameter has another value now."""
        template_id = resource.record.current_template_id
        if template_id in (None, self.template_id):
            return False
        before = self._scope_of(self._old_bound(template_id))
        return function.resolve(resource.definition.metadata, before) != self.resolve(definition.metadata)

    def resolver(self):
        """``resolve`` by the definition of now, whatever becomes of that: a handler at work keeps to what it was begun with."""
        return functools.partial(function.resolve, scope=self.scope)

    def pending(self, snippet):
        """Whether it waits for resources that are not there yet, so that its value cannot be told."""
        return any(self.resource_for(name).action == status.INIT for name in function.dependencies(snippet))

    def lookup(self, kind, value):
        """Ask the cloud whether ``value`` names a ``kind`` of thing (custom constraints)."""
        return self.runtime.registry.lookup(self, kind, value)

    @property
    def requirements(self):
        """``{name: names that come first}``, from the template and from what the types know."""
        return self.meaning.requirements(self)

    def change(self, template, values, template_id=None):
        """An update: the new template is stored, the row follows with the next turn. ``values``: further columns, and ``tags``."""
        tags = values.pop('tags', self.tags)
        if list(tags) != self.tags:
            db_stacks.set_tags(self.context, self.id, tags)
            self.tags = list(tags)
        self.redefine(template, template_id or self.store_template(template))
        self.timeout_mins = values.get('timeout', self.timeout_mins)
        self.disable_rollback = values.get('disable_rollback', self.disable_rollback)
        self.protected = values.get('protected', self.protected)
        self.plan = values.setdefault('plan', None)
        self.journal.stack(**values)
        self.keep_definition()

    def keep_definition(self):
        """What the stack is to be now, stored with the journal's next turn."""
        self.digest = fingerprint.of(self)
        self.journal.stack(raw_template_id=self.template_id, prev_raw_template_id=self.previous_template_id, digest=self.digest)

    def redefine(self, template, template_id):
        """From now on the stack is to be what another template says (update, rollback)."""
        self.previous_template_id, self.template_id = self.template_id, template_id
        self.template = template
        self._rethink()
        # resources that are kept are told their new definition when it is their turn

    def _rethink(self):
        for name in ('meaning', 'scope', 'nodes'):
            self.__dict__.pop(name, None)

    # ------------------------------------------------------------ resources

    def rows(self):
        """All rows, old and new ones of a name included, in the order of their making. They are read once."""
        return [row for known in self.kept.by_name().values() for row in known]

    def stored_rows(self):
        """The rows that have an id, by their id: what a plan takes away. A walker finds them in ``records`` afterwards."""
        self.records = {row.id: row for row in self.rows() if row.id is not None}
        return list(self.records.values())

    def best_record(self, name):
        """The row that stands for ``name``: one made by the present template, else the newest; None when there is none."""
        candidates = self.kept.of_name(name)
        if not candidates:
            return None
        for candidate in reversed(candidates):
            if candidate.current_template_id == self.template_id:
                return candidate
        return candidates[-1]

    def is_wanted(self, row):
        return row.name in self.wanted and self.best_record(row.name) is row

    @property
    def wanted(self):
        """Names of the resources that are to be there in the end."""
        return () if self.going else self.definitions

    def new_record(self, name, replaces=None):
        """A row for a resource that is to be made; it is stored with the journal's next turn."""
        new = record.Record(self.journal, name, self.id)
        new.root_stack_id = self.root_id()
        new.current_template_id = self.template_id
        new.replaces = None if replaces is None else replaces.id
        self.kept.add(new)
        return self.journal.add(new)

    def forget(self, gone):
        """The row goes with the journal's next turn."""
        self.kept.drop(gone)
        self._resources.pop(gone, None)
        self.journal.remove(gone)

    def resource_of(self, row):
        """The resource of a row, with the definition by which it was made."""
        if row not in self._resources:
            definition = self._definition_of(row)
            self._resources[row] = resource.known(self.class_of, definition)(row.name, definition, self, row)
        return self._resources[row]

    def resource_for(self, name):
        """The resource of a name, whether it has a row yet or not. Raises ResourceNotFound."""
        row = self.best_record(name)
        if row is not None:
            return self.resource_of(row)
        if name not in self.definitions:
            raise exception.ResourceNotFound(resource_name=name, stack_name=self.name)
        if name not in self._resources:
            blank = record.Record(self.journal, name, self.id)
            definition = self.definitions[name]
            self._resources[name] = self.class_of(definition)(name, definition, self, blank)
        return self._resources[name]

    def class_of(self, definition):
        """By the environment that the definition comes with: a later one may no longer know the type, or mean something else by it.

        Raises StackValidationFailed for a type that nobody knows.
        """
        try:
            return self.runtime.registry.class_for(definition.template.environment, definition.resource_type, definition.name)
        except exception.EntityNotFound as error:
            raise exception.StackValidationFailed(str(error)) from None

    def template_of_type(self, definition):
        """The file or URL of the template that the type of a definition stands for; None for a built-in type."""
        return self.runtime.registry.template_of(definition.template.environment, definition.resource_type, definition.name)

    def built_in_type(self, type_name):
        """The class of the type of that very name, whatever the environment maps it to; None where there is none."""
        registry = self.runtime.registry
        return registry.get(type_name) if registry.knows(type_name) else None

    def type_changed(self, present, definition):
        """Whether it is to be of another type; a hidden type that its substitute takes over from is none."""
        wanted = self.class_of(definition)
        return type(present) is not wanted and not present.support_status.is_substituted(wanted)

    def current_resources(self):
        """One resource a name: those that the template wants first, then those that still wait to be taken away."""
        names = {**dict.fromkeys(self.definitions), **self.kept.by_name()}
        return [self.resource_of(row) for row in map(self.best_record, names) if row is not None]

    def required_by(self):
        """``{name: names that require it}`` for the API."""
        result = {}
        for name, required in self.requirements.items():
            for each in required:
                result.setdefault(each, []).append(name)
        return result

    def _definition_of(self, row):
        template_id = row.current_template_id
        if template_id is None or template_id == self.template_id:
            definitions = self.definitions
        else:
            definitions = self._old_bound(template_id).resources
        definition = definitions.get(row.name) or self.definitions.get(row.name)
        if definition is None:
            raise exception.ResourceNotFound(resource_name=row.name, stack_name=self.name)
        return definition

    def _old_bound(self, template_id):
        if template_id not in self._bound_by_template:
            template = self.runtime.templates.get(self.context, template_id)
            self._bound_by_template[template_id] = self.runtime.meanings.of(self, template, template_id).bound
        return self._bound_by_template[template_id]

    def root_id(self):
        return self.tree.top.id

    def child(self, item):
        """The stack inside a resource (see ``children.Child``)."""
        return self.runtime.children(item)

    # ------------------------------------------------------------ outputs

    def outputs(self):
        """Values of all outputs, as the API shows them. While no action runs they come from the row."""
        if self.stored_outputs is not None and self.status != status.IN_PROGRESS:
            return self.stored_outputs
        return outputs.values(self)

    # ------------------------------------------------------------ state

    @property
    def state(self):
        return self.action, self.status

    def state_set(self, action, state, reason):
        """The new state, in the row and as an event, with the journal's next turn."""
        self.action, self.status, self.status_reason = action, state, reason
        values = {'action': action, 'status': state, 'status_reason': reason}
        if action != status.CREATE or state == status.IN_PROGRESS and self.updated_at is not None:
            self.updated_at = values['updated_at'] = self.utcnow()
        self.journal.stack(**values)
        event.of_stack(self, self.journal)

    def tell_scaling(self, word, **told):
        """A group of it changes its size: ``word`` is start, end or error (see ``notification.of_scaling``)."""
        notification.of_scaling(self, word, **told)

    def keep_outputs(self):
        """Store the outputs with the journal's next turn, so that reading them asks no resource; but none that go on changing."""
        self.stored_outputs = None
        self.stored_outputs = outputs.stored(self)
        self.journal.stack(outputs=self.stored_outputs)

    def store(self, on_behalf_of=None):
        """Make the rows of a new stack: template, stack, tags, and the lock for the action that begins with it. False where that has been
        done already, by another engine (``on_behalf_of``: see ``db.stacks.store``)."""
        self.digest = fingerprint.of(self)
        row, tags, engine_id = self._new_row(), self.tags, self.runtime.engine_id
        self.id, self.template_id = db_stacks.store(self.context, self.template.content(), row, tags, engine_id, on_behalf_of)
        if self.template_id is None:
            return False
        self.stored_locked = True
        self.runtime.templates.keep(self.template_id, self.template)
        self.created_at = self.created_at or self.utcnow()
        self.journal = record.Journal(self.context, self.id)
        self._rethink()  # its id may have been shown before it had one
        self._resources.clear()
        return True

    def store_template(self, template):
        """The id of the row that holds the template with its environment and files; the parsed form is kept for reading."""
        template_id = db_templates.store(self.context, *template.content())
        self.runtime.templates.keep(template_id, template)
        return template_id

    def _new_row(self):
        values = {name: getattr(self, name) for name in FIELDS if getattr(self, name) is not None}
        values.update(timeout=self.timeout_mins, created_at=self.utcnow(), user_creds_id=self.tree.known_top.user_creds_id)
        values['asker'] = self.tree.asker(self.action)
        self.created_at = values['created_at']
        return values

"""A stack: its identity, definition, resources, outputs and state.

Tests: tests/functional/test_engine.py.
"""

import functools
import logging
import time

from heat_lite.common import exception, identifier, lru_cache, status
from heat_lite.db import stacks as db_stacks
from heat_lite.engine import event, notification
from heat_lite.engine.resource import fingerprint, record, resource, resource_records
from heat_lite.engine.stack import action_run, stack_definition, stack_outputs, stack_tree
from heat_lite.engine.stack.stack_fields import StackFields
from heat_lite.engine.validation import masking

LOG = logging.getLogger(__name__)


class Stack(StackFields):
    """One stack for the duration of a request or an action.

    ``template_id`` is None until the stack is stored. What depends on parameters (conditions,
    definitions) is computed on first use.
    """

    def __init__(
        self, runtime, context, template, template_id=None, tags=(), timeout_mins=None, **fields
    ):
        self.runtime = runtime
        self.context = context
        self.template = template
        self.template_id = template_id
        self.previous_template_id = None
        self.tags = list(tags)
        self.timeout_mins = timeout_mins
        #: whether the lock was stored together with the stack
        self.stored_locked = False
        self.set_fields(fields)
        self.nested_depth = self.nested_depth or 0
        self.status_reason = self.status_reason or ''
        self.journal = record.Journal(context, self.id, lambda: runtime.announcer.note(self.tenant))
        self.resource_records = resource_records.ResourceRecords(self)
        self.records = {}
        self._resources = {}
        #: whether references to types without ``named_before_create`` have no value yet
        self.previews_create = False
        #: whether values of properties are checked; those of a draft may be placeholders
        self.checks_values = True
        #: the run of the action under way, or of the last one
        self.run = action_run.ActionRun.from_column(self.action, self.plan)
        self._bound_by_template = {}
        self.redactor = masking.Redactor()
        self.outputs = stack_outputs.StackOutputs(self)
        self.tree = stack_tree.StackTree(self, functools.partial(Stack.from_row, runtime, context))

    @classmethod
    def from_row(cls, runtime, context, row):
        """Return the stack of a row that ``db.stacks.get`` gives; a brief one lacks columns."""
        fields = cls.fields_of(row)
        template = runtime.templates.get(row.raw_template_id)
        stack = cls(
            runtime, context, template, row.raw_template_id, row.tags or (), row.timeout, **fields
        )
        stack.previous_template_id = row.prev_raw_template_id
        stack.outputs.stored = getattr(row, 'outputs', None)
        return stack

    def make(self, template, **fields):
        """Return another stack of this class, runtime and context, not stored."""
        return type(self)(self.runtime, self.context, template, **fields)

    def __str__(self):
        return f'Stack "{self.name}" [{self.id}]'

    @lru_cache.cached_property
    def log_subject(self):
        """What log lines of work on the stack name."""
        return masking.log_subject(self)

    utcnow = staticmethod(record.utcnow)
    redact = masking.redact

    @property
    def limits(self):
        return self.runtime.limits

    def identifier(self):
        return identifier.HeatIdentifier(self.tenant, self.name, self.id)

    def clients(self, region=None):
        """Return the clients of the cloud for the requester, in another region on request."""
        if self.runtime.trusts is not None:
            return self.tree.deferred.clients(self.context, region)
        return self.runtime.clients(
            self.context if region is None else self.context.in_region(region)
        )

    def timeout_seconds(self):
        """Return the time limit of an action: that of the stack or the operator's default."""
        return self.timeout_mins * 60 if self.timeout_mins else self.limits.stack_action_timeout

    def deadline(self):
        """Return the end of the time of an action that begins now, by the monotonic clock."""
        return time.monotonic() + self.timeout_seconds()

    def require_existing(self):
        """Raise EntityNotFound if the task of the stack has deleted it."""
        if self.deleted_at is not None:
            raise exception.EntityNotFound(entity='Stack', name=self.name)

    def copy_state(self, live):
        """Take over the state of another copy of this stack."""
        self.action, self.status = live.action, live.status
        self.status_reason = live.status_reason

    # ------------------------------------------------------------ definition

    @lru_cache.cached_property
    def definition(self):
        return self.runtime.definitions_cache.of(self, self.template, self.template_id)

    @property
    def parameters(self):
        return self.definition.parameters

    @property
    def bound(self):
        return self.definition.bound

    @property
    def definitions(self):
        """The resource definitions, conditions applied: ``{name: ResourceDefinition}``."""
        return self.bound.resources

    @lru_cache.cached_property
    def scope(self):
        return self._scope_of(self.bound)

    def _scope_of(self, bound):
        return stack_definition.StackScope(
            bound, self.nodes, stack_tree.Facade(self) if self.tree.is_nested else None
        )

    @lru_cache.cached_property
    def nodes(self):
        return stack_definition.NodeData(self)

    def resolve(self, snippet):
        return self.scope.resolve(snippet)

    def metadata_changes(self, resource, definition):
        """Return whether unchanged metadata resolve differently with the new parameters."""
        template_id = resource.record.current_template_id
        if template_id in (None, self.template_id):
            return False
        before = self._scope_of(self.bound_by(template_id))
        return before.resolve(resource.definition.metadata) != self.resolve(definition.metadata)

    def resolver(self):
        """Return ``resolve`` bound to the present definition, for handlers that outlive it."""
        return self.scope.resolve

    def pending(self, snippet):
        """Return whether the value depends on resources that do not exist yet."""
        return any(
            self.resource_for(name).action == status.INIT
            for name in self.scope.dependencies(snippet)
        )

    def stored_attributes(self, row):
        """Return the attributes that are stored with a record: ``{name: value}``."""
        return self.resource_records.attributes_of(row)

    def lookup(self, constraint, value):
        """Return None if ``value`` fits the custom constraint, else the reason."""
        return self.runtime.registry.lookup(self, constraint, value)

    @property
    def requirements(self):
        """``{name: names that come first}``, from the template and the types."""
        return self.definition.requirements(self)

    def change(self, template, values, template_id=None):
        """Store the new template of an update; the row follows with the next turn of the
        journal.
        """
        tags = values.pop('tags', self.tags)
        if list(tags) != self.tags:
            db_stacks.set_tags(self.id, tags)
            self.tags = list(tags)
        self.redefine(template, template_id or self.runtime.templates.store(template))
        self.timeout_mins = values.get('timeout', self.timeout_mins)
        self.disable_rollback = values.get('disable_rollback', self.disable_rollback)
        self.protected = values.get('protected', self.protected)
        self.plan = values.get('plan')
        self.journal.stack(**values)
        self.store_definition()

    def store_definition(self):
        """Store the definition with the journal's next turn."""
        self.digest = fingerprint.stack_fingerprint(self)
        self.journal.stack(
            raw_template_id=self.template_id,
            prev_raw_template_id=self.previous_template_id,
            digest=self.digest,
        )

    def redefine(self, template, template_id):
        """Set another template (update, rollback). Resources change at their turn."""
        self.previous_template_id, self.template_id = self.template_id, template_id
        masking.learn(self, self.definition)
        self.template = template
        self._forget_definition()

    def _forget_definition(self):
        for name in ('definition', 'scope', 'nodes'):
            self.__dict__.pop(name, None)

    # ------------------------------------------------------------ resources

    def rows(self):
        """Return all records, oldest first within a name. The rows are read once."""
        return [row for records in self.resource_records.by_name().values() for row in records]

    def forget_rows(self):
        """Read the rows again at their next use."""
        self.resource_records, self._resources = resource_records.ResourceRecords(self), {}

    def refresh_rows(self, names=None, keep=()):
        """Read rows again that other engines have changed (see ``ResourceRecords.refresh``)."""
        for row in self.resource_records.refresh(names, keep):
            self._resources.pop(row, None)
        for name in names or self.definitions:
            self._resources.pop(name, None)

    def stored_rows(self):
        """Return the records that have an id and keep them in ``records``, by id."""
        self.records = {row.id: row for row in self.rows() if row.id is not None}
        return list(self.records.values())

    def best_record(self, name):
        """Return the record of the present template, else the newest of the name, or None."""
        candidates = self.resource_records.find_by_name(name)
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
        """The names of the resources that exist at the end of the action."""
        return () if self.run.deleting else self.definitions

    def new_record(self, name, replaces=None):
        """Add a record for a resource to create. It is stored with the journal's next turn."""
        new = self.blank_record(name)
        new.root_stack_id = self.root_id()
        new.current_template_id = self.template_id
        if replaces is not None:
            new.replaces = replaces.id
            # the engine that replaces a resource of a traversal of all engines works on both rows
            new.engine_id = replaces.engine_id
        self.resource_records.add(new)
        return self.journal.add(new)

    def blank_record(self, name):
        """Return a record that is not stored, for a resource without a row."""
        return record.Record(self.journal, name, self.id)

    def forget(self, old):
        """Delete the record with the journal's next turn."""
        self.resource_records.drop(old)
        self._resources.pop(old, None)
        self.journal.remove(old)

    def loaded_resources(self):
        return list(self._resources.values())

    def drop_resources(self):
        """Drop the resources in memory: a cycle that only a collection of garbage would free."""
        self._resources.clear()

    def resource_of(self, row):
        """Return the resource of a record, with the definition that created it."""
        if row not in self._resources:
            definition = self._definition_of(row)
            cls = resource.class_or_unknown(self.class_of, definition)
            self._resources[row] = cls.build(row.name, definition, self, row)
        return self._resources[row]

    def resource_for(self, name):
        """Return the resource with a name, with or without a row. Raises ResourceNotFound."""
        row = self.best_record(name)
        if row is not None:
            return self.resource_of(row)
        if name not in self.definitions:
            raise exception.ResourceNotFound(resource_name=name, stack_name=self.name)
        if name not in self._resources:
            definition, blank = self.definitions[name], self.blank_record(name)
            self._resources[name] = self.class_of(definition).build(name, definition, self, blank)
        return self._resources[name]

    def class_of(self, definition):
        """Return the class of a definition in its own environment. Raises StackValidationFailed."""
        try:
            return self.runtime.registry.class_for(
                definition.template.environment, definition.resource_type, definition.name
            )
        except exception.EntityNotFound as error:
            unknown = exception.StackValidationFailed.from_error(error)
            raise unknown.at(*definition.path[:2]) from error

    def template_of_type(self, definition):
        """Return the file or URL of the template behind a type; None for a built-in type."""
        return self.runtime.registry.template_of(
            definition.template.environment, definition.resource_type, definition.name
        )

    def facade_of(self, definition):
        """Return the Resolution of the type whose place a template takes; None if it is none."""
        return self.runtime.registry.facade_of(
            definition.template.environment, definition.resource_type, definition.name
        )

    def type_changed(self, present, definition):
        """Return whether the type differs; the substitute of a hidden type does not."""
        wanted = self.class_of(definition)
        return type(present) is not wanted and not present.support_status.is_substituted(wanted)

    def current_resources(self):
        """Return one resource a name: those of the template first, then those to delete."""
        names = {**dict.fromkeys(self.definitions), **self.resource_records.by_name()}
        return [self.resource_of(row) for row in map(self.best_record, names) if row is not None]

    def required_by(self):
        """Return ``{name: names that require it}``."""
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
            definitions = self.bound_by(template_id).resources
        definition = definitions.get(row.name) or self.definitions.get(row.name)
        if definition is None:
            raise exception.ResourceNotFound(resource_name=row.name, stack_name=self.name)
        return definition

    def bound_by(self, template_id):
        if template_id not in self._bound_by_template:
            template = self.runtime.templates.get(template_id)
            self._bound_by_template[template_id] = self.runtime.definitions_cache.of(
                self, template, template_id
            ).bound
        return self._bound_by_template[template_id]

    def root_id(self):
        return self.tree.top.id

    def child(self, item):
        """Return the nested stack of a resource (see ``execution.nested_stacks``)."""
        return self.runtime.nested_stack(item)

    # ------------------------------------------------------------ state

    @property
    def state(self):
        return self.action, self.status

    def state_set(self, action, state, reason):
        """Set the state, in the row and as an event, with the journal's next turn."""
        reason = self.redact(reason)
        self.action, self.status, self.status_reason = action, state, reason
        values = {'action': action, 'status': state, 'status_reason': reason}
        if action != status.CREATE or state == status.IN_PROGRESS and self.updated_at is not None:
            self.updated_at = values['updated_at'] = self.utcnow()
        self.journal.stack(**values)
        event.record_stack(self, self.journal)

    def notify_scaling(self, phase, **details):
        """Notify that a group changes its size."""
        notification.send_scaling(self, phase, **details)

    def mark_stored(self, stack_id, template_id):
        """Take over the ids of the rows that have just been stored, together with the lock."""
        self.id, self.template_id = stack_id, template_id
        self.stored_locked = True
        self.runtime.templates.put(template_id, self.template)
        self.created_at = self.created_at or self.utcnow()
        self.journal = record.Journal(self.context, stack_id, self.journal.announce)
        self._forget_definition()  # its pseudo parameters may lack the id
        self._resources.clear()

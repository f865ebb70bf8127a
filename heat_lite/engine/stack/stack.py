"""A stack: its identity, definition, resources, outputs and state.

Tests: tests/functional/test_engine.py.
"""

import contextlib
import itertools
import logging
import types
from collections.abc import Callable, Collection, Iterator, Mapping, Set
from typing import TYPE_CHECKING, Self

from heat_lite.common import exception, identifier, log_context, lru_cache, redaction, status
from heat_lite.common.context import RequestContext
from heat_lite.common.value_types import Row, Value, Values
from heat_lite.engine import event, notification
from heat_lite.engine.resource import fingerprint, record, resource, resource_records
from heat_lite.engine.resource.record import Record
from heat_lite.engine.resource.resource import Resource
from heat_lite.engine.stack import (
    action_run,
    revisions,
    stack_definition,
    stack_outputs,
    stack_tree,
)
from heat_lite.engine.stack.stack_fields import COLUMNS, FIELDS, StackFields
from heat_lite.engine.validation import masking
from heat_lite.template import function
from heat_lite.template.definition import ResourceDefinition
from heat_lite.template.parameters.parameters import Parameters
from heat_lite.template.resource_registry import Resolution
from heat_lite.template.template import BoundTemplate, Template
from heat_lite.template.unknown import STRING, Unknown, ValueUnknown, is_known

if TYPE_CHECKING:
    from heat_lite.clients.clients import Clients
    from heat_lite.engine.runtime import EngineLimits, Runtime


LOG = logging.getLogger(__name__)
#: stacks of a tree that are searched for the name of an object
MAX_FORESEEN = 200
#: the properties that name the object which a resource makes
NAME_PROPERTIES = {'name', 'Name', 'KeyName'}


class StackChanged(Exception):
    """An update was made from a definition that is not the present one any more."""


class Stack(StackFields):
    """One stack for the duration of a request or an action.

    ``template_id`` is None until the stack is stored. What depends on parameters (conditions,
    definitions) is computed on first use.
    """

    #: whether the lock was stored together with the stack
    stored_locked = False
    #: what is not known yet, of a stack that is validated or previewed; None for one at work
    foresight: stack_definition.Foresight | None = None
    #: of a stack that is previewed: functions that give, by id and
    #: for their parents, the nested stacks as they would be
    foreseen_nested: Mapping[int | str | None, Callable[['Stack'], 'Stack']] = (
        types.MappingProxyType({})
    )
    #: whether values of properties are checked; as in Heat, those of a nested stack are when it is
    #: created
    checks_values = True

    def __init__(
        self,
        runtime: 'Runtime',
        context: RequestContext,
        template: Template,
        tags: Collection[str] = (),
        **fields: Value,
    ) -> None:
        self.runtime = runtime
        self.context = context
        self.template = template
        self.tags = list(tags)
        self.set_fields(fields)
        self.journal = record.Journal(context, self.id, lambda: runtime.announcer.note(self.tenant))
        self.records = resource_records.ResourceRecords(self)
        self._resources: dict[Record | str, Resource] = {}
        #: the run of the action under way, or of the last one
        self.run = action_run.ActionRun.from_column(self.action, self.plan)
        self._by_template: dict[int | None, stack_definition.StackDefinition] = {}
        self.redactor = redaction.Redactor()
        self.outputs = stack_outputs.StackOutputs(self)
        self.tree = stack_tree.StackTree(self)

    @classmethod
    def from_row(cls, runtime: 'Runtime', context: RequestContext, row: Row) -> Self:
        """Return the stack of a row that ``db.stacks.get`` gives; a brief one lacks columns."""
        template = runtime.templates.get(row.raw_template_id)
        stack = cls(runtime, context, template, row.tags or (), **cls.fields_of(row))
        stack.outputs.stored = getattr(row, 'outputs', None)
        return stack

    def make(self, template: Template, **fields: Value) -> Self:
        """Return another stack of this class, runtime and context, not stored."""
        return type(self)(self.runtime, self.context, template, **fields)

    def with_template(self, template: Template) -> Self:
        """Return this stack with another template, to read and to validate. It has no rows."""
        fields = {name: getattr(self, name) for name in FIELDS}
        return self.make(template, **{**fields, 'template_id': None})

    def take_row(self, row: Row) -> None:
        """Take over the fields and the template of a newer row."""
        if row.raw_template_id != self.template_id:
            template = self.runtime.templates.get(row.raw_template_id)
            self.redefine(template, row.raw_template_id)
        self.tags = list(row.tags)
        self.set_fields(self.fields_of(row))

    def store(self, **fields: Value) -> None:
        """Change fields, in the row with the journal's next turn."""
        for name, value in fields.items():
            setattr(self, name, value)
        self.journal.stack(**{COLUMNS.get(name, name): value for name, value in fields.items()})

    def __str__(self) -> str:
        return f'Stack "{self.name}" [{self.id}]'

    @lru_cache.cached_property
    def log_subject(self) -> log_context.Subject:
        """What log lines of work on the stack name."""
        return log_context.Subject(self.context, f'{self.name}/{self.id}', self.redactor)

    utcnow = staticmethod(record.utcnow)
    redact = masking.redact

    @property
    def limits(self) -> 'EngineLimits':
        return self.runtime.limits

    def identifier(self) -> identifier.HeatIdentifier:
        return identifier.HeatIdentifier(self.tenant, self.name, self.id)

    def clients(self, region: str | None = None) -> 'Clients':
        """Return the clients of the cloud for the requester, in another region on request."""
        if self.runtime.trusts is not None:
            return self.tree.deferred.clients(self.context, region)
        return self.runtime.clients(
            self.context if region is None else self.context.in_region(region)
        )

    def timeout_seconds(self) -> int:
        """Return the time limit of an action: that of the stack or the operator's default."""
        return self.timeout_mins * 60 if self.timeout_mins else self.limits.stack_action_timeout

    def require_existing(self) -> None:
        """Raise EntityNotFound if the task of the stack has deleted it."""
        if self.deleted_at is not None:
            raise exception.no_stack(self.name)

    # ------------------------------------------------------------ definition

    @lru_cache.cached_property
    def definition(self) -> stack_definition.StackDefinition:
        return self.runtime.definitions_cache.of(self, self.template, self.template_id)

    @property
    def parameters(self) -> Parameters:
        return self.definition.parameters

    @property
    def bound(self) -> BoundTemplate:
        return self.definition.bound

    @property
    def definitions(self) -> dict[str, ResourceDefinition]:
        """The resource definitions, conditions applied: ``{name: ResourceDefinition}``."""
        return self.bound.resources

    @lru_cache.cached_property
    def scope(self) -> stack_definition.StackScope:
        return stack_definition.StackScope(self.bound, self)

    @property
    def shown_scope(self) -> stack_definition.ShownScope:
        """The scope of the values that previews have had from Heat."""
        return stack_definition.ShownScope(self.bound, self)

    def resolve(self, snippet: Value) -> Value:
        return self.scope.resolve(snippet)

    def metadata_changes(self, resource: Resource, definition: ResourceDefinition) -> bool:
        """Return whether unchanged metadata resolve differently with the new parameters."""
        template_id = resource.record.current_template_id
        if template_id in (None, self.template_id):
            return False
        before = stack_definition.StackScope(self.bound_by(template_id), self)
        was = before.resolve(resource.definition.metadata)
        becomes = self.resolve(definition.metadata)
        return not is_known(was, becomes) or was != becomes

    @contextlib.contextmanager
    def foreseen(self, foresight: stack_definition.Foresight | None = None) -> Iterator[None]:
        """Read what is not known yet as Unknowns: what ``foresight`` says, if one is given."""
        before = self.foresight
        self.foresight = foresight or before or stack_definition.Foresight()
        try:
            yield
        finally:
            self.foresight = before

    def lookup(self, constraint: str, value: Value) -> str | None:
        """Return None if ``value`` fits the custom constraint, else the reason."""
        problem = self.runtime.registry.lookup(self, constraint, value)
        return None if problem is not None and self._maker_of(value) else problem

    def find_object(self, kind: str, value: Value) -> Value:
        """Return the id of the cloud object that ``value`` names. Raises StackValidationFailed.

        While the stack is validated or previewed, the id of an object that does not exist yet is
        an Unknown.
        """
        try:
            return self.runtime.registry.find(self, kind, value)
        except exception.StackValidationFailed:
            if self.foresight is None:
                raise
            return Unknown(STRING, [self._maker_of(value) or f'{kind} {value}'])

    def _maker_of(self, name: Value) -> str | None:
        """Return the resource of the tree that will make an object of this name, if any."""
        if self.foresight is None or not isinstance(name, str):
            return None
        lineage = [each for each in self.tree.lineage() if each.foresight is not None]
        return lineage[-1].made_names.get(name)

    @lru_cache.cached_property
    def made_names(self) -> dict[str, str]:
        """``{name of an object: resource that makes it}``, with those of nested stacks."""
        # a name that this search itself asks for has no maker
        found: dict[str, str] = self.__dict__.setdefault('made_names', {})
        tree = itertools.islice(self.foreseen_tree(), MAX_FORESEEN)
        found.update((name, maker) for item in tree for name, maker in item._own_names())
        return found

    def foreseen_tree(self) -> 'Iterator[Stack]':
        """Yield the stack and the stacks that its resources will have."""
        yield self
        for name in self.definitions:
            try:
                nested = self.resource_for(name).preview_nested()
            except (exception.HeatException, ValueUnknown, *function.ARGUMENT_ERRORS):
                continue  # validation reports what is invalid in it
            if nested is not None:
                yield from nested.foreseen_tree()

    def _own_names(self) -> Iterator[tuple[str, str]]:
        for definition in self.definitions.values():
            given = definition.properties or {}
            for key in NAME_PROPERTIES & given.keys():
                with contextlib.suppress(exception.HeatException, *function.ARGUMENT_ERRORS):
                    name = self.resolve(given[key])
                    if isinstance(name, str):
                        yield name, definition.name

    @property
    def requirements(self) -> Mapping[str, Set[str]]:
        """``{name: names that come first}``, from the template and the types."""
        return self.definition.requirements(self)

    @property
    def update_base(self) -> Values:
        """What an update starts from: other values mean that another one has come in between."""
        names = ('template_id', 'tags', 'timeout_mins', 'disable_rollback')
        return {name: getattr(self, name) for name in names}

    def change(
        self, action: str, template: Template, template_id: int | None, **fields: Value
    ) -> None:
        """Store the new template of an action; the row, the tags and the revision follow with the
        next turn of the journal.
        """
        before = revisions.present(self)
        self.redefine(template, template_id)
        self.store(**fields)
        self.store_definition()
        revisions.begin(self, before, action)

    def store_definition(self) -> None:
        """Store the definition with the journal's next turn."""
        self.store(
            template_id=self.template_id,
            previous_template_id=self.previous_template_id,
            digest=fingerprint.stack_fingerprint(self),
        )

    def redefine(self, template: Template, template_id: int | None) -> None:
        """Set another template (update, rollback). Resources change at their turn."""
        masking.learn(self, self.definition)
        self._by_template[self.template_id] = self.definition
        self.previous_template_id, self.template_id = self.template_id, template_id
        self.template = template
        self.forget_definition()

    def forget_definition(self) -> None:
        """Make what depends on the template and the identity anew at its next use."""
        for name in ('definition', 'scope'):
            self.__dict__.pop(name, None)

    # ------------------------------------------------------------ resources

    def forget_rows(self) -> None:
        """Read the rows again at their next use."""
        self.records, self._resources = resource_records.ResourceRecords(self), {}

    def refresh_rows(
        self, names: Collection[str] | None = None, keep: Collection[Record] = ()
    ) -> None:
        """Read rows again that other engines have changed (see ``ResourceRecords.refresh``)."""
        for row in self.records.refresh(names, keep):
            self._resources.pop(row, None)
        for name in names or self.definitions:
            self._resources.pop(name, None)

    def is_wanted(self, row: Record) -> bool:
        return row.name in self.wanted and self.records.best(row.name) is row

    @property
    def wanted(self) -> Collection[str]:
        """The names of the resources that exist at the end of the action."""
        return () if self.run.deleting else self.definitions

    def forget(self, old: Record) -> None:
        """Delete the record with the journal's next turn."""
        self.records.drop(old)
        self._resources.pop(old, None)
        self.journal.remove(old)

    def loaded_resources(self) -> list[Resource]:
        return list(self._resources.values())

    def drop_resources(self) -> None:
        """Drop the resources in memory: a cycle that only a collection of garbage would free."""
        self._resources.clear()

    def resource_of(self, row: Record) -> Resource:
        """Return the resource of a record, with the definition that created it."""
        if row not in self._resources:
            definition = self._definition_of(row)
            cls = resource.class_or_unknown(self.class_of, definition)
            self._resources[row] = cls.build(row.name, definition, self, row)
        return self._resources[row]

    def resource_for(self, name: str) -> Resource:
        """Return the resource with a name, with or without a row. Raises ResourceNotFound."""
        row = self.records.best(name)
        if row is not None:
            return self.resource_of(row)
        if name not in self.definitions:
            raise exception.ResourceNotFound(resource_name=name, stack_name=self.name)
        if name not in self._resources:
            definition, blank = self.definitions[name], self.records.blank(name)
            self._resources[name] = self.class_of(definition).build(name, definition, self, blank)
        return self._resources[name]

    def class_of(self, definition: ResourceDefinition) -> type[Resource]:
        """Return the class of a definition in its own environment. Raises StackValidationFailed."""
        try:
            return self.runtime.registry.class_for(
                definition.template.environment, definition.resource_type, definition.name
            )
        except exception.EntityNotFound as error:
            unknown = exception.StackValidationFailed.from_error(error)
            raise unknown.at(*definition.path[:2]) from error

    def template_of_type(self, definition: ResourceDefinition) -> str | None:
        """Return the file or URL of the template behind a type; None for a built-in type."""
        return self.runtime.registry.template_of(
            definition.template.environment, definition.resource_type, definition.name
        )

    def facade_of(self, definition: ResourceDefinition) -> Resolution | None:
        """Return the Resolution of the type whose place a template takes; None if it is none."""
        return self.runtime.registry.facade_of(
            definition.template.environment, definition.resource_type, definition.name
        )

    def type_changed(self, present: Resource, definition: ResourceDefinition) -> bool:
        """Return whether the type differs; the substitute of a hidden type does not."""
        wanted = self.class_of(definition)
        return type(present) is not wanted and not present.support_status.is_substituted(wanted)

    def current_resources(self) -> list[Resource]:
        """Return one resource a name: those of the template first, then those to delete."""
        names = {**dict.fromkeys(self.definitions), **self.records.by_name()}
        return [self.resource_of(row) for row in map(self.records.best, names) if row is not None]

    def required_by(self) -> dict[str, list[str]]:
        """Return ``{name: names that require it}``."""
        result: dict[str, list[str]] = {}
        for name, required in self.requirements.items():
            for each in required:
                result.setdefault(each, []).append(name)
        return result

    def _definition_of(self, row: Record) -> ResourceDefinition:
        template_id = row.current_template_id
        if template_id is None or template_id == self.template_id:
            definitions = self.definitions
        else:
            definitions = self.bound_by(template_id).resources
        definition = definitions.get(row.name) or self.definitions.get(row.name)
        if definition is None:
            raise exception.ResourceNotFound(resource_name=row.name, stack_name=self.name)
        return definition

    def bound_by(self, template_id: int) -> BoundTemplate:
        if template_id not in self._by_template:
            template = self.runtime.templates.get(template_id)
            self._by_template[template_id] = self.runtime.definitions_cache.of(
                self, template, template_id
            )
        return self._by_template[template_id].bound

    def draft(self, template: Template, template_id: int) -> None:
        """Set a template that has no row, and keep it for the records that have its id."""
        self.redefine(template, template_id)
        self._by_template[template_id] = self.definition

    def root_id(self) -> str:
        return self.tree.top.id

    # ------------------------------------------------------------ state

    @property
    def state(self) -> tuple[str, str]:
        return self.action, self.status

    def state_set(self, action: str, state: str, reason: str) -> None:
        """Set the state, in the row and as an event, with the journal's next turn."""
        fields: Values = {'action': action, 'status': state, 'status_reason': self.redact(reason)}
        if action != status.CREATE or state == status.IN_PROGRESS and self.updated_at is not None:
            fields['updated_at'] = self.utcnow()
        former = self.state
        self.store(**fields)
        revisions.set_result(self, former)
        event.record_stack(self, self.journal)

    def notify_scaling(self, phase: str, **details: Value) -> None:
        """Notify that a group changes its size."""
        notification.send_scaling(self, phase, **details)

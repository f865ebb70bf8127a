"""The stacks inside resources: made, changed, watched and taken away for the resource that they are the inside of.

A child is a stack like another, with the row of its parent as owner. This engine works on it by itself; while the parent's resource waits,
the child's end rings a bell, so nobody polls. A child that another engine has taken over is looked for in the database, now and then.
"""

import functools
import logging

from heat_lite.common import exception, identifier, status
from heat_lite.db import locks
from heat_lite.db import stacks as db_stacks
from heat_lite.engine import actions, adoption, export, scheduler, validation
from heat_lite.engine import stack as engine_stack
from heat_lite.template import attributes

LOG = logging.getLogger(__name__)
#: how long to wait for the bell before looking at the child's row, in seconds
PATIENCE = 5.0
#: how long a child may take to stop when its parent has been told to, in seconds
STOP_SECONDS = 30


class Child:
    """The inside of one resource. ``stack`` is what is known of it; None where there is none."""

    def __init__(self, runtime, resource):
        self._runtime = runtime
        self._resource = resource
        self._stack = None
        self._anew = False

    @property
    def _parent(self):
        return self._resource.stack

    @property
    def stack(self):
        """As it was at the last look; an action that was begun here is followed as it goes."""
        if self._stack is None:
            row = self._row()
            self._stack = row and self._load(row)
        return self._stack

    def look_again(self):
        """Forget what is known: somebody else may have changed it."""
        self._stack, self._anew = None, True

    def _row(self):
        resource_id = self._resource.resource_id
        if resource_id is None:
            return None
        return self._parent.tree.child_row(resource_id, self._anew)

    def _load(self, row):
        loaded = engine_stack.Stack.from_row(self._runtime, self._parent.context, row)
        loaded.tree.parent = self._parent
        return loaded

    # ------------------------------------------------------------ before there is one

    def draft(self, template, timeout_mins=None):
        """The stack that would be the inside, to be looked at or stored. Raises RequestLimitExceeded for what is nested too deeply."""
        parent = self._parent
        depth = parent.nested_depth + 1
        limit = self._runtime.limits.max_nested_stack_depth
        if depth > limit:
            raise exception.RequestLimitExceeded(f'Recursion depth exceeds {limit}.')
        drafted = engine_stack.Stack(
            self._runtime,
            parent.context,
            template,
            name=self.name(),
            tenant=parent.tenant,
            username=parent.username,
            owner_id=parent.id,
            nested_depth=depth,
            parent_resource_name=self._resource.name,
            user_creds_id=parent.user_creds_id,
            stack_user_project_id=parent.stack_user_project_id,
            disable_rollback=True,
            timeout_mins=parent.timeout_mins if timeout_mins is None else timeout_mins,
            action=status.CREATE,
            status=status.IN_PROGRESS,
            status_reason='Stack CREATE started',
        )
        drafted.tree.parent = parent
        return drafted

    def validate(self, template, times=1):
        """Look at what the inside would be, those inside of it included. Raises what is wrong. ``times``: as how many such it counts."""
        top = self._parent.tree.top.tree
        before = top.counted
        validation.nested_stack(self.draft(template))
        if before is not None:
            top.counted += (times - 1) * (top.counted - before)

    def name(self):
        """The resource's physical name; in a preview, where there is no row yet, the names alone."""
        if self._parent.id is None:
            return f'{self._parent.name}-{self._resource.name}'
        return self._resource.physical_resource_name()

    def identifier(self):
        """The identity of the child, None where there is none."""
        if self._resource.resource_id is None:
            return None
        return identifier.HeatIdentifier(self._parent.tenant, self.name(), self._resource.resource_id)

    # ------------------------------------------------------------ what others read

    def living(self):
        """The stack; None where there is none, or no longer."""
        stack = self.stack
        return None if stack is None or stack.deleted_at is not None else stack

    def of_member(self, *path):
        """Something of a resource of it: its reference, or an attribute where the path goes on. None where there is no stack."""
        stack = self.living()
        if stack is None:
            return None
        if not path:
            raise exception.InvalidTemplateAttribute(resource=self._resource.name, key='resource')
        member, *rest = path
        try:
            item = stack.resource_for(str(member))
        except exception.ResourceNotFound:
            raise exception.InvalidTemplateAttribute(resource=self._resource.name, key=f'resource.{member}') from None
        return item.attribute(*rest) if rest else item.reference_id()

    def output(self, name, path=()):
        """What is at a path in one of its outputs. Raises InvalidTemplateAttribute for none, TemplateOutputError for its fault."""
        stack = self.living()
        if stack is None:
            return None
        found = next((each for each in stack.outputs() if each['output_key'] == name), None)
        if found is None:
            raise exception.InvalidTemplateAttribute(resource=self._resource.name, key=name)
        if found.get('output_error'):
            raise exception.TemplateOutputError(resource=self._resource.name, attribute=name, reason=found['output_error'])
        return attributes.select(found['output_value'], path)

    # ------------------------------------------------------------ actions

    def create(self, template, timeout_mins=None, adopted=None):
        """Store it and begin to build it, or to adopt what is known (``adopted``, see ``adoption``). What is inside its own resources is
        looked at when these are made."""
        drafted = self.draft(template, timeout_mins)
        self._check(drafted)
        drafted.created_at = drafted.utcnow()
        if adopted is not None:
            adoption.begin(drafted, adopted)
        drafted.store()
        self._resource.resource_id_set(drafted.id)
        self._stack = drafted
        (actions.create if adopted is None else actions.adopt)(drafted)

    @staticmethod
    def _check(stack):
        """Now with all values, but not down into the stacks inside: these are looked at when it is their turn."""
        stack.tree.validates_inside = False
        try:
            validation.stack(stack)
        except exception.StackValidationFailed as error:
            raise exception.ResourceFailure(error, kind='') from error

    def update(self, template, timeout_mins=None):
        stack = self._present(status.UPDATE)
        changed = self.draft(template, timeout_mins)
        changed.id = stack.id
        self._refuse_too_many(len(changed.definitions) - len(stack.definitions))
        self._check(changed)
        values = {} if timeout_mins is None else {'timeout': timeout_mins}
        if self._parent.keeps_all:
            values['plan'] = self._parent.plan
        actions.update(stack, template, values)

    def _refuse_too_many(self, more):
        limit = self._runtime.limits.max_resources_per_stack
        if more <= 0 or limit < 0:
            return
        if db_stacks.count_tree_resources(self._parent.context, self._parent.root_id()) + more > limit:
            raise exception.RequestLimitExceeded('Maximum resources per stack exceeded.')

    def delete(self, way=None):
        """Begin to take it away, by force where its parent goes by force; False where it is gone already."""
        self.look_again()
        stack = self.stack
        if stack is None or stack.deleted_at is not None:
            return False
        try:
            (way or functools.partial(actions.delete, force=self._parent.forcing))(stack)
        except exception.EntityNotFound:
            return False  # somebody else was at it, and has just got to the end
        return True

    def abandon(self):
        """Begin to forget it; False where it is gone already."""
        return self.delete(actions.abandon)

    def document(self):
        """What an export tells of it."""
        return export.of_stack(self.stack)

    def suspend(self):
        actions.suspend(self._present(status.SUSPEND))

    def resume(self):
        actions.resume(self._present(status.RESUME))

    def check(self):
        actions.check(self._present(status.CHECK))

    def _present(self, action):
        self.look_again()
        stack = self.stack
        if stack is None or stack.deleted_at is not None:
            raise exception.Error(f'Cannot {action.lower()} {self._resource.name}, stack not created')
        return stack

    def find(self):
        """The id of the stack that an interrupted create has stored for the resource; None where there is none."""
        name = self.name()
        rows = db_stacks.inside(self._parent.context, self._parent.id).values()
        return next((row.id for row in rows if row.parent_resource_name == self._resource.name and row.name == name), None)

    # ------------------------------------------------------------ waiting

    def ended(self, action):
        """A generator: waits for the end of the action. Raises ResourceFailure as the child has failed; passes a cancellation on to it."""
        try:
            yield from self.at_rest()
        except (scheduler.Cancelled, scheduler.Timeout):
            yield from self._stopped()
            raise
        stack = self.stack
        if stack is None or (stack.action, stack.status) == (action, status.COMPLETE):
            return
        raise exception.ResourceFailure.of_stack(stack.status_reason)

    def at_rest(self):
        """A generator: waits until nobody works on it any more."""
        while self.stack is not None and self.stack.status == status.IN_PROGRESS:
            bell = scheduler.Bell(PATIENCE)
            if not self._runtime.running.tell_end(self._stack.id, bell):
                # not ours any more: its end may just have been, else another engine goes on with it
                self.look_again()
                if self.stack is None or self.stack.status != status.IN_PROGRESS:
                    return
            yield bell

    def _stopped(self):
        """Tell the child to stop, and give it some time to."""
        if not self._runtime.running.send(self._stack.id, 'cancel'):
            holder = locks.holder(self._parent.context, self._stack.id)
            if holder is not None and holder != self._runtime.engine_id:
                self._runtime.listener.send(self._parent.context, holder, self._stack.identifier().as_dict(), 'cancel')
        waiting = scheduler.TaskRunner(self.at_rest, timeout=STOP_SECONDS)
        try:
            while not waiting.step():
                yield waiting.bell or waiting.pause
        except scheduler.Timeout:
            LOG.warning('%s has not stopped within %d seconds', self._stack, STOP_SECONDS)

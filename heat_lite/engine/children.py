"""The stacks inside resources: made, changed, watched and taken away for the resource that they are the inside of.

A child is a stack like another, with the row of its parent as owner. This engine works on it by itself, or another one does (see
``places``); while the parent's resource waits, the child's end rings a bell, so nobody polls. Only in case that an end is never told it is
looked for in the database, now and then.
"""

import contextlib
import functools
import itertools
import json
import logging
import math

from heat_lite.common import exception, identifier, status
from heat_lite.db import stacks as db_stacks
from heat_lite.engine import actions, adoption, export, scheduler, stack_lock, validation
from heat_lite.engine import stack as engine_stack
from heat_lite.rpc import api
from heat_lite.template import attributes

_UNLIKE = itertools.count()
LOG = logging.getLogger(__name__)
#: how long to wait for the bell before looking at the child's row, in seconds; and where nobody may know whom to tell
PATIENCE, SHORT_PATIENCE = 30.0, 3.0
#: how long a child may take to stop when its parent has been told to, in seconds
STOP_SECONDS = 30


class Known:
    """The inside of one resource, to be looked at. ``stack`` is what is known of it; None where there is none."""

    def __init__(self, runtime, resource):
        self._runtime = runtime
        self._resource = resource
        self._stack = None
        self._anew = False

    @property
    def _parent(self):
        return self._resource.stack

    @property
    def _places(self):
        return self._runtime.places

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
        drafted = self.draft(template)
        if top.counted is None:
            validation.nested_stack(drafted)
            return
        before, like = top.counted, self._likeness(drafted)
        if like not in top.seen:
            validation.nested_stack(drafted)
            top.seen[like] = top.counted - before
        top.counted = before + times * top.seen[like]

    def _likeness(self, drafted):
        """Of those inside that are alike in this one is looked at: all that it may have of its own is in here."""
        around = self._resource.definition
        facade = around.metadata, around.deletion_policy, around.update_policy
        # whatever is no plain data is like nothing else
        return drafted.nested_depth, json.dumps([drafted.template.content(), facade], default=lambda _: next(_UNLIKE))

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
            raise exception.GroupMemberNotFound(member=str(member), group=self._resource.name) from None
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

    def document(self):
        """What an export tells of it."""
        return export.of_stack(self.stack)

    def find(self):
        """The id of the stack that an interrupted create has stored for the resource; None where there is none."""
        name = self.name()
        rows = db_stacks.inside(self._parent.context, self._parent.id).values()
        return next((row.id for row in rows if row.parent_resource_name == self._resource.name and row.name == name), None)


class Child(Known):
    """The same, to be worked on."""

    def create(self, template, timeout_mins=None, adopted=None):
        """Store it and begin to build it, or to adopt what is known (``adopted``, see ``adoption``). What is inside its own resources is
        looked at when these are made."""
        drafted = self.draft(template, timeout_mins)
        with _told_as_failure():
            given_away = adopted is None and self._places.gives_away(self._parent, drafted)
        if given_away and self._made_elsewhere(drafted):
            return
        with _told_as_failure():
            validation.inside(drafted)
        drafted.created_at = drafted.utcnow()
        if adopted is not None:
            adoption.begin(drafted, adopted)
        # who was to make it, and did not answer, may yet have done so
        new = drafted.store(on_behalf_of=self._runtime.engine_id if given_away else None)
        self._resource.resource_id_set(drafted.id)
        if new:
            self._stack = drafted
            (actions.create if adopted is None else actions.adopt)(drafted)
        else:
            self.look_again()

    def _made_elsewhere(self, drafted):
        """Whether another engine has taken it."""
        drafted.timeout_mins = self._minutes_left(drafted)
        with _told_as_failure():
            made = self._places.create(drafted, drafted.store_template(drafted.template)) or self.find()
        if made is not None:
            self._resource.resource_id_set(made)
            self.look_again()
        return made is not None

    def _minutes_left(self, stack):
        """What is left of the time of the stack around, which another engine cannot know."""
        left = min(stack.timeout_seconds(), self._parent.walk.seconds_left() if self._parent.walk else math.inf)
        return max(1, math.ceil(left / 60))

    def update(self, template, timeout_mins=None):
        stack = self._present(status.UPDATE)
        if self._goes_elsewhere(stack) and self._updated_elsewhere(stack, template, timeout_mins):
            return
        changed = self.draft(template, timeout_mins)
        changed.id = stack.id
        values = {} if timeout_mins is None else {'timeout': timeout_mins}
        if self._parent.keeps_all:
            values['plan'] = self._parent.plan
        with _told_as_failure():
            validation.change_inside(stack, changed)
        actions.update(stack, template, values)

    def _updated_elsewhere(self, stack, template, timeout_mins):
        args = {api.PARAM_TIMEOUT: timeout_mins or self._minutes_left(self._parent)}
        if self._parent.keeps_all:
            args[api.ON_REPLACE] = api.FAIL
        template_id = stack.store_template(template)
        with _told_as_failure():
            return self._begun_elsewhere('update_stack', stack, template=None, params=None, files=None, args=args, template_id=template_id)

    def delete(self, way=None):
        """Begin to take it away, by force where its parent goes by force; False where it is gone already."""
        stack = self.stack  # it is looked at again under its lock
        if stack is None or stack.deleted_at is not None:
            return False
        force = {'force': True} if self._parent.forcing else {}
        try:
            if way is None and self._goes_elsewhere(stack) and self._begun_elsewhere('delete_stack', stack, **force):
                return True
            (way or functools.partial(actions.delete, **force))(stack)
        except exception.EntityNotFound:
            return False  # somebody else was at it, and has just got to the end
        return True

    def _goes_elsewhere(self, stack):
        """Whether another engine is to begin the next action: who is at work on it already, or any that is free."""
        if self._runtime.running.has(stack.id):
            return False
        if stack.status == status.IN_PROGRESS and stack_lock.at_work_elsewhere(self._runtime, stack.context, stack.id) is not None:
            return True
        return self._places.gives_away(self._parent, stack)

    def _begun_elsewhere(self, verb, stack, **arguments):
        begun = self._places.begin(verb, stack, **arguments)
        if begun:
            self.look_again()
        return begun

    def abandon(self):
        """Begin to forget it; False where it is gone already."""
        return self.delete(actions.abandon)

    def suspend(self):
        self._begin(status.SUSPEND, 'stack_suspend', actions.suspend)

    def resume(self):
        self._begin(status.RESUME, 'stack_resume', actions.resume)

    def check(self):
        self._begin(status.CHECK, 'stack_check', actions.check)

    def _begin(self, action, verb, here):
        """``verb`` is how another engine is told."""
        stack = self._present(action)
        if not (self._goes_elsewhere(stack) and self._begun_elsewhere(verb, stack)):
            here(stack)

    def _present(self, action):
        self.look_again()
        stack = self.stack
        if stack is None or stack.deleted_at is not None:
            raise exception.Error(f'Cannot {action.lower()} {self._resource.name}, stack not created')
        return stack

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
        bells, running = self._runtime.bells, self._runtime.running
        while self._is_at_work():
            name = self._stack.name
            bell = bells.hang(name, PATIENCE if running.has(self._parent.id) else SHORT_PATIENCE)
            try:
                if not running.tell_end(self._stack.id, bell):
                    # not ours, or no longer: its end may just have been, else another engine goes on with it, and tells us
                    self.look_again()
                    if not self._is_at_work():
                        return
                yield bell
            finally:
                bells.take_down(name, bell)

    def _is_at_work(self):
        return self.stack is not None and self.stack.status == status.IN_PROGRESS

    def _stopped(self):
        """Tell the child to stop, and give it some time to."""
        if not self._runtime.running.send(self._stack.id, api.CANCEL):
            holder = stack_lock.elsewhere(self._runtime, self._parent.context, self._stack.id)
            if holder is not None:
                self._runtime.listener.send(self._parent.context, holder, self._stack.identifier().as_dict(), api.CANCEL)
        waiting = scheduler.TaskRunner(self.at_rest, timeout=STOP_SECONDS)
        try:
            while not waiting.step():
                yield waiting.bell or waiting.pause
        except scheduler.Timeout:
            LOG.warning('%s has not stopped within %d seconds', self._stack, STOP_SECONDS)


@contextlib.contextmanager
def _told_as_failure():
    """What is wrong with the inside is told as a failure of the resource."""
    try:
        yield
    except exception.StackValidationFailed as error:
        raise exception.ResourceFailure(error, kind='') from error

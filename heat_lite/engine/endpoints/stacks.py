"""The door for stacks: make, change, take away, look."""

import uuid

from heat_lite.common import exception, identifier, status
from heat_lite.db import stacks as db_stacks
from heat_lite.engine import actions, adoption, format, previews, validation
from heat_lite.engine import stack as engine_stack
from heat_lite.engine.endpoints.base import Endpoint, at_work
from heat_lite.rpc import api
from heat_lite.template import merge
from heat_lite.template.environment import Environment
from heat_lite.template.template import Template

#: arguments of a request -> columns of the stack
ARGUMENTS = {'timeout_mins': 'timeout', 'disable_rollback': 'disable_rollback', api.PROTECTED: 'protected'}


class Stacks(Endpoint):
    """``args`` holds the options of a request (``timeout_mins``, ``disable_rollback``, ``tags``, ...), ``params`` an environment."""

    # ------------------------------------------------------------ look

    def identify_stack(self, context, stack_name):
        """The identity of the stack of that name or id; a deleted one is found by its id."""
        row = None
        if _is_uuid(stack_name):
            row = db_stacks.get(context, stack_name, show_deleted=True)
        if row is None:
            row = db_stacks.get_by_name(context, stack_name)
        if row is None:
            raise exception.EntityNotFound(entity='Stack', name=stack_name)
        return identifier.HeatIdentifier(row.tenant, row.name, row.id).as_dict()

    def list_stacks(
        self,
        context,
        limit=None,
        marker=None,
        sort_keys=None,
        sort_dir=None,
        filters=None,
        tenant_safe=True,
        show_deleted=False,
        show_nested=False,
        show_hidden=False,
        tags=None,
        tags_any=None,
        not_tags=None,
        not_tags_any=None,
    ):
        if filters is not None:
            filters = _column_filters(filters)
        rows = db_stacks.list(
            context,
            limit=limit,
            marker=marker,
            sort_keys=sort_keys,
            sort_dir=sort_dir,
            brief=True,
            **self._which(filters, tenant_safe, show_deleted, show_nested, show_hidden, tags, tags_any, not_tags, not_tags_any),
        )
        return [format.stack_row(row) for row in rows]

    def count_stacks(
        self,
        context,
        filters=None,
        tenant_safe=True,
        show_deleted=False,
        show_nested=False,
        show_hidden=False,
        tags=None,
        tags_any=None,
        not_tags=None,
        not_tags_any=None,
    ):
        return db_stacks.count(
            context,
            **self._which(filters, tenant_safe, show_deleted, show_nested, show_hidden, tags, tags_any, not_tags, not_tags_any),
        )

    def _which(self, filters, tenant_safe, show_deleted, show_nested, show_hidden, tags, tags_any, not_tags, not_tags_any):
        return {
            'filters': filters,
            'tenant_safe': tenant_safe,
            'show_deleted': show_deleted,
            'show_nested': show_nested,
            'show_hidden': show_hidden,
            'hidden_tags': self._runtime.limits.hidden_stack_tags,
            'tags': tags,
            'tags_any': tags_any,
            'not_tags': not_tags,
            'not_tags_any': not_tags_any,
        }

    def show_stack(self, context, stack_identity, resolve_outputs=True):
        """A list of one stack, or of all where no identity is given."""
        if stack_identity is None:
            stacks = [engine_stack.Stack.from_row(self._runtime, context, row) for row in db_stacks.list(context)]
        else:
            stacks = [self._stack(context, stack_identity, show_deleted=True)]
        return [format.stack(stack, resolve_outputs) for stack in stacks]

    def get_template(self, context, stack_identity):
        return self._stack(context, stack_identity, show_deleted=True).template.data

    def get_environment(self, context, stack_identity):
        stack = self._stack(context, stack_identity, show_deleted=True)
        shown = stack.template.environment.as_dict()
        masked = {name for name, schema in stack.template.parameter_schemata.items() if schema.hidden}
        for section in ('parameters', 'parameter_defaults'):
            shown[section] = {name: format.MASK if name in masked else value for name, value in shown[section].items()}
        return shown

    def get_files(self, context, stack_identity):
        return dict(self._stack(context, stack_identity, show_deleted=True).template.files)

    def list_outputs(self, context, stack_identity):
        stack = self._stack(context, stack_identity)
        return [{'output_key': each['output_key'], 'description': each['description']} for each in stack.outputs()]

    def show_output(self, context, stack_identity, output_key):
        for output in self._stack(context, stack_identity).outputs():
            if output['output_key'] == output_key:
                return output
        raise exception.NotFound(f'Specified output key {output_key} not found.')

    # ------------------------------------------------------------ make, change, take away

    def create_stack(
        self,
        context,
        stack_name,
        template,
        params,
        files,
        args,
        environment_files=None,
        files_container=None,
        owner_id=None,
        nested_depth=0,
        user_creds_id=None,
        stack_user_project_id=None,
        parent_resource_name=None,
        template_id=None,
    ):
        """Store the stack and begin to build it, or to adopt what is there. Gives its identity.

        With ``owner_id`` it is made inside that stack; ``template_id`` then names what is stored already, environment and files included.
        """
        validation.room(context, self._runtime)
        adopted = adoption.read(self._runtime, args)
        if adopted is not None:
            params, files = adoption.environment(adopted, params), adoption.files(adopted, files)
        if template_id is None:
            parsed = self._template(template, params, files, environment_files, files_container)
        else:
            parsed = self._runtime.templates.get(context, template_id)
        if owner_id is None:
            validation.new_stack(context, self._runtime, stack_name, parsed)
        stack = self._new_stack(context, stack_name, parsed, args)
        stack.owner_id, stack.nested_depth, stack.parent_resource_name = owner_id, nested_depth, parent_resource_name
        stack.user_creds_id, stack.stack_user_project_id = user_creds_id, stack_user_project_id
        self._check_new(stack, args)
        if adopted is not None:
            adoption.begin(stack, adopted['resources'])
        if stack.store(on_behalf_of=args.get(api.ON_BEHALF_OF)):
            (actions.create if adopted is None else actions.adopt)(stack)
        return stack.identifier().as_dict()

    @staticmethod
    def _check_new(stack, args):
        """What is made for an engine inside another stack has been looked at with that one, but for values."""
        if stack.owner_id is None:
            validation.stack(stack)
            return
        validation.owned(stack)
        if api.ON_BEHALF_OF not in args:
            validation.more_resources(stack, len(stack.definitions))
        validation.inside(stack)

    def preview_stack(self, context, stack_name, template, params, files, args, environment_files=None, files_container=None):
        """The stack as it would be, resources included; nothing is stored."""
        adopted = adoption.read(self._runtime, args)
        if adopted is not None:
            params, files = adoption.environment(adopted, params), adoption.files(adopted, files)
        parsed = self._template(template, params, files, environment_files, files_container)
        validation.new_stack(context, self._runtime, stack_name, parsed)
        stack = self._new_stack(context, stack_name, parsed, args)
        validation.stack(stack)
        return previews.of_create(stack)

    @at_work
    def update_stack(
        self, context, stack_identity, template, params, files, args, environment_files=None, files_container=None, template_id=None
    ):
        """Begin to make of the stack what the template says. Gives its identity.

        For a stack inside another ``template_id`` names what is stored already, environment and files included.
        """
        stack = self._stack(context, stack_identity)
        validation.updatable(stack)
        if template_id is not None:
            parsed = self._runtime.templates.get(context, template_id)
            validation.change_inside(stack, self._as_updated(stack, parsed, args))
            actions.update(stack, parsed, _update_values(stack, {'existing': True, **args}), template_id=template_id)
            return stack.identifier().as_dict()
        parsed = self._intended(stack, template, params, files, args, environment_files, files_container)
        if args.get(api.ON_REPLACE) == api.FAIL:
            previews.refuse_replacements(self._stack(context, stack_identity), parsed)
        actions.update(stack, parsed, _update_values(stack, args), converge=args.get(api.PARAM_CONVERGE, False))
        return stack.identifier().as_dict()

    def preview_update_stack(self, context, stack_identity, template, params, files, args, environment_files=None, files_container=None):
        """What ``update_stack`` with the same arguments would do to each resource. Nothing is stored."""
        stack = self._stack(context, stack_identity)
        parsed = self._intended(stack, template, params, files, args, environment_files, files_container)
        return previews.of_update(stack, parsed, _update_values(stack, args), args.get('show_nested', False))

    def _intended(self, stack, template, params, files, args, environment_files, files_container):
        """The template that an update means, checked. Raises what is wrong with it."""
        parsed = self._update_template(stack, template, params, files, args, environment_files, files_container)
        changed = self._as_updated(stack, parsed, args)
        validation.immutable_parameters(stack, changed)
        validation.stack(changed)
        return parsed

    def delete_stack(self, context, stack_identity, force=False):
        """Begin to take the stack away; with ``force`` what cannot be deleted is forgotten. A stack that is gone already is not found."""
        actions.delete(self._stack(context, stack_identity), force)

    def stack_retry(self, context, stack_identity):
        """Go on with a failed action where it stopped."""
        actions.retry(self._stack(context, stack_identity))

    def stack_protect(self, context, stack_identity, protected):
        """Protect the stack from being deleted, or no longer. It goes at once, whatever else is going on."""
        actions.protect(self._stack(context, stack_identity), protected)

    @at_work
    def stack_suspend(self, context, stack_identity):
        actions.suspend(self._stack(context, stack_identity))

    @at_work
    def stack_resume(self, context, stack_identity):
        actions.resume(self._stack(context, stack_identity))

    @at_work
    def stack_check(self, context, stack_identity):
        actions.check(self._stack(context, stack_identity))

    @at_work
    def stack_cancel_update(self, context, stack_identity, cancel_with_rollback=True):
        """Give the update under way up; with ``cancel_with_rollback`` go back to what was before it."""
        stack = self._stack(context, stack_identity)
        validation.cancellable(stack, cancel_with_rollback)
        actions.cancel(stack, cancel_with_rollback)

    # ------------------------------------------------------------ parts of these

    @staticmethod
    def _template(template, params, files, environment_files, files_container=None, onto=None):
        """``onto`` makes of the environment given the one to use; it is told the parameters that the template has."""
        if files_container:
            raise exception.NotSupported(feature='Reading files from a Swift container (files_container)')
        files = files or {}
        known = Template(template, files).parameter_schemata
        environment = merge.merge_environments(params or {}, files, environment_files, known)
        return Template(template, files, Environment(environment if onto is None else onto(environment, known)))

    def _new_stack(self, context, name, template, args):
        validation.stack_name(name)
        validation.tags(args.get('tags'))
        return engine_stack.Stack(
            self._runtime,
            context,
            template,
            tags=args.get('tags') or (),
            timeout_mins=args.get('timeout_mins') or None,
            name=name,
            tenant=context.tenant_id,
            username=context.username,
            disable_rollback=args.get('disable_rollback', True),
            protected=args.get(api.PROTECTED, False),
            action=status.CREATE,
            status=status.IN_PROGRESS,
            status_reason='Stack CREATE started',
            created_at=engine_stack.Stack.utcnow(),
        )

    def _update_template(self, stack, template, params, files, args, environment_files, files_container):
        """What the stack is to become; with ``existing`` (PATCH) on top of what it is."""
        if not args.get('existing'):
            return self._template(template, params, files, environment_files, files_container)
        present, clear = stack.template, args.get('clear_parameters') or ()
        data, files = present.data if template is None else template, {**present.files, **(files or {})}

        def onto_present(environment, known):
            return merge.patch(present.environment.data, environment, clear, known)

        return self._template(data, params, files, environment_files, files_container, onto_present)

    def _as_updated(self, stack, template, args):
        """The same stack with the new template, to look at: nothing of it is stored."""
        validation.tags(args.get('tags'))
        validation.resource_count(self._runtime, template)
        fields = {name: getattr(stack, name) for name in engine_stack.FIELDS}
        return engine_stack.Stack(self._runtime, stack.context, template, **fields)


def _update_values(stack, args):
    values = {column: args[key] for key, column in ARGUMENTS.items() if key in args}
    if not values.get('timeout'):
        values.pop('timeout', None)  # none, or a timeout of 0, leaves it as it is
    if args.get(api.ON_REPLACE) == api.FAIL:
        values['plan'] = {api.ON_REPLACE: api.FAIL}
    if args.get('tags') is not None or not args.get('existing'):
        values['tags'] = args.get('tags') or []
    return values


def _column_filters(filters):
    """The names that clients use for columns."""
    names = {'stack_name': 'name', 'stack_action': 'action', 'stack_status': 'status', 'stack_status_reason': 'status_reason'}
    names.update(stack_owner='username', parent='owner_id', timeout_mins='timeout')
    return {names.get(key, key): value for key, value in filters.items()}


def _is_uuid(text):
    try:
        return str(uuid.UUID(text)) == text.lower()
    except (ValueError, AttributeError, TypeError):
        return False

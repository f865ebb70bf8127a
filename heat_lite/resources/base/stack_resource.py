"""StackResource: base class of resources that own a nested stack: template resources, groups and
OS::Heat::Stack.

Work on the nested stack is requested by ``self.nested_stack`` (see
``engine/execution/nested_stacks.py``).
"""

import contextlib

from heat_lite.common import exception, status
from heat_lite.engine.resource.resource import Resource
from heat_lite.template.template import Template
from heat_lite.template.unknown import Unknown, ValueUnknown, require_known

RESOURCE = 'resource'


def _delegate(action):
    """Return the handler of an action that is executed on the nested stack as it is.

    It waits for the end of another action of the nested stack, such as an adjustment of a group.
    """

    def handle(self):
        begun = False
        while not begun:
            yield from self.settle()
            try:
                getattr(self.nested_stack, action.lower())()
                begun = True
            except exception.ActionInProgress:
                yield
        yield from self.nested_stack.ended(action)

    return handle


class NestedStackLifecycle(Resource):
    """Abandon, adopt and recovery of the nested stack."""

    def prepare_abandon(self):
        """Return the document of the nested stack."""
        return super().prepare_abandon() if self.nested() is None else self.nested_stack.document()

    def handle_abandon(self):
        """Abandon the nested stack and keep its resources."""
        if self.resource_id is not None and self.nested_stack.abandon():
            yield from self.nested_stack.ended(status.DELETE)

    def handle_adopt(self, resource_data):
        """Adopt the resources of an abandoned stack in a new nested stack."""
        if not resource_data.get('resources'):
            raise exception.Error(
                f'No resources are known of the nested stack of {self.name}: the adopted document '
                'does not contain it'
            )
        begun = self.nested_stack.find()
        if begun is None:
            self.nested_stack.create(
                self._complete_template(self.child_template(), None),
                adopted=resource_data['resources'],
            )
        else:  # an engine that has died since has begun the adoption
            self.resource_id_set(begun)
        yield from self.nested_stack.ended(status.ADOPT)

    def find_existing(self):
        return self.nested_stack.find()

    def settle(self):
        """Generator: wait until no action runs on the nested stack."""
        self.nested_stack.refresh()
        yield from self.nested_stack.at_rest()


class NestedTemplate(NestedStackLifecycle):
    """The template of the nested stack. Types override ``child_template`` and ``child_params``."""

    def child_template(self):
        """Return the nested template: data, or a Template with its own files and environment."""
        raise NotImplementedError(f'{type(self).__name__} must override child_template')

    def updated_template(self):
        """Return the nested template after an update of the present nested stack."""
        return self.child_template()

    def child_params(self):
        """Return the values of the parameters of the nested stack."""
        return {}

    def child_environment(self, params):
        return self.definition.template.environment.child(self.name, params)

    def _complete_template(self, template, params):
        """Return the nested template as a Template, with the files and the child environment of
        this stack.
        """
        if isinstance(template, Template):
            return template
        # the types of members say what their values mean: nothing of them is known before
        require_known(*(member.get('type') for member in _members_of(template)))
        if params is None:
            params = self._params_of(template)
        files = self.definition.template.files
        return Template(template, files, self.child_environment(params))

    def _params_of(self, template):
        try:
            return self.child_params()
        except ValueUnknown as unknown:  # the map of the parameters is one value
            names = Template(template).parameter_schemata
            return {name: Unknown(sources=unknown.value.sources) for name in names}


class StackResource(NestedTemplate):
    """A resource with a nested stack."""

    interruptible = True
    calls_cloud = False
    has_nested_stack = True
    #: whether the nested template is a file or a URL, which only the service reads
    fetches_template = False

    def __init__(self, name, definition, stack, record):
        super().__init__(name, definition, stack, record)
        self.nested_stack = stack.runtime.nested_stack(self)

    def path_label(self):
        """Return the part of an error's path that leads to the nested stack."""
        return f'{self.name}<nested_stack>'

    # ------------------------------------------------------------ validation

    def validate_nested(self, run):
        if run.nested:
            # a member that is made of unknown values is validated when they are known
            with contextlib.suppress(ValueUnknown):
                self.validate_content(run)

    def template_to_validate(self):
        """Return the template to validate, and the number of nested stacks that it counts for."""
        return self.child_template(), 1

    def validate_content(self, run):
        """Validate the nested stack. Raises StackValidationFailed with the path of the error."""
        path = (self.definition.path[0], self.path_label())
        try:
            template, times = self.template_to_validate()
            self.nested_stack.validate(self._complete_template(template, None), run, times)
        except exception.StackValidationFailed as error:
            raise error.prefixed(*path) from error.__cause__
        except exception.HeatException as error:
            nested = exception.StackValidationFailed.from_error(error, path, type(error).__name__)
            raise nested.at(*path, *error.place) from error

    def preview_nested(self, update=False):
        template = self.updated_template() if update else self.child_template()
        return self.nested_stack.draft(self._complete_template(template, None))

    # ------------------------------------------------------------ actions on the nested stack

    def create_with_template(self, template, params=None, timeout_mins=None):
        """Generator: create the nested stack and wait for it.

        A nested stack of an interrupted create is updated. Raises ResourceFailure.
        """
        if self.nested() is not None:
            yield from self._resume_create(template, params, timeout_mins)
            return
        self.nested_stack.create(self._complete_template(template, params), timeout_mins)
        yield from self.nested_stack.ended(status.CREATE)

    def _resume_create(self, template, params, timeout_mins):
        yield from self.settle()
        if self.nested() is not None and self.nested().action == status.CREATE:
            yield from self.nested_stack.ended(status.CREATE)
        yield from self.update_with_template(template, params, timeout_mins)

    def update_with_template(self, template, params=None, timeout_mins=None):
        """Generator: update the nested stack and wait for it; create it if there is none."""
        if self.nested() is None:
            yield from self.create_with_template(template, params, timeout_mins)
            return
        self.nested_stack.update(self._complete_template(template, params), timeout_mins)
        yield from self.nested_stack.ended(status.UPDATE)

    def delete_nested(self):
        """Generator: delete the nested stack and wait for it."""
        while self.resource_id is not None:
            try:
                if self.nested_stack.delete():
                    yield from self.nested_stack.ended(status.DELETE)
                return
            except exception.ActionInProgress:
                self.nested_stack.refresh()
                yield 1  # another engine works on it, which begins the delete then

    def handle_create(self):
        yield from self.create_with_template(self.child_template())

    def handle_update(self, definition, tmpl_diff, prop_diff):
        yield from self.update_with_template(self.child_template())

    def handle_delete(self):
        yield from self.delete_nested()

    handle_suspend = _delegate(status.SUSPEND)
    handle_resume = _delegate(status.RESUME)
    handle_check = _delegate(status.CHECK)

    # ------------------------------------------------------------ updates

    def needs_update(self, definition):
        """Return True: the nested stack itself finds out what has changed in it."""
        return True

    def needs_replace_failed(self):
        return self.nested() is None

    # ------------------------------------------------------------ references and attributes

    def nested(self):
        """Return the nested stack; None if there is none."""
        return self.nested_stack.existing_stack()

    def slow_reads(self, names):
        nested = self.nested()
        if nested is not None and nested.outputs.current() is None:
            yield [nested.outputs.key()], nested.outputs.read_all

    def nested_identifier(self):
        return self.nested_stack.identifier()

    def get_reference_id(self):
        """Return the ARN of the nested stack."""
        nested = self.nested_identifier()
        return self.name if nested is None else nested.arn()

    def has_attribute(self, name):
        """Return True: the outputs of the nested stack may change at any time."""
        return True

    def attribute(self, *path):
        """Return an output of the nested stack; ``resource.<name>`` reads one of its resources."""
        if not path:
            return {name: self.attribute(name) for name in self.attributes_schema}
        if self.action == status.INIT:
            return None
        name, *rest = path
        if isinstance(name, str) and (name == RESOURCE or name.startswith(f'{RESOURCE}.')):
            return self.nested_stack.read_member(*name.split('.', 2)[1:], *rest)
        return self.nested_attribute(name, rest)

    def nested_attribute(self, name, path):
        return super().attribute(name, *path)


def _members_of(template):
    """Return the maps among the resources of the data of a template of HOT."""
    resources = template.get('resources')
    members = resources.values() if isinstance(resources, dict) else ()
    return [member for member in members if isinstance(member, dict)]

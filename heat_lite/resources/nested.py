"""StackResource: a resource whose inside is a stack. Templates as types, groups and OS::Heat::Stack of this place build on it.

What happens to the stack inside is asked of ``self.inside`` (see ``engine/children.py``); here is what it means for the resource.
"""

from heat_lite.common import exception, status
from heat_lite.engine.resource import Resource
from heat_lite.template.template import Template

RESOURCE = 'resource'


def _passed_on(action):
    """The handler of an action that the inside does just so."""

    def handle(self):
        getattr(self.inside, action.lower())()
        yield from self.inside.ended(action)

    return handle


class Movable(Resource):
    """What becomes of the inside when the stack around it is abandoned, or adopted."""

    def prepare_abandon(self):
        """The document of the stack inside stands for the resource, too."""
        return super().prepare_abandon() if self.nested() is None else self.inside.document()

    def handle_abandon(self):
        """What is inside stays, and the stack inside is forgotten."""
        if self.resource_id is not None and self.inside.abandon():
            yield from self.inside.ended(status.DELETE)

    def handle_adopt(self, resource_data):
        """A new stack adopts what was inside the old one."""
        if not resource_data.get('resources'):
            raise exception.Error(f'Nothing is known of the resources inside {self.name}: the document of its stack was not provided.')
        begun = self.inside.find()
        if begun is None:
            self.inside.create(self._whole(self.child_template(), None), adopted=resource_data['resources'])
        else:  # by an engine that is gone
            self.resource_id_set(begun)
        yield from self.inside.ended(status.ADOPT)


class Resumable(Movable):
    """What becomes of the inside when an engine dies: another one goes on with it as with any stack, and is waited for."""

    def find_existing(self):
        return self.inside.find()

    def settle(self):
        """Wait until nobody works on the inside any more."""
        self.inside.look_again()
        yield from self.inside.at_rest()


class StackResource(Resumable):
    """Overridden: ``child_template`` and ``child_params``, which say what the inside is to be."""

    gives_way = True
    calls_cloud = False
    has_stack_inside = True

    def __init__(self, name, definition, stack, record):
        super().__init__(name, definition, stack, record)
        self.inside = stack.child(self)

    # ------------------------------------------------------------ what the inside is to be

    def child_template(self):
        """The template of the inside: data, or a Template with files and environment of its own."""
        raise NotImplementedError(f'{type(self).__name__} does not say what its inside is to be')

    def child_params(self):
        """Values of the parameters of the inside."""
        return {}

    def child_environment(self, params):
        return self.definition.template.environment.child(self.name, params)

    def _whole(self, template, params):
        """The Template of the inside, with the files and the environment that this stack has."""
        if isinstance(template, Template):
            return template
        return Template(template, self.definition.template.files, self.child_environment(self.child_params() if params is None else params))

    def label(self):
        """How a path into the inside names it."""
        return f'{self.name}<nested_stack>'

    # ------------------------------------------------------------ checks

    def validate(self):
        super().validate()
        if self.stack.tree.validates_inside:
            self.validate_nested()

    def validated(self):
        """The template of the inside as far as it must be looked at, and as how many of such it counts."""
        return self.child_template(), 1

    def validate_nested(self):
        """Check what the inside would be. Raises StackValidationFailed with the path of the fault."""
        path = ('resources', self.label())
        try:
            template, times = self.validated()
            self.inside.validate(self._whole(template, None), times)
        except exception.StackValidationFailed as error:
            raise error.prefixed(*path) from error.__cause__
        except exception.HeatException as error:
            raise exception.StackValidationFailed(str(error), error=type(error).__name__, path=path) from error

    def preview_inside(self):
        drafted = self.inside.draft(self._whole(self.child_template(), None))
        drafted.tree.strict = False  # values from around it may stand for what is not there yet
        return drafted

    # ------------------------------------------------------------ work on the inside

    def create_with_template(self, template, params=None, timeout_mins=None):
        """A generator: makes the inside and waits for its end; what an interrupted create has made is brought to what it shall be. Raises
        ResourceFailure."""
        if self.nested() is not None:
            yield from self._go_on_with(template, params, timeout_mins)
            return
        self.inside.create(self._whole(template, params), timeout_mins)
        yield from self.inside.ended(status.CREATE)

    def _go_on_with(self, template, params, timeout_mins):
        yield from self.settle()
        if self.nested() is not None and self.nested().action == status.CREATE:
            yield from self.inside.ended(status.CREATE)
        yield from self.update_with_template(template, params, timeout_mins)

    def update_with_template(self, template, params=None, timeout_mins=None):
        """A generator: changes the inside and waits for its end. Where there is none, it is made."""
        if self.nested() is None:
            yield from self.create_with_template(template, params, timeout_mins)
            return
        self.inside.update(self._whole(template, params), timeout_mins)
        yield from self.inside.ended(status.UPDATE)

    def delete_nested(self):
        """A generator: takes the inside away."""
        if self.resource_id is not None and self.inside.delete():
            yield from self.inside.ended(status.DELETE)

    def handle_create(self):
        yield from self.create_with_template(self.child_template())

    def handle_update(self, definition, tmpl_diff, prop_diff):
        yield from self.update_with_template(self.child_template())

    def handle_delete(self):
        yield from self.delete_nested()

    handle_suspend = _passed_on(status.SUSPEND)
    handle_resume = _passed_on(status.RESUME)
    handle_check = _passed_on(status.CHECK)

    # ------------------------------------------------------------ updates

    def needs_update(self, definition):
        """What has changed inside is for the inside to find out."""
        return True

    def needs_replace_failed(self):
        return self.nested() is None

    # ------------------------------------------------------------ what others read

    def nested(self):
        """The stack inside; None where there is none, or no longer."""
        return self.inside.living()

    def nested_identifier(self):
        return self.inside.identifier()

    def get_reference_id(self):
        """The ARN of the stack inside."""
        nested = self.nested_identifier()
        return self.name if nested is None else nested.arn()

    def has_attribute(self, name):
        """What the inside has may change at any time, so every name passes."""
        return True

    def attribute(self, *path):
        """An output of the inside, or with ``resource.<name>`` something of one of its resources."""
        if not path:
            return {name: self.attribute(name) for name in self.attributes_schema}
        if self.action == status.INIT:
            return None
        name, *rest = path
        if isinstance(name, str) and (name == RESOURCE or name.startswith(f'{RESOURCE}.')):
            return self.inside.of_member(*name.split('.', 2)[1:], *rest)
        return self._own_attribute(name, rest)

    def _own_attribute(self, name, path):
        return super().attribute(name, *path)

"""AWS::CloudFormation::Stack."""

from heat_lite.common import exception
from heat_lite.resources.base.stack_resource import StackResource
from heat_lite.resources.base.template_resource import FetchFailed, fetch_template
from heat_lite.template.schema import integer, map_, string

OUTPUTS = 'Outputs.'


class NestedStack(StackResource):
    """A nested stack from a template at a URL. The attribute ``Outputs.<name>`` is an output."""

    resource_type = 'AWS::CloudFormation::Stack'
    fetches_template = True

    properties_schema = {
        'TemplateURL': string(
            'URL of the template: http, https, or a file of the request.',
            required=True,
            update_allowed=True,
        ),
        'TimeoutInMinutes': integer(
            'Timeout of the create and of updates in minutes.', update_allowed=True
        ),
        'Parameters': map_('Values of the parameters of the nested stack.', update_allowed=True),
    }

    def child_template(self):
        url = self.properties['TemplateURL']
        try:
            return fetch_template(self.stack.template.files, url)
        except FetchFailed as error:
            # As recorded: the error has the path of the resource, and quotes of its own.
            raise exception.StackValidationFailed(
                f"Could not fetch remote template '{url}': {error.reason}", error='ValueError'
            ) from error

    def child_params(self):
        return dict(self.properties['Parameters'] or {})

    def handle_create(self):
        yield from self.create_with_template(
            self.child_template(), timeout_mins=self.properties['TimeoutInMinutes']
        )

    def handle_update(self, definition, tmpl_diff, prop_diff):
        yield from self.update_with_template(
            self.child_template(), timeout_mins=self.properties['TimeoutInMinutes']
        )

    def nested_attribute(self, name, path):
        if name.startswith(OUTPUTS):
            return self.nested_stack.output(name.removeprefix(OUTPUTS), path)
        return super().nested_attribute(name, path)

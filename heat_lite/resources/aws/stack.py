"""AWS::CloudFormation::Stack."""

from heat_lite.resources.nested import StackResource
from heat_lite.resources.template_resource import fetched
from heat_lite.template.schema import integer, map_, string

OUTPUTS = 'Outputs.'


class CloudFormationStack(StackResource):
    """A stack inside this one, from a template at a URL. Its outputs are read as attributes: ``Outputs.<name>``."""

    resource_type = 'AWS::CloudFormation::Stack'

    properties_schema = {
        'TemplateURL': string('Where the template is: http or https, or a file of the request.', required=True, update_allowed=True),
        'TimeoutInMinutes': integer('How long making or changing it may take.', update_allowed=True),
        'Parameters': map_('Values of its parameters.', update_allowed=True),
    }

    def child_template(self):
        return fetched(self.stack.template.files, self.properties['TemplateURL'])

    def child_params(self):
        return dict(self.properties['Parameters'] or {})

    def handle_create(self):
        yield from self.create_with_template(self.child_template(), timeout_mins=self.properties['TimeoutInMinutes'])

    def handle_update(self, definition, tmpl_diff, prop_diff):
        yield from self.update_with_template(self.child_template(), timeout_mins=self.properties['TimeoutInMinutes'])

    def _own_attribute(self, name, path):
        if name.startswith(OUTPUTS):
            return self.inside.output(name.removeprefix(OUTPUTS), path)
        return super()._own_attribute(name, path)

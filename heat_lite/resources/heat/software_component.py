"""OS::Heat::SoftwareComponent."""

from heat_lite.common import exception
from heat_lite.resources.software import Config, inputs_outputs_options
from heat_lite.template import support
from heat_lite.template.constraints import Length
from heat_lite.template.schema import list_, map_, string

CONFIGS, ACTIONS = 'configs', 'actions'


class SoftwareComponent(Config):
    """Configurations of one piece of software, each for other actions of the stack."""

    resource_type = 'OS::Heat::SoftwareComponent'
    support_status = support.since('2014.2')

    properties_schema = {
        'configs': list_(
            'The configurations.',
            map_(
                None,
                {
                    'actions': list_(
                        'The actions of the stack in which it is applied.',
                        string('An action: CREATE, UPDATE, DELETE, SUSPEND or RESUME.'),
                        default=['CREATE', 'UPDATE'],
                        constraints=[Length(min=1)],
                    ),
                    'config': string('The text that the tool applies.'),
                    'tool': string('The tool on the server that the configuration is meant for.', required=True),
                },
            ),
            required=True,
            constraints=[Length(min=1)],
        ),
        **inputs_outputs_options(),
    }

    def group(self):
        return 'component'

    def content(self):
        return {CONFIGS: self.properties[CONFIGS]}

    def validate(self):
        super().validate()
        actions = [action for each in self.properties[CONFIGS] or () for action in each[ACTIONS] or ()]
        if len(actions) != len(set(actions)):
            raise exception.StackValidationFailed(
                f'Defining more than one configuration for the same action in {type(self).__name__} "{self.name}" is not allowed.'
            )

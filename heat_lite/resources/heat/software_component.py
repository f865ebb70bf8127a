"""OS::Heat::SoftwareComponent."""

from heat_lite.resources.base import common_properties
from heat_lite.resources.base.property_rules import refuse
from heat_lite.resources.base.software_config import INPUTS_OUTPUTS_OPTIONS, Config
from heat_lite.template.schema import list_, string

CONFIGS, ACTIONS = 'configs', 'actions'


def _repeats_an_action(configs, read):
    actions = [action for each in configs or () for action in set(each[ACTIONS] or ())]
    return len(actions) != len(set(actions))


class SoftwareComponent(Config):
    """Configurations of one software component, each for other stack actions."""

    resource_type = 'OS::Heat::SoftwareComponent'
    since = '2014.2'

    properties_schema = {
        'configs': list_(
            'Configurations of the component.',
            {
                'actions': list_(
                    'Stack actions on which the configuration is applied.',
                    string('Stack action: CREATE, UPDATE, DELETE, SUSPEND or RESUME.'),
                    default=['CREATE', 'UPDATE'],
                    min=1,
                ),
                'config': string(common_properties.SOFTWARE_CONFIG_TEXT),
                'tool': string(
                    'Tool on the server that applies this configuration of the component.',
                    required=True,
                ),
            },
            required=True,
            min=1,
        ),
        **INPUTS_OUTPUTS_OPTIONS,
    }
    property_rules = (
        refuse(
            'Defining more than one configuration for the same action in SoftwareComponent '
            '"{resource.name}" is not allowed.',
            configs=_repeats_an_action,
        ),
    )

    def group(self):
        return 'component'

    def content(self):
        return {CONFIGS: self.properties[CONFIGS]}

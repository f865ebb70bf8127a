"""The types of software configurations: texts, maps, components and cloud-init."""

from heat_lite.resources.base import common_properties, long_texts
from heat_lite.resources.base.property_rules import refuse
from heat_lite.resources.base.software_config import (
    INPUTS_OUTPUTS_OPTIONS,
    UNGROUPED,
    Config,
    group,
)
from heat_lite.template.schema import list_, map_, string


class SoftwareConfig(Config):
    """A configuration that is a text, such as a script or a manifest."""

    resource_type = 'OS::Heat::SoftwareConfig'
    since = '2014.1'

    properties_schema = {
        'group': group(),
        'config': string(common_properties.SOFTWARE_CONFIG_TEXT),
        **INPUTS_OUTPUTS_OPTIONS,
    }


class StructuredConfig(Config):
    """A configuration that is a map.

    A deployment replaces each ``{get_input: name}`` by the value of the input.
    """

    resource_type = 'OS::Heat::StructuredConfig'
    since = '2014.1'

    properties_schema = {
        'group': group(),
        'config': map_('Map that the tool on the server applies.'),
        **INPUTS_OUTPUTS_OPTIONS,
    }


#: the header by which cloud-init recognizes the format
HEAD = '#cloud-config\n'


class CloudConfig(Config):
    """A configuration for cloud-init, written as a map."""

    resource_type = 'OS::Heat::CloudConfig'
    since = '2014.1'

    properties_schema = {'cloud_config': map_('Map that cloud-init applies.')}

    def group(self):
        return UNGROUPED

    def content(self):
        given = self.properties['cloud_config']
        # YAML ends a document that is no map with an end marker
        return HEAD + long_texts.yaml_of(given).removesuffix('...\n')


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

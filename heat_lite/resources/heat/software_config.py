"""OS::Heat::SoftwareConfig, OS::Heat::StructuredConfig and OS::Heat::CloudConfig."""

from heat_lite.resources.base import common_properties, long_texts
from heat_lite.resources.base.software_config import (
    INPUTS_OUTPUTS_OPTIONS,
    UNGROUPED,
    Config,
    group,
)
from heat_lite.template.schema import map_, string


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

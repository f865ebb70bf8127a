"""OS::Heat::SoftwareConfig, OS::Heat::StructuredConfig."""

from heat_lite.resources.software import Config, group, inputs_outputs_options
from heat_lite.template import support
from heat_lite.template.schema import map_, string


class SoftwareConfig(Config):
    """A text that a tool on a server applies: a script, a manifest."""

    resource_type = 'OS::Heat::SoftwareConfig'
    support_status = support.since('2014.1')

    properties_schema = {
        'group': group(),
        'config': string('The text that the tool applies.'),
        **inputs_outputs_options(),
    }


class StructuredConfig(Config):
    """A map that a tool on a server applies; each ``{get_input: name}`` in it becomes the value of an input when it is deployed."""

    resource_type = 'OS::Heat::StructuredConfig'
    support_status = support.since('2014.1')

    properties_schema = {
        'group': group(),
        'config': map_('The map that the tool applies.'),
        **inputs_outputs_options(),
    }

"""OS::Heat::CloudConfig."""

import yaml

from heat_lite.resources.software import UNGROUPED, Config
from heat_lite.template import support
from heat_lite.template.schema import map_

#: how cloud-init knows what it is given
HEAD = '#cloud-config\n'


class CloudConfig(Config):
    """A configuration for cloud-init, written as a map."""

    resource_type = 'OS::Heat::CloudConfig'
    support_status = support.since('2014.1')

    properties_schema = {'cloud_config': map_('What cloud-init is to do.')}

    def group(self):
        return UNGROUPED

    def content(self):
        given = self.properties['cloud_config']
        # an end of the document would follow a value that is no map
        return HEAD + yaml.safe_dump(given, default_flow_style=False).removesuffix('...\n')

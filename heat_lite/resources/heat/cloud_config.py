"""OS::Heat::CloudConfig."""

from heat_lite.resources.base import long_texts
from heat_lite.resources.base.software_config import UNGROUPED, Config
from heat_lite.template.schema import map_

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

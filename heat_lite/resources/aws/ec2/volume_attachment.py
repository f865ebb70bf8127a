"""AWS::EC2::VolumeAttachment."""

from heat_lite.resources.cloud import ServiceResource
from heat_lite.resources.openstack.cinder.attachments import attach, detach
from heat_lite.template.constraints import AllowedPattern
from heat_lite.template.schema import string


class VolumeAttachment(ServiceResource):
    """What plugs a volume into a server."""

    resource_type = 'AWS::EC2::VolumeAttachment'
    default_client_name = 'cinder'

    properties_schema = {
        'InstanceId': string('The server.', required=True, immutable=True, ref='nova.server'),
        'VolumeId': string('The volume.', required=True, immutable=True, ref='cinder.volume'),
        'Device': string(
            'The name of the device in the server; many hypervisors choose it themselves.',
            required=True,
            immutable=True,
            constraints=[AllowedPattern('/dev/vd[b-z]')],
        ),
    }

    def handle_create(self):
        made = yield from attach(self, *(self.properties[name] for name in ('InstanceId', 'VolumeId', 'Device')))
        self.resource_id_set(made)

    def handle_delete(self):
        if self.resource_id is not None:
            yield from detach(self, self.held('InstanceId'), self.held('VolumeId'))

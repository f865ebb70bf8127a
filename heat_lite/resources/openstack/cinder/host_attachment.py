"""OS::Cinder::HostAttachment."""

from heat_lite.common import status
from heat_lite.resources.base.cloud import CloudResource, Rest
from heat_lite.resources.base.property_rules import needs_api
from heat_lite.template.schema import (
    CACHE_NONE,
    OURS,
    boolean,
    list_,
    map_,
    map_attribute,
    string,
)


class HostAttachment(CloudResource):
    """The attachment of a volume to a host that is no server of Nova."""

    resource_type = 'OS::Cinder::HostAttachment'
    since = OURS
    rest = Rest('cinder', '/attachments', 'attachment')
    observed_keys = {'volume': 'volume_id'}
    has_secret_value = True

    properties_schema = {
        'connector': map_(
            'What the host has to reach the volume.',
            {
                'host': string('Name of the host.', required=True),
                'initiator': string('Name of its iSCSI initiator.'),
                'ip': string('IP address of the host.'),
                'multipath': boolean('Whether it uses several paths.'),
                'os_type': string('Operating system.'),
                'platform': string('Architecture of its processor.'),
                'wwnns': list_('World wide names of its nodes.', string()),
                'wwpns': list_('World wide names of its ports.', string()),
            },
            required=True,
        ),
        'volume': string(
            'Volume, by name or id.', required=True, ref='cinder.volume', wire='volume_uuid'
        ),
        'mode': string('Whether the host may write.', default='rw', allowed=['rw', 'ro']),
    }
    property_rules = (needs_api('3.54'),)
    attributes_schema = {
        'attach_mode': 'Whether the host may write.',
        'connection_info': map_attribute(
            'How the host reaches the volume, with the secrets for that.',
            cache_mode=CACHE_NONE,
        ),
        'status': 'Status of the attachment.',
    }

    def find_existing(self):
        """Return the attachment of the volume to the host."""
        volume = self.client().show(f'/volumes/{self.stored_property("volume")}', 'volume')
        host = self.stored_property('connector')['host']
        own = (each for each in volume['attachments'] if each.get('host_name') == host)
        return next((each['attachment_id'] for each in own if not each.get('server_id')), None)

    def follow_up(self, action, diff):
        """Generator: tell Cinder that the host may use the volume."""
        if action == status.CREATE:
            yield from self.send('POST', f'{self.object_path()}/action', {'os-complete': {}})

    def objects(self):
        """Return None: Cinder does not show connectors."""
        return None

"""AWS::EC2::Instance."""

from heat_lite.resources.aws.autoscaling import DISK_RULE
from heat_lite.resources.aws.ec2 import instance_schema as schema
from heat_lite.resources.aws.ec2.base import Ec2Object
from heat_lite.resources.aws.ec2.network_interfaces import RELEASED, InstanceInterfaces, port_ids
from heat_lite.resources.base.cloud import Rest
from heat_lite.resources.base.property_rules import conflict, filled, for_each, refuse
from heat_lite.resources.base.stack_user import cfn_url
from heat_lite.resources.openstack.cinder.volume_attachment import attach, detach
from heat_lite.resources.openstack.nova.server import block_devices, user_data
from heat_lite.resources.openstack.nova.server.attributes import first_address
from heat_lite.resources.openstack.nova.server.power import ACTIVE, ERROR, NovaServer
from heat_lite.resources.openstack.nova.server.request import encode, stack_hints, with_hints
from heat_lite.resources.openstack.nova.server.updates import ServerUpdates

ZONE = 'AvailabilityZone'
#: properties -> their keys in the request
PLAIN = {'KeyName': 'key_name', ZONE: 'availability_zone'}


def _has_no_size(disk, read):
    size = disk['VolumeSize']
    return size and not size.isdigit()


class Instance(Ec2Object, NovaServer):
    """A compute server with the properties of EC2.

    It delegates to the parts that it shares with OS::Nova::Server.
    """

    resource_type = 'AWS::EC2::Instance'
    released_key = RELEASED
    rest = Rest(
        'nova',
        '/servers',
        'server',
        ready=(ACTIVE,),
        failed=(ERROR,),
        deletes_async=True,
        list_path='/servers/detail',
    )
    entity = None
    refreshes_metadata = True

    properties_schema = schema.PROPERTIES
    property_rules = (
        conflict(
            'SecurityGroups/SecurityGroupIds',
            'NetworkInterfaces',
            NetworkInterfaces=filled,
            SecurityGroups=lambda value, read: value or read('SecurityGroupIds'),
        ),
        DISK_RULE,
        for_each(
            'BlockDeviceMappings',
            refuse('VolumeSize must be a number of GB', Ebs=_has_no_size),
        ),
    )
    attributes_schema = schema.ATTRIBUTES

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.interfaces = InstanceInterfaces(self)
        self.updates = ServerUpdates(self)

    def validate(self):
        super().validate()
        port_ids(self.properties['NetworkInterfaces'])

    # ------------------------------------------------------------ create

    def handle_create(self):
        if self.resource_id is None:
            nics = yield from self.interfaces.create_nics()
            created = yield from self.send('POST', '/servers', self._body(nics))
            self.resource_id_set(created['server']['id'])
        elif self.interfaces.interrupted:
            self.interfaces.record_created_port()
        yield from self.wait_until_ready(None)
        yield from self._attach_volumes()

    def find_existing(self):
        """Return the id of the server of an interrupted create, or None."""
        self.interfaces.interrupted = True
        return super().find_existing()

    def _body(self, nics):
        values = self.properties
        disks = [_disk(each) for each in values['BlockDeviceMappings'] or ()]
        body = {
            'name': self.physical_resource_name(),
            'imageRef': values['ImageId'],
            'flavorRef': values['InstanceType'],
            'networks': nics,
            'user_data': encode(self._user_data()),
            **{key: values[name] for name, key in PLAIN.items() if values[name]},
            **block_devices.body(values['ImageId'], None, disks),
        }
        if values['Tags']:
            body['metadata'] = self._tags()
        groups = [] if isinstance(nics, list) else self.interfaces.security_groups()
        if groups:
            body['security_groups'] = [{'name': group} for group in groups]
        return with_hints(body, {**_hints(values['NovaSchedulerHints'] or ()), **stack_hints(self)})

    def _user_data(self):
        defaults = self.stack.runtime.server_defaults
        return user_data.for_cfntools(
            self.properties['UserData'] or '',
            self.metadata_get(),
            cfn_url(self.stack),
            defaults.cfn_https,
        )

    def _tags(self):
        return {tag['Key']: tag['Value'] for tag in self.properties['Tags'] or ()}

    def _attach_volumes(self):
        """Generator: attach the volumes that are not attached yet.

        One at a time: Nova names the devices in the order of the requests.
        """
        volumes = self.properties['Volumes']
        if not volumes:
            return
        path = f'{self.object_path()}/os-volume_attachments'
        attached = {each['volumeId'] for each in self.client().list(path, 'volumeAttachments')}
        for volume in volumes:
            if volume['VolumeId'] not in attached:
                yield from attach(self, self.resource_id, volume['VolumeId'], volume['Device'])

    # ------------------------------------------------------------ later actions

    def handle_update(self, definition, tmpl_diff, prop_diff):
        if 'Tags' in prop_diff:
            yield from self.updates.put('metadata', self._tags())
        if 'InstanceType' in prop_diff:
            yield from self.updates.resize(prop_diff['InstanceType'])
        yield from self.interfaces.update(prop_diff)

    def prepare_for_replace(self, definition):
        yield from self.interfaces.release_ports(definition)

    def handle_delete(self):
        if self.resource_id is not None:
            for volume in self.stored_property('Volumes') or ():
                yield from detach(self, self.resource_id, volume['VolumeId'])
            yield from super().handle_delete()
        yield from self.interfaces.delete_port()

    def drift(self, found):
        """Return None: Nova shows a server in other terms than the properties of EC2."""
        return None

    def get_live_state(self, resource_properties):
        self.fetch()
        return {}

    # ------------------------------------------------------------ attributes

    def resolve_attribute(self, name):
        if self.resource_id is None:
            return None
        shown = self.fetch()
        if name == ZONE:
            return shown.get('OS-EXT-AZ:availability_zone') or self.properties[ZONE]
        return first_address(shown) or '0.0.0.0'


def _disk(mapping):
    """Return an entry of BlockDeviceMappings as OS::Nova::Server takes it; never a boot disk."""
    ebs = mapping['Ebs']
    return {
        'device_name': mapping['DeviceName'],
        'snapshot_id': ebs['SnapshotId'],
        'boot_index': -1,
        'volume_size': ebs['VolumeSize'] and int(ebs['VolumeSize']),
        'delete_on_termination': ebs['DeleteOnTermination'],
    }


def _hints(pairs):
    """Return the scheduler hints as a map; a repeated key gets the list of its values."""
    hints = {}
    for pair in pairs:
        hints.setdefault(pair['Key'], []).append(pair['Value'])
    return {key: values[0] if len(values) == 1 else values for key, values in hints.items()}

"""AWS::EC2::Instance."""

from heat_lite.common import exception
from heat_lite.resources.aws.ec2 import instance_schema as schema
from heat_lite.resources.aws.ec2.base import Ec2Object
from heat_lite.resources.aws.ec2.cards import Carded
from heat_lite.resources.cloud import Rest
from heat_lite.resources.openstack.cinder.attachments import attach, detach
from heat_lite.resources.openstack.nova import block_devices, user_data
from heat_lite.resources.openstack.nova.server_changes import ACTIVE, ERROR, Changed, encoded
from heat_lite.resources.openstack.nova.server_life import Alive
from heat_lite.resources.openstack.nova.server_told import first_address

ZONE = 'AvailabilityZone'


class Instance(Carded, Alive, Changed, Ec2Object):
    """A server, in the words of EC2."""

    resource_type = 'AWS::EC2::Instance'
    rest = Rest('nova', '/servers', 'server', ready=(ACTIVE,), failed=(ERROR,), vanishes=True, joined='/servers/detail')
    entity = None
    physical_resource_name_limit = 53
    metadata_follows = True

    properties_schema = schema.PROPERTIES
    attributes_schema = schema.ATTRIBUTES

    def validate(self):
        super().validate()
        given = self.properties
        if given['NetworkInterfaces'] and (given['SecurityGroups'] or given['SecurityGroupIds']):
            groups = '/'.join(('SecurityGroups', 'SecurityGroupIds'))
            raise exception.ResourcePropertyConflict(groups, 'NetworkInterfaces')
        for each in given['BlockDeviceMappings'] or ():
            if not each['Ebs']:
                raise exception.StackValidationFailed('Ebs is missing, this is required')
            if not each['Ebs']['SnapshotId']:
                raise exception.StackValidationFailed('SnapshotId is missing, this is required when specifying BlockDeviceMappings.')

    # ------------------------------------------------------------ create

    def handle_create(self):
        if self.resource_id is None:
            cards = yield from self.first_cards()
            made = yield from self.ask(self.client().ask, 'POST', '/servers', self._body(cards))
            self.resource_id_set(made['server']['id'])
        yield from self.until_ready(None)
        yield from self._plug_volumes()

    def _body(self, cards):
        given = self.properties
        server = {
            'name': self.physical_resource_name(),
            'imageRef': given['ImageId'],
            'flavorRef': given['InstanceType'],
            'networks': cards,
            'user_data': encoded(self._user_data()),
            **{key: given[name] for name, key in (('KeyName', 'key_name'), (ZONE, 'availability_zone')) if given[name]},
            **block_devices.body(given['ImageId'], None, [_disk(each) for each in given['BlockDeviceMappings'] or ()]),
        }
        if given['Tags']:
            server['metadata'] = self._labels()
        if not isinstance(cards, list) and self.groups():
            server['security_groups'] = [{'name': each} for each in self.groups()]
        hints = {**_hints(given['NovaSchedulerHints'] or ()), **self.own_hints()}
        return {'server': server, **({'os:scheduler_hints': hints} if hints else {})}

    def _user_data(self):
        guests = self.stack.runtime.guests
        return user_data.for_cfntools(self.properties['UserData'] or '', self.metadata_get(), guests.metadata_server, guests.boto)

    def _labels(self):
        return {each['Key']: each['Value'] for each in self.properties['Tags'] or ()}

    def _plug_volumes(self):
        """Those that are not plugged in yet, one after the other: the names of devices are given in that order."""
        wanted = self.properties['Volumes'] or ()
        path = f'{self.object_path()}/os-volume_attachments'
        there = {each['volumeId'] for each in self.client().list(path, 'volumeAttachments')} if wanted else ()
        for each in wanted:
            if each['VolumeId'] not in there:
                yield from attach(self, self.resource_id, each['VolumeId'], each['Device'])

    # ------------------------------------------------------------ the rest of its life

    def handle_update(self, definition, tmpl_diff, prop_diff):
        if 'Tags' in prop_diff:
            yield from self._put('metadata', self._labels())
        if 'InstanceType' in prop_diff:
            yield from self._resize(prop_diff['InstanceType'])
        yield from self.change_cards(prop_diff)

    def handle_delete(self):
        if self.resource_id is not None:
            for each in self.held('Volumes') or ():
                yield from detach(self, self.resource_id, each['VolumeId'])
            yield from super().handle_delete()
        yield from self.remove_port()

    def needs_delete(self):
        return self.resource_id is not None or self.has_port()

    def drift(self, found):
        """What it is told is in other words than what it tells."""
        return None

    def get_live_state(self, resource_properties):
        self.look()
        return {}

    # ------------------------------------------------------------ what others read

    def resolve_attribute(self, name):
        if self.resource_id is None:
            return None
        found = self.look()
        if name == ZONE:
            return found.get('OS-EXT-AZ:availability_zone') or self.properties[ZONE]
        return first_address(found) or '0.0.0.0'


def _disk(given):
    """A disk as types of OS::Nova say it; it is never started from."""
    ebs = given['Ebs']
    said = {'device_name': given['DeviceName'], 'snapshot_id': ebs['SnapshotId'], 'boot_index': -1}
    return {**said, 'volume_size': ebs['VolumeSize'] and int(ebs['VolumeSize']), 'delete_on_termination': ebs['DeleteOnTermination']}


def _hints(given):
    """A hint that is given several times is a list."""
    hints = {}
    for each in given:
        hints.setdefault(each['Key'], []).append(each['Value'])
    return {key: values[0] if len(values) == 1 else values for key, values in hints.items()}

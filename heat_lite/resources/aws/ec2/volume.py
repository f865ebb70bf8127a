"""AWS::EC2::Volume."""

from heat_lite.common import exception
from heat_lite.resources.aws.ec2.base import Ec2Object, tags
from heat_lite.resources.cloud import Rest
from heat_lite.resources.openstack.cinder.backups import KeptAtLast
from heat_lite.resources.openstack.cinder.volume import FAILED
from heat_lite.template.constraints import Range
from heat_lite.template.schema import integer, string


class Volume(KeptAtLast, Ec2Object):
    """A disk that outlives servers."""

    resource_type = 'AWS::EC2::Volume'
    rest = Rest('cinder', '/volumes', 'volume', ready=('available', 'in-use'), failed=FAILED, vanishes=True, stuck=('error_deleting',))
    entity = None

    properties_schema = {
        'AvailabilityZone': string('The availability zone that it lives in.', required=True, immutable=True, wire='availability_zone'),
        'Size': integer('Its size in GB.', immutable=True, constraints=[Range(min=1)], wire='size'),
        'SnapshotId': string('A backup to begin with.', immutable=True, ref='cinder.backup', sent=False),
        'Tags': tags(immutable=True),
    }

    def validate(self):
        super().validate()
        given = self.properties.given()
        if 'Size' not in given and 'SnapshotId' not in given:
            raise exception.StackValidationFailed('If neither "SnapshotId" nor "Size" is given, nobody knows how large it is to be.')

    def body(self, values):
        backup = self.properties['SnapshotId']
        if backup and 'size' not in values:
            values['size'] = self.client().show(f'/backups/{backup}', 'backup')['size']
        labels = {each['Key']: each['Value'] for each in self.properties['Tags'] or ()}
        return {'description': self.physical_resource_name(), **super().body(values), **({'metadata': labels} if labels else {})}

    def after(self, action, diff):
        if diff.get('SnapshotId'):
            yield from self.until_ready(None)
            values = {'volume_id': self.resource_id, 'name': self.physical_resource_name()}
            yield from self.ask(self.client().create, f'/backups/{diff["SnapshotId"]}/restore', 'restore', values)

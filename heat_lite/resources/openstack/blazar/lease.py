"""OS::Blazar::Lease."""

from heat_lite.resources.base.cloud import CloudResource, Rest
from heat_lite.resources.base.property_rules import refuse
from heat_lite.template.schema import (
    boolean,
    boolean_attribute,
    integer,
    list_,
    list_attribute,
    map_,
    string,
    text,
)

LARGEST = 2147483647
HOST = 'physical:host'
#: the properties of only one type of reservation
OF_HOSTS = ('hypervisor_properties', 'max', 'min', 'before_end')
OF_INSTANCES = ('affinity', 'amount', 'disk_gb', 'memory_mb', 'vcpus')


def _time_property(what, **options):
    return string(
        f'{what}, as YYYY-MM-DD HH:MM.', pattern=r'\d{4}-\d{2}-\d{2}\s\d{2}:\d{2}', **options
    )


def _capacity_property(what):
    return integer(what, min=0, max=LARGEST)


class Lease(CloudResource):
    """A lease: a reservation of hosts or of capacity for servers."""

    resource_type = 'OS::Blazar::Lease'
    since = '12.0.0'
    rest = Rest('blazar', '/leases', 'lease')

    properties_schema = {
        'name': string('Name of the lease.', required=True),
        'before_end_date': _time_property('Time of the notification before the end'),
        'end_date': _time_property('End of the lease', required=True),
        'events': list_(
            'Further events during the lease.',
            map_(
                None,
                {
                    'event_type': string('Type of the event.', required=True),
                    'time': string('Time of the event.', required=True),
                },
            ),
            default=[],
        ),
        'reservations': list_(
            'Reservations of the lease.',
            map_(
                None,
                {
                    'affinity': boolean(
                        'Whether the servers are placed on one host.', default=False
                    ),
                    'amount': _capacity_property('Number of servers.'),
                    'before_end': string(
                        'Action before the end of the lease.',
                        default='default',
                        allowed=['default', 'snapshot'],
                    ),
                    'disk_gb': _capacity_property('Disk of each server in GiB.'),
                    'hypervisor_properties': string('Query that selects the hypervisors.'),
                    'max': integer('Largest number of hosts.', min=1),
                    'memory_mb': _capacity_property('Memory of each server in MiB.'),
                    'min': integer('Smallest number of hosts.', min=1),
                    'resource_properties': string('Query that selects the hosts.'),
                    'resource_type': string(
                        'Type of the reservation: hosts or capacity for servers.',
                        required=True,
                        allowed=['virtual:instance', HOST],
                    ),
                    'vcpus': _capacity_property('Number of virtual CPUs of each server.'),
                },
            ),
            required=True,
        ),
        'start_date': _time_property('Start of the lease', required=True),
    }
    property_rules = (
        refuse(
            "Couldn't find any host in Blazar. You must create a host before creating a lease.",
            lambda lease: (
                not lease.template_has_type('OS::Blazar::Host')
                and not lease.client().list('/os-hosts', 'hosts')
            ),
        ),
    )
    attributes_schema = {
        'created_at': text('Time at which the lease was created.'),
        'degraded': boolean_attribute('Whether a reserved host has failed.'),
        'end_date': text('Time at which the lease ends.'),
        'events': list_attribute('Events of the lease.'),
        'name': text('Name that Blazar shows for the lease.'),
        'project_id': text('Id of the project that owns the lease.'),
        'reservations': list_attribute('Reservations that Blazar shows for the lease.'),
        'start_date': text('Time at which the lease starts.'),
        'status': text('Status of the lease.'),
        'trust_id': text('Id of the trust with which Blazar acts on the lease.'),
        'updated_at': text('Time of the last change of the lease.'),
        'user_id': text('Id of the user that created the lease.'),
    }

    def body(self, values):
        return {**values, 'reservations': [_reservation(each) for each in values['reservations']]}

    def create_object(self, values):
        """Create the lease: the request has no wrapping key, the response has one."""
        created = yield from self.send('POST', self.collection(), values)
        return created.get(self.rest.key, created)


def _reservation(values):
    """Return the reservation without the properties of the other type, which may have defaults."""
    foreign = OF_INSTANCES if values['resource_type'] == HOST else OF_HOSTS
    return {name: value for name, value in values.items() if name not in foreign}

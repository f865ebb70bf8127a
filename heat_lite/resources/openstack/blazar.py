"""The resource types of Blazar."""

from heat_lite.resources.base.cloud import CloudResource, Rest
from heat_lite.resources.base.property_rules import refuse
from heat_lite.template.schema import (
    boolean,
    boolean_attribute,
    integer,
    integer_attribute,
    list_,
    list_attribute,
    map_,
    map_attribute,
    string,
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


class BlazarResource(CloudResource):
    """An object of Blazar."""

    def create_object(self, values):
        """Create the object: the request has no wrapping key, the response has one."""
        created = yield from self.send('POST', self.collection(), values)
        return created.get(self.rest.key, created)


class Lease(BlazarResource):
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
            {
                'event_type': string('Type of the event.', required=True),
                'time': string('Time of the event.', required=True),
            },
            default=[],
        ),
        'reservations': list_(
            'Reservations of the lease.',
            {
                'affinity': boolean('Whether the servers are placed on one host.', default=False),
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
        'created_at': 'Time at which the lease was created.',
        'degraded': boolean_attribute('Whether a reserved host has failed.'),
        'end_date': 'Time at which the lease ends.',
        'events': list_attribute('Events of the lease.'),
        'name': 'Name that Blazar shows for the lease.',
        'project_id': 'Id of the project that owns the lease.',
        'reservations': list_attribute('Reservations that Blazar shows for the lease.'),
        'start_date': 'Time at which the lease starts.',
        'status': 'Status of the lease.',
        'trust_id': 'Id of the trust with which Blazar acts on the lease.',
        'updated_at': 'Time of the last change of the lease.',
        'user_id': 'Id of the user that created the lease.',
    }

    def body(self, values):
        return {**values, 'reservations': [_reservation(each) for each in values['reservations']]}

    def normalize(self, found):
        """Add the defaults of the other type to each reservation."""
        schemata = self.properties_schema['reservations'].children()
        defaults = {name: schema.default for name, schema in schemata.items()}
        return {**found, 'reservations': [{**defaults, **each} for each in found['reservations']]}


def _reservation(values):
    """Return the reservation without the properties of the other type, which may have defaults."""
    foreign = OF_INSTANCES if values['resource_type'] == HOST else OF_HOSTS
    return {name: value for name, value in values.items() if name not in foreign}


EXTRA = 'extra_capability'


class Host(BlazarResource):
    """A compute host that leases can reserve."""

    resource_type = 'OS::Blazar::Host'
    since = '12.0.0'
    rest = Rest('blazar', '/os-hosts', 'host')

    properties_schema = {
        'name': string('Name of the host in Nova.', required=True),
        'extra_capability': map_(
            'Further capabilities of the host, for queries of leases.', sent=False
        ),
    }
    attributes_schema = {
        'cpu_info': map_attribute('Description of the CPUs of the host.'),
        'created_at': 'Time at which the host was added.',
        'extra_capability': map_attribute('Further capabilities that Blazar shows.'),
        'hypervisor_hostname': 'Host name in the hypervisor.',
        'hypervisor_type': 'Type of the hypervisor.',
        'hypervisor_version': integer_attribute('Version of the hypervisor.'),
        'local_gb': integer_attribute('Local disk space of the host in GiB.'),
        'memory_mb': integer_attribute('Memory of the host in MiB.'),
        'reservable': boolean_attribute('Whether leases can reserve the host.'),
        'service_name': 'Name of the compute service on the host.',
        'status': 'Status of the host.',
        'trust_id': 'Id of the trust with which Blazar acts on the host.',
        'updated_at': 'Time of the last change of the host.',
        'vcpus': integer_attribute('Number of virtual CPUs of the host.'),
    }

    def body(self, values):
        return {**(self.properties[EXTRA] or {}), **values}

    def has_name(self):
        """Return False: the name is that of an existing host and cannot be generated."""
        return False

    def find_existing(self):
        found = self.client().list(self.collection(), 'hosts')
        return next(
            (
                str(each['id'])
                for each in found
                if each.get('hypervisor_hostname') == self.stored_property('name')
            ),
            None,
        )

    def resolve_attribute(self, name):
        if name == EXTRA:
            known = (*self.attributes_schema, 'id', 'service_name')
            return {key: value for key, value in (self.show() or {}).items() if key not in known}
        return super().resolve_attribute(name)

"""OS::Blazar::Host."""

from heat_lite.resources.base.cloud import CloudResource, Rest
from heat_lite.template.schema import (
    boolean_attribute,
    integer_attribute,
    map_,
    map_attribute,
    string,
    text,
)

EXTRA = 'extra_capability'


class Host(CloudResource):
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
        'created_at': text('Time at which the host was added.'),
        'extra_capability': map_attribute('Further capabilities that Blazar shows.'),
        'hypervisor_hostname': text('Host name in the hypervisor.'),
        'hypervisor_type': text('Type of the hypervisor.'),
        'hypervisor_version': integer_attribute('Version of the hypervisor.'),
        'local_gb': integer_attribute('Local disk space of the host in GiB.'),
        'memory_mb': integer_attribute('Memory of the host in MiB.'),
        'reservable': boolean_attribute('Whether leases can reserve the host.'),
        'service_name': text('Name of the compute service on the host.'),
        'status': text('Status of the host.'),
        'trust_id': text('Id of the trust with which Blazar acts on the host.'),
        'updated_at': text('Time of the last change of the host.'),
        'vcpus': integer_attribute('Number of virtual CPUs of the host.'),
    }

    def body(self, values):
        return {**(self.properties[EXTRA] or {}), **values}

    def create_object(self, values):
        """Create the host: the request has no wrapping key, the response has one."""
        created = yield from self.send('POST', self.collection(), values)
        return created.get(self.rest.key, created)

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

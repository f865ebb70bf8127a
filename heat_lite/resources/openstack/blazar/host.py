"""OS::Blazar::Host."""

from heat_lite.resources.cloud import CloudResource, Rest
from heat_lite.template import support
from heat_lite.template.schema import boolean_attribute, integer_attribute, map_, map_attribute, string, text

EXTRA = 'extra_capability'


class Host(CloudResource):
    """A compute host that leases can reserve."""

    resource_type = 'OS::Blazar::Host'
    support_status = support.since('12.0.0')
    rest = Rest('blazar', '/os-hosts', 'host')

    properties_schema = {
        'name': string('The name of the host, as the compute service calls it.', required=True),
        'extra_capability': map_('What leases can ask of it besides.', sent=False),
    }
    attributes_schema = {
        'cpu_info': map_attribute('Its processors.'),
        'created_at': text('When it was made.'),
        'extra_capability': map_attribute('What leases can ask of it besides.'),
        'hypervisor_hostname': text('What its hypervisor calls it.'),
        'hypervisor_type': text('Its hypervisor.'),
        'hypervisor_version': integer_attribute('The version of that.'),
        'local_gb': integer_attribute('How many GiB of disk it has.'),
        'memory_mb': integer_attribute('How many MiB of memory it has.'),
        'reservable': boolean_attribute('Whether leases can have it.'),
        'service_name': text('The name of its compute service.'),
        'status': text('Its status.'),
        'trust_id': text('The trust by which the service acts.'),
        'updated_at': text('When it was last changed.'),
        'vcpus': integer_attribute('How many processors it has.'),
    }

    def body(self, values):
        return {**(self.properties[EXTRA] or {}), **values}

    def make(self, values):
        """The request is not wrapped, as the answer is."""
        made = yield from self.ask(self.client().ask, 'POST', self.collection(), values)
        return made.get(self.rest.key, made)

    def _has_name(self):
        """It has the name that is given to it, and no other."""
        return False

    def find_existing(self):
        found = self.client().list(self.collection(), 'hosts')
        return next((str(each['id']) for each in found if each.get('hypervisor_hostname') == self.held('name')), None)

    def resolve_attribute(self, name):
        if name == EXTRA:
            known = (*self.attributes_schema, 'id', 'service_name')
            return {key: value for key, value in (self.show() or {}).items() if key not in known}
        return super().resolve_attribute(name)

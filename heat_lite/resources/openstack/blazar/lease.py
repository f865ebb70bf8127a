"""OS::Blazar::Lease."""

from heat_lite.resources.cloud import CloudResource, Rest
from heat_lite.template import support
from heat_lite.template.constraints import AllowedPattern, AllowedValues, Range
from heat_lite.template.schema import boolean, boolean_attribute, integer, list_, list_attribute, map_, string, text

LARGEST = 2147483647
HOST = 'physical:host'
#: what only one type of reservation says
OF_HOSTS = ('hypervisor_properties', 'max', 'min', 'before_end')
OF_INSTANCES = ('affinity', 'amount', 'disk_gb', 'memory_mb', 'vcpus')


def _moment(what, **options):
    return string(f'{what}, as YYYY-MM-DD HH:MM.', constraints=[AllowedPattern(r'\d{4}-\d{2}-\d{2}\s\d{2}:\d{2}')], **options)


def _amount(what):
    return integer(what, constraints=[Range(min=0, max=LARGEST)])


class Lease(CloudResource):
    """Hosts, or room for servers, that are kept for a time."""

    resource_type = 'OS::Blazar::Lease'
    support_status = support.since('12.0.0')
    rest = Rest('blazar', '/leases', 'lease')

    properties_schema = {
        'name': string('Its name.', required=True),
        'before_end_date': _moment('When its owner is told that it ends'),
        'end_date': _moment('When it ends', required=True),
        'events': list_(
            'What else happens in its time.',
            map_(
                None,
                {
                    'event_type': string('What happens.', required=True),
                    'time': string('When.', required=True),
                },
            ),
            default=[],
        ),
        'reservations': list_(
            'What is kept.',
            map_(
                None,
                {
                    'affinity': boolean('Whether the servers live on one host.', default=False),
                    'amount': _amount('How many servers there can be.'),
                    'before_end': string(
                        'What becomes of them at the end.', default='default', constraints=[AllowedValues(['default', 'snapshot'])]
                    ),
                    'disk_gb': _amount('How many GiB of disk each has.'),
                    'hypervisor_properties': string('Which hypervisors will do.'),
                    'max': integer('How many hosts at most.', constraints=[Range(min=1)]),
                    'memory_mb': _amount('How many MiB of memory each has.'),
                    'min': integer('How many hosts at least.', constraints=[Range(min=1)]),
                    'resource_properties': string('Which hosts will do.'),
                    'resource_type': string(
                        'Whether hosts are kept, or room for servers.',
                        required=True,
                        constraints=[AllowedValues(['virtual:instance', HOST])],
                    ),
                    'vcpus': _amount('How many processors each has.'),
                },
            ),
            required=True,
        ),
        'start_date': _moment('When it begins', required=True),
    }
    attributes_schema = {
        'created_at': text('When it was made.'),
        'degraded': boolean_attribute('Whether something of it is missing.'),
        'end_date': text('When it ends.'),
        'events': list_attribute('What happens in its time.'),
        'name': text('Its name.'),
        'project_id': text('The project that owns it.'),
        'reservations': list_attribute('What is kept.'),
        'start_date': text('When it begins.'),
        'status': text('Its status.'),
        'trust_id': text('The trust by which the service acts.'),
        'updated_at': text('When it was last changed.'),
        'user_id': text('The user who made it.'),
    }

    def body(self, values):
        return {**values, 'reservations': [_reservation(each) for each in values['reservations']]}

    def make(self, values):
        """The request is not wrapped, as the answer is."""
        made = yield from self.ask(self.client().ask, 'POST', self.collection(), values)
        return made.get(self.rest.key, made)


def _reservation(values):
    """Without what is only for the other type, be it the default."""
    foreign = OF_INSTANCES if values['resource_type'] == HOST else OF_HOSTS
    return {name: value for name, value in values.items() if name not in foreign}

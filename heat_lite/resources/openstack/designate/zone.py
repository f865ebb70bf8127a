"""OS::Designate::Zone."""

from heat_lite.common import exception
from heat_lite.resources.cloud import CloudResource, Rest
from heat_lite.template import support
from heat_lite.template.constraints import AllowedValues, Length, Range
from heat_lite.template.schema import integer, list_, map_, string, text


class Zone(CloudResource):
    """A zone of the DNS."""

    resource_type = 'OS::Designate::Zone'
    support_status = support.since('8.0.0')
    rest = Rest('designate', '/zones', None, ready=('ACTIVE',), vanishes=True, update='PATCH')
    entity = 'zones'

    properties_schema = {
        'name': string('Its name, with a dot at its end.', required=True, constraints=[Length(max=255)]),
        'attributes': map_('What the service chooses its pool by.', support=support.since('24.0.0')),
        'description': string('A text that says what it is for.', update_allowed=True, constraints=[Length(max=160)]),
        'email': string('Whom to write to about it.', update_allowed=True),
        'masters': list_('The servers that it is copied from.', update_allowed=True, support=support.deprecated('15.0.0'), sent=False),
        'primaries': list_('The servers that it is copied from.', update_allowed=True, sent=False),
        'ttl': integer('Seconds for which answers may be remembered.', update_allowed=True, constraints=[Range(min=1, max=2147483647)]),
        'type': string(
            'Whether it is kept here or copied from elsewhere.', default='PRIMARY', constraints=[AllowedValues(['PRIMARY', 'SECONDARY'])]
        ),
    }
    attributes_schema = {
        'serial': text('The number of its present state.'),
    }

    def validate(self):
        super().validate()
        if self.properties['masters'] and self.properties['primaries']:
            raise exception.ResourcePropertyConflict('masters', 'primaries')
        kind, sources = self.properties['type'], self._sources()
        if kind == 'PRIMARY' and not self.properties['email']:
            raise exception.StackValidationFailed('Property email is required for zone type PRIMARY')
        if kind == 'SECONDARY' and not sources:
            raise exception.StackValidationFailed('Property primaries is required for zone type SECONDARY')

    def body(self, values):
        return {**values, 'masters': self._sources()} if self._sources() else values

    def changes(self, changed, diff):
        return {**changed, 'masters': self._sources()} if {'masters', 'primaries'} & diff.keys() else changed

    def _sources(self):
        return self.properties['primaries'] or self.properties['masters'] or []

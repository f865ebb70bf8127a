"""OS::Cinder::QoSAssociation."""

import json

from heat_lite.resources.cloud import ServiceResource
from heat_lite.template import support
from heat_lite.template.schema import list_, string

#: where it remembers the types that it has let go for the association that comes instead
LENT = 'lent_types'


class QoSAssociation(ServiceResource):
    """What makes QoS specs count for types of volumes."""

    resource_type = 'OS::Cinder::QoSAssociation'
    support_status = support.since('8.0.0')
    extension = 'qos-specs'
    default_client_name = 'cinder'

    properties_schema = {
        'qos_specs': string('The QoS specs, by name or id.', required=True, ref='cinder.qos_specs'),
        'volume_types': list_('The types, by names or ids.', string(ref='cinder.vtype'), required=True, update_allowed=True),
    }

    def handle_create(self):
        yield from self._tell('associate', self.properties['volume_types'])
        self.resource_id_set(self.physical_resource_name())

    def handle_update(self, definition, tmpl_diff, prop_diff):
        before, after = self._associated(), set(self.properties['volume_types'])
        yield from self._tell('disassociate', before - after)
        yield from self._tell('associate', after - before)
        self.data_delete(LENT)

    def handle_delete(self):
        if self.resource_id is not None:
            yield from self._tell('disassociate', self._associated())

    def prepare_for_replace(self, definition):
        """A generator: a type has one of the specs at a time, so the types that the other association wants are let go."""
        lent = self._associated() & set(self.properties_of(definition)['volume_types'])
        if self.resource_id is not None and lent:
            self.data_set(LENT, json.dumps(sorted(lent)))
            yield from self._tell('disassociate', lent)

    def needs_update(self, definition):
        """One that was to be replaced, and was not, gets back what it had lent."""
        return LENT in self.data() or super().needs_update(definition)

    def _associated(self):
        return set(self.held('volume_types')) - set(json.loads(self.data().get(LENT, '[]')))

    def _tell(self, verb, types):
        for each in sorted(types):
            path = f'/qos-specs/{self.held("qos_specs")}/{verb}'
            yield from self.take_away(self.client().ask, 'GET', path, params={'vol_type_id': each})

"""OS::Cinder::QoSAssociation."""

from heat_lite.resources.cloud import ServiceResource
from heat_lite.template import support
from heat_lite.template.schema import list_, string


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
        before, after = set(self.held('volume_types')), set(self.properties['volume_types'])
        yield from self._tell('disassociate', before - after)
        yield from self._tell('associate', after - before)

    def handle_delete(self):
        if self.resource_id is not None:
            yield from self._tell('disassociate', self.held('volume_types'))

    def _tell(self, verb, types):
        for each in sorted(types):
            path = f'/qos-specs/{self.held("qos_specs")}/{verb}'
            yield from self.take_away(self.client().ask, 'GET', path, params={'vol_type_id': each})

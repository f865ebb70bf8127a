"""OS::Cinder::QoSSpecs."""

from heat_lite.common import status
from heat_lite.resources.base.cloud import CloudResource, Rest
from heat_lite.template.schema import map_, name_property


class QoSSpecs(CloudResource):
    """QoS specs: limits and guarantees for volumes of some types."""

    resource_type = 'OS::Cinder::QoSSpecs'
    since = '7.0.0'
    rest = Rest('cinder', '/qos-specs', 'qos_specs', extension='qos-specs')
    observed_keys = {'specs': 'specs'}

    properties_schema = {
        'name': name_property(update_allowed=False),
        'specs': map_(
            'Key-value pairs of the QoS specs.', required=True, update_allowed=True, sent=False
        ),
    }

    def body(self, values):
        return {**values, **self.properties['specs']}

    def changes(self, changed, diff):
        return {**changed, **(diff.get('specs') or {})}

    def follow_up(self, action, diff):
        if action == status.UPDATE and 'specs' in diff:
            removed = sorted(set(self.stored_property('specs')) - set(diff['specs']))
            if removed:
                yield from self.send('PUT', f'{self.object_path()}/delete_keys', {'keys': removed})

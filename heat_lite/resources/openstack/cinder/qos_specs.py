"""OS::Cinder::QoSSpecs."""

from heat_lite.common import status
from heat_lite.resources.cloud import CloudResource, Rest
from heat_lite.template import support
from heat_lite.template.schema import map_, string


class QoSSpecs(CloudResource):
    """What volumes of some types are promised, or held to."""

    resource_type = 'OS::Cinder::QoSSpecs'
    support_status = support.since('7.0.0')
    rest = Rest('cinder', '/qos-specs', 'qos_specs', extension='qos-specs')
    shown = {'specs': 'specs'}

    properties_schema = {
        'name': string('Its name. Without one, one is made up from those of the stack and of the resource.'),
        'specs': map_('The promises, by their names.', required=True, update_allowed=True, sent=False),
    }

    def body(self, values):
        return {**values, **self.properties['specs']}

    def changes(self, changed, diff):
        return {**changed, **(diff.get('specs') or {})}

    def after(self, action, diff):
        if action == status.UPDATE and 'specs' in diff:
            gone = sorted(set(self.held('specs')) - set(diff['specs']))
            if gone:
                yield from self.ask(self.client().ask, 'PUT', f'{self.object_path()}/delete_keys', {'keys': gone})

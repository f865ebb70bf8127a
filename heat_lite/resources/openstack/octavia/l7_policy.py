"""OS::Octavia::L7Policy."""

from heat_lite.common import exception
from heat_lite.resources.openstack.octavia.base import OctaviaResource, waited_for
from heat_lite.template import support
from heat_lite.template.constraints import AllowedValues, Range
from heat_lite.template.schema import boolean, list_attribute, number, string

#: what each action needs, and what the others must not have
NEEDS = {'REDIRECT_TO_POOL': 'redirect_pool', 'REDIRECT_TO_URL': 'redirect_url'}


class L7Policy(OctaviaResource):
    """What a listener does with certain requests."""

    resource_type = 'OS::Octavia::L7Policy'
    support_status = support.since('10.0.0')
    rest = waited_for('/lbaas/l7policies', 'l7policy')
    entity = None
    default_client_name = 'octavia'

    properties_schema = {
        'name': string('Its name. Without one, one is made up from those of the stack and of the resource.', update_allowed=True),
        'action': string(
            'What is done.',
            required=True,
            update_allowed=True,
            constraints=[AllowedValues(['REJECT', 'REDIRECT_TO_POOL', 'REDIRECT_TO_URL'])],
        ),
        'listener': string('The listener, by name or id.', required=True, ref='octavia.listener', wire='listener_id'),
        'admin_state_up': boolean('Whether it is switched on.', default=True, update_allowed=True),
        'description': string('A text that says what it is for.', update_allowed=True),
        'position': number('Its place among the policies of the listener.', update_allowed=True, constraints=[Range(min=1)]),
        'redirect_pool': string(
            'The pool that does the work, by name or id.', update_allowed=True, ref='octavia.pool', wire='redirect_pool_id'
        ),
        'redirect_url': string('The address that clients are sent to.', update_allowed=True),
    }
    attributes_schema = {
        'rules': list_attribute('Its rules: which requests it is for.'),
    }

    def validate(self):
        super().validate()
        action = self.properties['action']
        for owner, name in NEEDS.items():
            given = self.properties[name] is not None
            if owner == action and not given:
                raise exception.StackValidationFailed(f'Property {name} is required when action is set to {action}.')
            if owner != action and given:
                raise exception.StackValidationFailed(f'{name} property should only be specified for action with value {owner}.')

"""OS::Octavia::L7Rule."""

from heat_lite.resources.base.property_rules import missing, refuse
from heat_lite.resources.openstack.octavia.base import OctaviaResource, async_rest
from heat_lite.template.schema import string, switch


class L7Rule(OctaviaResource):
    """A layer 7 rule: a condition of a layer 7 policy."""

    resource_type = 'OS::Octavia::L7Rule'
    since = '10.0.0'
    rest = async_rest('/lbaas/l7policies/{l7policy}/rules', 'rule')
    entity = None

    properties_schema = {
        'compare_type': string(
            'Comparison of the rule.',
            required=True,
            update_allowed=True,
            allowed=['REGEX', 'STARTS_WITH', 'ENDS_WITH', 'CONTAINS', 'EQUAL_TO'],
        ),
        'l7policy': string(
            'Layer 7 policy of the rule, by name or id.',
            required=True,
            ref='octavia.l7policy',
            sent=False,
        ),
        'type': string(
            'Part of the request that is compared.',
            required=True,
            update_allowed=True,
            allowed=['HOST_NAME', 'PATH', 'FILE_TYPE', 'HEADER', 'COOKIE'],
        ),
        'value': string(
            'Value to compare the part of the request with.', required=True, update_allowed=True
        ),
        'admin_state_up': switch('Administrative state of the rule.'),
        'invert': switch('Whether the result of the comparison is inverted.', default=False),
        'key': string('Name of the header or the cookie to compare.', update_allowed=True),
    }
    property_rules = (
        refuse(
            'Property key is missing. This property should be specified for rules of HEADER and '
            'COOKIE types.',
            type=('HEADER', 'COOKIE'),
            key=missing,
        ),
    )

"""OS::Aodh::CompositeAlarm."""

from heat_lite.resources.openstack.aodh.base import Alarm, common_properties
from heat_lite.template import support
from heat_lite.template.constraints import AllowedValues, Length
from heat_lite.template.schema import list_, map_, string


class CompositeAlarm(Alarm):
    """Goes off when one of several rules is met, or all of them."""

    resource_type = 'OS::Aodh::CompositeAlarm'
    support_status = support.since('8.0.0')
    kind = 'composite'

    properties_schema = {
        **common_properties(),
        'composite_rule': map_(
            'The rules.',
            {
                'operator': string(
                    'Whether all of them must be met (and), or one (or).',
                    required=True,
                    update_allowed=True,
                    constraints=[AllowedValues(['or', 'and'])],
                ),
                'rules': list_(
                    'Each as the service takes it, or again a map from and, or or, to a list of rules.',
                    required=True,
                    update_allowed=True,
                    constraints=[Length(min=2)],
                ),
            },
            required=True,
            update_allowed=True,
        ),
    }

    def rule(self, values):
        rule = values['composite_rule']
        return {rule['operator']: rule['rules']}

    def rule_told(self, rule):
        return {'composite_rule': next(({'operator': word, 'rules': rules} for word, rules in rule.items()), None)}

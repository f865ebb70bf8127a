"""OS::Aodh::CompositeAlarm."""

from heat_lite.resources.openstack.aodh.base import Alarm, common_properties
from heat_lite.template.schema import list_, map_, string


class CompositeAlarm(Alarm):
    """An alarm that combines several rules by "and" or "or"."""

    resource_type = 'OS::Aodh::CompositeAlarm'
    since = '8.0.0'
    kind = 'composite'

    properties_schema = {
        **common_properties(),
        'composite_rule': map_(
            'Rules of the alarm and their operator.',
            {
                'operator': string(
                    'Operator that combines the rules: "and" or "or".',
                    required=True,
                    update_allowed=True,
                    allowed=['or', 'and'],
                ),
                'rules': list_(
                    'Rules in the format of Aodh. A rule may also be a map from "and" or "or"'
                    ' to a list of rules.',
                    required=True,
                    update_allowed=True,
                    min=2,
                ),
            },
            required=True,
            update_allowed=True,
        ),
    }

    def rule(self, values):
        rule = values['composite_rule']
        return {rule['operator']: rule['rules']}

    def rule_properties(self, rule):
        return {
            'composite_rule': next(
                ({'operator': word, 'rules': rules} for word, rules in rule.items()), None
            )
        }

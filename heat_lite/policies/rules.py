"""The default policy rules: those that operations declare, and those of the APIs of AWS.

Operators override rules by name in the policy file. The ``oslopolicy-*`` tools read
``list_rules``.
"""

from oslo_policy import policy

from heat_lite.common.value_types import Value
from heat_lite.operations import OPERATIONS
from heat_lite.operations.operation import (
    ADMIN,
    MEMBER,
    MEMBER_OR_STACK_USER,
    NO_ONE,
    READER,
    READER_OR_STACK_USER,
)

PROJECT = ('project',)

# The defaults before the personas; they also apply while enforce_new_defaults is false.
DENY_STACK_USER = 'rule:deny_stack_user'
ALLOW_ALL = 'rule:allow_everybody'
FORMER = {
    READER: DENY_STACK_USER,
    MEMBER: DENY_STACK_USER,
    READER_OR_STACK_USER: ALLOW_ALL,
    MEMBER_OR_STACK_USER: ALLOW_ALL,
    ADMIN: 'rule:context_is_admin',
}
#: a rule that had no other default before
NEW = 'software_deployments:metadata'

GENERAL = {
    'context_is_admin': '(role:admin and is_admin_project:True)',
    'project_admin': 'role:admin',
    'deny_stack_user': 'not role:heat_stack_user',
    'deny_everybody': '!',
    'allow_everybody': '',
}

#: the rules of the REST API, by name
DEFAULTS = {name: check for each in OPERATIONS for name, check in each.defaults.items()}

# Actions of the CloudFormation API and their default rules.
CLOUDFORMATION = (
    ('ListStacks', READER),
    ('CreateStack', MEMBER),
    ('DescribeStacks', READER),
    ('DeleteStack', MEMBER),
    ('UpdateStack', MEMBER),
    ('CancelUpdateStack', MEMBER),
    ('DescribeStackEvents', READER),
    ('ValidateTemplate', READER),
    ('GetTemplate', READER),
    ('EstimateTemplateCost', READER),
    ('DescribeStackResource', READER_OR_STACK_USER),
    ('DescribeStackResources', READER),
    ('ListStackResources', READER),
)

# Actions of the CloudWatch API and their default rules.
CLOUDWATCH = (
    ('DeleteAlarms', MEMBER),
    ('DescribeAlarmHistory', READER),
    ('DescribeAlarms', READER),
    ('DescribeAlarmsForMetric', READER),
    ('DisableAlarmActions', MEMBER),
    ('EnableAlarmActions', MEMBER),
    ('GetMetricStatistics', READER),
    ('ListMetrics', READER),
    ('PutMetricAlarm', MEMBER),
    ('PutMetricData', MEMBER_OR_STACK_USER),
    ('SetAlarmState', MEMBER),
)

# Resource types that only an administrator may use in a template.
ADMIN_TYPES = (
    'DockerInc::Docker::*',
    'HeatLite::Container::*',
    'OS::Barbican::Quota',
    'OS::Blazar::Host',
    'OS::Cinder::DefaultVolumeType',
    'OS::Cinder::EncryptedVolumeType',
    'OS::Cinder::GroupType',
    'OS::Cinder::QoSAssociation',
    'OS::Cinder::QoSSpecs',
    'OS::Cinder::Quota',
    'OS::Cinder::VolumeType',
    'OS::Cinder::VolumeTypeAccess',
    'OS::Cyborg::DeviceProfile',
    'OS::Designate::Blacklist',
    'OS::Designate::Quota',
    'OS::Designate::TLD',
    'OS::Designate::TSIGKey',
    'OS::Glance::MetadefNamespace',
    'OS::Ironic::Chassis',
    'OS::Ironic::DeployTemplate',
    'OS::Ironic::InspectionRule',
    'OS::Ironic::Node',
    'OS::Keystone::*',
    'OS::Manila::Quota',
    'OS::Manila::ShareType',
    'OS::Masakari::Host',
    'OS::Masakari::Segment',
    'OS::Neutron::BGPPeer',
    'OS::Neutron::BGPSpeaker',
    'OS::Neutron::BGPVPN',
    'OS::Neutron::DefaultSecurityGroupRule',
    'OS::Neutron::NetworkSegmentRange',
    'OS::Neutron::ProviderNet',
    'OS::Neutron::QoSBandwidthLimitRule',
    'OS::Neutron::QoSDscpMarkingRule',
    'OS::Neutron::QoSMinimumBandwidthRule',
    'OS::Neutron::QoSMinimumPacketRateRule',
    'OS::Neutron::QoSPacketRateLimitRule',
    'OS::Neutron::QoSPolicy',
    'OS::Neutron::Quota',
    'OS::Neutron::Segment',
    'OS::Nova::Flavor',
    'OS::Nova::FlavorAccess',
    'OS::Nova::HostAggregate',
    'OS::Nova::Quota',
    'OS::Octavia::AvailabilityZone',
    'OS::Octavia::AvailabilityZoneProfile',
    'OS::Octavia::Flavor',
    'OS::Octavia::FlavorProfile',
    'OS::Octavia::Quota',
    'OS::Placement::*',
)

# Of Keystone's types, those that Keystone lets each user make for itself.
OWN_TYPES = (
    'OS::Keystone::ApplicationCredential',
    'OS::Keystone::Credential',
    'OS::Keystone::EC2Credential',
    'OS::Keystone::Trust',
)


def list_rules() -> list[policy.RuleDefault]:
    """Return all rules with their defaults."""
    general = [policy.RuleDefault(name, check) for name, check in GENERAL.items()]
    rest = [_rest_rule(name, check) for name, check in DEFAULTS.items()]
    cfn = [_rule(f'cloudformation:{action}', check) for action, check in CLOUDFORMATION]
    cloudwatch = [_rule(f'cloudwatch:{action}', check) for action, check in CLOUDWATCH]
    types = [_rule(f'resource_types:{name}', 'rule:project_admin') for name in ADMIN_TYPES]
    types += [_rule(f'resource_types:{name}', ALLOW_ALL) for name in OWN_TYPES]
    return general + rest + cfn + cloudwatch + types


def _rest_rule(name: str, check: str) -> policy.RuleDefault:
    """Return the rule with the operations that it is for."""
    found = [each for each in OPERATIONS if name == each.rule_name or name in each.rules]
    paths = [{'method': each.method, 'path': f'/v1/{each.path}'} for each in found]
    return _rule(name, check, description=found[0].summary, operations=paths)


def _rule(name: str, check: str, **documentation: Value) -> policy.RuleDefault:
    # Rules that deny all users concern the stacks of all projects, so they have no project scope.
    scope = None if check == NO_ONE else list(PROJECT)
    former = None if name == NEW else FORMER.get(check)
    kind = policy.DocumentedRuleDefault if documentation else policy.RuleDefault
    return kind(
        name,
        check,
        scope_types=scope,
        deprecated_rule=policy.DeprecatedRule(
            name,
            former,
            deprecated_reason='The default follows the personas admin, member and reader.',
            deprecated_since='W',
        )
        if former
        else None,
        **documentation,
    )

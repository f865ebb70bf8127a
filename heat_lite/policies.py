"""The default policy rules, one row per rule.

Operators override rules by name in the policy file. The ``oslopolicy-*`` tools read
``list_rules``.
"""

from oslo_policy import policy

READER = 'role:reader and project_id:%(project_id)s'
MEMBER = 'role:member and project_id:%(project_id)s'
ADMIN = 'role:admin and project_id:%(project_id)s'
MEMBER_OR_STACK_USER = f'({MEMBER}) or (role:heat_stack_user and project_id:%(project_id)s)'
READER_OR_STACK_USER = f'({READER}) or (role:heat_stack_user and project_id:%(project_id)s)'

PROJECT = ('project',)

# The defaults before the personas; they also apply while enforce_new_defaults is false.
DENY_STACK_USER = 'rule:deny_stack_user'
ALLOW_ALL = 'rule:allow_everybody'

GENERAL = {
    'context_is_admin': '(role:admin and is_admin_project:True)',
    'project_admin': 'role:admin',
    'deny_stack_user': 'not role:heat_stack_user',
    'deny_everybody': '!',
    'allow_everybody': '',
}

STACK = '/stacks/{stack_name}/{stack_id}'
RESOURCE = f'{STACK}/resources/{{resource_name}}'

# Rule, default, former default, method, path below /v1/{tenant_id}.
REST = (
    ('actions:action', MEMBER, DENY_STACK_USER, 'POST', f'{STACK}/actions'),
    ('actions:snapshot', MEMBER, DENY_STACK_USER, 'POST', f'{STACK}/actions'),
    ('actions:suspend', MEMBER, DENY_STACK_USER, 'POST', f'{STACK}/actions'),
    ('actions:resume', MEMBER, DENY_STACK_USER, 'POST', f'{STACK}/actions'),
    ('actions:check', READER, DENY_STACK_USER, 'POST', f'{STACK}/actions'),
    ('actions:cancel_update', MEMBER, DENY_STACK_USER, 'POST', f'{STACK}/actions'),
    ('actions:cancel_without_rollback', MEMBER, DENY_STACK_USER, 'POST', f'{STACK}/actions'),
    # Heat's API has no retry, protect and unprotect.
    ('actions:retry', MEMBER, DENY_STACK_USER, 'POST', f'{STACK}/actions'),
    ('actions:protect', MEMBER, DENY_STACK_USER, 'POST', f'{STACK}/actions'),
    ('actions:unprotect', MEMBER, DENY_STACK_USER, 'POST', f'{STACK}/actions'),
    ('build_info:build_info', READER, DENY_STACK_USER, 'GET', '/build_info'),
    ('events:index', READER, DENY_STACK_USER, 'GET', f'{STACK}/events'),
    ('events:show', READER, DENY_STACK_USER, 'GET', f'{RESOURCE}/events/{{event_id}}'),
    ('resource:index', READER, DENY_STACK_USER, 'GET', f'{STACK}/resources'),
    ('resource:metadata', READER_OR_STACK_USER, ALLOW_ALL, 'GET', f'{RESOURCE}/metadata'),
    ('resource:signal', READER_OR_STACK_USER, ALLOW_ALL, 'POST', f'{RESOURCE}/signal'),
    (
        'resource:mark_unhealthy',
        MEMBER,
        DENY_STACK_USER,
        'PATCH',
        f'{STACK}/resources/{{resource_name_or_physical_id}}',
    ),
    ('resource:show', READER, DENY_STACK_USER, 'GET', RESOURCE),
    ('service:index', ADMIN, 'rule:context_is_admin', None, None),
    ('software_configs:global_index', 'rule:deny_everybody', None, 'GET', '/software_configs'),
    ('software_configs:index', READER, DENY_STACK_USER, 'GET', '/software_configs'),
    ('software_configs:create', MEMBER, DENY_STACK_USER, 'POST', '/software_configs'),
    ('software_configs:show', READER, DENY_STACK_USER, 'GET', '/software_configs/{config_id}'),
    ('software_configs:delete', MEMBER, DENY_STACK_USER, 'DELETE', '/software_configs/{config_id}'),
    ('software_deployments:index', READER, DENY_STACK_USER, 'GET', '/software_deployments'),
    ('software_deployments:create', MEMBER, DENY_STACK_USER, 'POST', '/software_deployments'),
    (
        'software_deployments:show',
        READER,
        DENY_STACK_USER,
        'GET',
        '/software_deployments/{deployment_id}',
    ),
    (
        'software_deployments:update',
        MEMBER,
        DENY_STACK_USER,
        'PUT',
        '/software_deployments/{deployment_id}',
    ),
    (
        'software_deployments:delete',
        MEMBER,
        DENY_STACK_USER,
        'DELETE',
        '/software_deployments/{deployment_id}',
    ),
    (
        'software_deployments:metadata',
        READER_OR_STACK_USER,
        None,
        'GET',
        '/software_deployments/metadata/{server_id}',
    ),
    ('stacks:abandon', MEMBER, DENY_STACK_USER, 'DELETE', f'{STACK}/abandon'),
    ('stacks:create', MEMBER, DENY_STACK_USER, 'POST', '/stacks'),
    ('stacks:delete', MEMBER, DENY_STACK_USER, 'DELETE', STACK),
    # Heat's API has no DELETE with force=true, which leaves resources that cannot be deleted.
    ('stacks:force_delete', MEMBER, DENY_STACK_USER, 'DELETE', STACK),
    ('stacks:detail', READER, DENY_STACK_USER, 'GET', '/stacks'),
    ('stacks:export', MEMBER, DENY_STACK_USER, 'GET', f'{STACK}/export'),
    ('stacks:generate_template', MEMBER, DENY_STACK_USER, 'GET', f'{STACK}/template'),
    ('stacks:global_index', 'rule:deny_everybody', None, 'GET', '/stacks'),
    ('stacks:index', READER, DENY_STACK_USER, 'GET', '/stacks'),
    ('stacks:list_resource_types', READER, DENY_STACK_USER, 'GET', '/resource_types'),
    ('stacks:list_template_versions', READER, DENY_STACK_USER, 'GET', '/template_versions'),
    (
        'stacks:list_template_functions',
        READER,
        DENY_STACK_USER,
        'GET',
        '/template_versions/{template_version}/functions',
    ),
    ('stacks:lookup', READER_OR_STACK_USER, ALLOW_ALL, 'GET', '/stacks/{stack_identity}'),
    ('stacks:preview', READER, DENY_STACK_USER, 'POST', '/stacks/preview'),
    ('stacks:resource_schema', READER, DENY_STACK_USER, 'GET', '/resource_types/{type_name}'),
    ('stacks:show', READER, DENY_STACK_USER, 'GET', '/stacks/{stack_identity}'),
    ('stacks:template', READER, DENY_STACK_USER, 'GET', f'{STACK}/template'),
    ('stacks:environment', READER, DENY_STACK_USER, 'GET', f'{STACK}/environment'),
    ('stacks:files', READER, DENY_STACK_USER, 'GET', f'{STACK}/files'),
    ('stacks:update', MEMBER, DENY_STACK_USER, 'PUT', STACK),
    ('stacks:update_patch', MEMBER, DENY_STACK_USER, 'PATCH', STACK),
    ('stacks:update_no_change', 'rule:stacks:update_patch', None, 'PATCH', STACK),
    ('stacks:preview_update', MEMBER, DENY_STACK_USER, 'PUT', f'{STACK}/preview'),
    ('stacks:preview_update_patch', MEMBER, DENY_STACK_USER, 'PATCH', f'{STACK}/preview'),
    ('stacks:validate_template', MEMBER, DENY_STACK_USER, 'POST', '/validate'),
    ('stacks:snapshot', MEMBER, DENY_STACK_USER, 'POST', f'{STACK}/snapshots'),
    ('stacks:show_snapshot', READER, DENY_STACK_USER, 'GET', f'{STACK}/snapshots/{{snapshot_id}}'),
    (
        'stacks:delete_snapshot',
        MEMBER,
        DENY_STACK_USER,
        'DELETE',
        f'{STACK}/snapshots/{{snapshot_id}}',
    ),
    ('stacks:list_snapshots', READER, DENY_STACK_USER, 'GET', f'{STACK}/snapshots'),
    (
        'stacks:restore_snapshot',
        MEMBER,
        DENY_STACK_USER,
        'POST',
        f'{STACK}/snapshots/{{snapshot_id}}/restore',
    ),
    ('stacks:list_outputs', READER, DENY_STACK_USER, 'GET', f'{STACK}/outputs'),
    ('stacks:show_output', READER, DENY_STACK_USER, 'GET', f'{STACK}/outputs/{{output_key}}'),
)

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
    'OS::Blazar::Host',
    'OS::Cinder::EncryptedVolumeType',
    'OS::Cinder::QoSAssociation',
    'OS::Cinder::QoSSpecs',
    'OS::Cinder::Quota',
    'OS::Cinder::VolumeType',
    'OS::Keystone::*',
    'OS::Manila::ShareType',
    'OS::Neutron::ProviderNet',
    'OS::Neutron::QoSBandwidthLimitRule',
    'OS::Neutron::QoSDscpMarkingRule',
    'OS::Neutron::QoSMinimumBandwidthRule',
    'OS::Neutron::QoSMinimumPacketRateRule',
    'OS::Neutron::QoSPolicy',
    'OS::Neutron::Quota',
    'OS::Neutron::Segment',
    'OS::Nova::Flavor',
    'OS::Nova::HostAggregate',
    'OS::Nova::Quota',
    'OS::Octavia::AvailabilityZone',
    'OS::Octavia::AvailabilityZoneProfile',
    'OS::Octavia::Flavor',
    'OS::Octavia::FlavorProfile',
    'OS::Octavia::Quota',
)


def list_rules() -> list[policy.RuleDefault]:
    """Return all rules with their defaults."""
    general = [policy.RuleDefault(name, check) for name, check in GENERAL.items()]
    rest = [_rest_rule(*row) for row in REST]
    cfn = [_aws_rule('cloudformation', *row) for row in CLOUDFORMATION]
    cloudwatch = [_aws_rule('cloudwatch', *row) for row in CLOUDWATCH]
    types = [
        policy.RuleDefault(
            f'resource_types:{name}', 'rule:project_admin', scope_types=list(PROJECT)
        )
        for name in ADMIN_TYPES
    ]
    return general + rest + cfn + cloudwatch + types


def _rest_rule(name, check, former, method, path):
    # Rules that deny all users concern the stacks of all projects, so they have no project scope.
    scope = None if check == 'rule:deny_everybody' else list(PROJECT)
    if path is None:
        return policy.RuleDefault(
            name, check, scope_types=scope, deprecated_rule=_deprecated(name, former)
        )
    operations = [{'method': method, 'path': f'/v1/{{tenant_id}}{path}'}]
    text = f'{method} {path}'
    return policy.DocumentedRuleDefault(
        name, check, text, operations, scope_types=scope, deprecated_rule=_deprecated(name, former)
    )


def _aws_rule(api, action, check):
    name = f'{api}:{action}'
    former = ALLOW_ALL if 'heat_stack_user' in check else DENY_STACK_USER
    return policy.RuleDefault(
        name, check, scope_types=list(PROJECT), deprecated_rule=_deprecated(name, former)
    )


def _deprecated(name, former):
    if former is None:
        return None
    reason = 'The default follows the personas admin, member and reader.'
    return policy.DeprecatedRule(name, former, deprecated_reason=reason, deprecated_since='W')

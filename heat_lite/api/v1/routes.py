"""Routes of the API: rows of method, path, 'controller.action' and, optionally, a policy rule.

The default rule is named after the action. With the rule ``None`` the action enforces the policy
itself, because its rule depends on the query or the body. Responses to OPTIONS and wrong methods
(405) follow from the table.
"""

TENANT = '{tenant_id}'
STACKS = f'{TENANT}/stacks'
NAMED = f'{STACKS}/{{stack_name}}'
STACK = f'{NAMED}/{{stack_id}}'
SNAPSHOTS = f'{STACK}/snapshots'
RESOURCE = f'{STACK}/resources/{{resource_name}}'
TYPES = f'{TENANT}/resource_types'
CONFIGS = f'{TENANT}/software_configs'
DEPLOYMENTS = f'{TENANT}/software_deployments'

#: the rule of what prepares a validation
VALIDATE = 'stacks:validate_template'

LOOKUP_METHODS = ('GET', 'POST', 'PUT', 'PATCH', 'DELETE')
# subpaths that are redirected from the name of a stack
SUBPATHS = ('resources', 'events', 'template', 'actions', 'environment', 'files')
POST_SUBPATHS = ('resources', 'events', 'template', 'actions')

STACK_ROUTES = (
    ('POST', f'{TENANT}/validate', 'stacks.validate_template'),
    ('POST', f'{TENANT}/validate/lint', 'texts.lint', VALIDATE),
    ('POST', f'{TENANT}/validate/complete', 'texts.complete', VALIDATE),
    ('GET', f'{TENANT}/validate/choices/{{constraint}}', 'texts.choices', VALIDATE),
    ('GET', STACKS, 'stacks.index', None),
    ('POST', STACKS, 'stacks.create'),
    ('POST', f'{STACKS}/preview', 'stacks.preview'),
    ('GET', f'{STACKS}/detail', 'stacks.detail'),
    ('GET', STACK, 'stacks.show'),
    ('GET', f'{STACK}/template', 'stacks.template'),
    ('GET', f'{STACK}/environment', 'stacks.environment'),
    ('GET', f'{STACK}/files', 'stacks.files'),
    ('PUT', STACK, 'stacks.update'),
    ('PATCH', STACK, 'stacks.update_patch', None),
    ('PUT', f'{STACK}/preview', 'stacks.preview_update'),
    ('PATCH', f'{STACK}/preview', 'stacks.preview_update_patch'),
    ('DELETE', STACK, 'stacks.delete'),
    ('DELETE', f'{STACK}/abandon', 'stacks.abandon'),
    ('GET', f'{STACK}/export', 'stacks.export'),
    ('GET', f'{STACK}/outputs', 'stacks.list_outputs'),
    ('GET', f'{STACK}/outputs/{{output_key}}', 'stacks.show_output'),
    ('POST', SNAPSHOTS, 'snapshots.snapshot'),
    ('GET', SNAPSHOTS, 'snapshots.list_snapshots'),
    ('GET', f'{SNAPSHOTS}/{{snapshot_id}}', 'snapshots.show_snapshot'),
    ('DELETE', f'{SNAPSHOTS}/{{snapshot_id}}', 'snapshots.delete_snapshot'),
    ('POST', f'{SNAPSHOTS}/{{snapshot_id}}/restore', 'snapshots.restore_snapshot'),
    ('POST', f'{STACK}/actions', 'actions.action', None),
)

LOOKUP_ROUTES = (
    *(
        (method, f'{STACKS}/{{stack_name:arn:*}}', 'stack_lookup.lookup')
        for method in LOOKUP_METHODS
    ),
    *((method, NAMED, 'stack_lookup.lookup') for method in LOOKUP_METHODS),
    *(
        ('GET', f'{NAMED}/{path}', f'stack_lookup.lookup_{path}', 'stacks:lookup')
        for path in SUBPATHS
    ),
    *(
        ('POST', f'{NAMED}/{path}', f'stack_lookup.lookup_{path}', 'stacks:lookup')
        for path in POST_SUBPATHS
    ),
)

RESOURCE_ROUTES = (
    ('GET', f'{STACK}/resources', 'resource.index'),
    ('GET', RESOURCE, 'resource.show'),
    ('PATCH', RESOURCE, 'resource.mark_unhealthy'),
    ('GET', f'{RESOURCE}/metadata', 'resource.metadata'),
    ('POST', f'{RESOURCE}/signal', 'resource.signal'),
    ('GET', f'{TENANT}/events', 'events.index_project', 'events:index'),
    ('GET', f'{STACK}/events', 'events.index'),
    ('GET', f'{RESOURCE}/events', 'events.index'),
    ('GET', f'{RESOURCE}/events/{{event_id}}', 'events.show'),
)

LIVE_ROUTES = (
    ('GET', f'{STACK}/graph', 'live.graph', 'resource:index'),
    ('GET', f'{STACK}/timeline', 'live.timeline', 'events:index'),
    ('GET', f'{STACK}/drift', 'live.drift', 'actions:check'),
)

TYPE_ROUTES = (
    ('GET', TYPES, 'types.list_resource_types'),
    ('GET', f'{TYPES}/{{type_name}}', 'types.resource_schema'),
    ('GET', f'{TYPES}/{{type_name}}/template', 'types.generate_template'),
    ('GET', f'{TENANT}/template_versions', 'types.list_template_versions'),
    (
        'GET',
        f'{TENANT}/template_versions/{{template_version}}/functions',
        'types.list_template_functions',
    ),
)

SOFTWARE_ROUTES = (
    ('GET', CONFIGS, 'software_configs.index', None),
    ('POST', CONFIGS, 'software_configs.create'),
    ('GET', f'{CONFIGS}/{{config_id}}', 'software_configs.show'),
    ('DELETE', f'{CONFIGS}/{{config_id}}', 'software_configs.delete'),
    ('GET', DEPLOYMENTS, 'software_deployments.index'),
    ('POST', DEPLOYMENTS, 'software_deployments.create'),
    ('GET', f'{DEPLOYMENTS}/metadata/{{server_id}}', 'software_deployments.metadata'),
    ('GET', f'{DEPLOYMENTS}/{{deployment_id}}', 'software_deployments.show'),
    ('PUT', f'{DEPLOYMENTS}/{{deployment_id}}', 'software_deployments.update'),
    ('DELETE', f'{DEPLOYMENTS}/{{deployment_id}}', 'software_deployments.delete'),
)

SERVICE_ROUTES = (
    ('GET', f'{TENANT}/build_info', 'build_info.build_info'),
    ('GET', f'{TENANT}/services', 'service.index'),
)

ROUTES = (
    *STACK_ROUTES,
    *LOOKUP_ROUTES,
    *RESOURCE_ROUTES,
    *LIVE_ROUTES,
    *TYPE_ROUTES,
    *SOFTWARE_ROUTES,
    *SERVICE_ROUTES,
)

# Without Keystone a wait condition handle has no signed URL at the CFN API: its reference is the
# URL for signals of this API, to which clients of CloudFormation send PUT.
NOAUTH_ROUTES = (*ROUTES, ('PUT', f'{RESOURCE}/signal', 'resource.signal'))

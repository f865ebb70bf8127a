"""Clients of the engine, for the API and for other engines: one line declares one remote method."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from heat_lite.common.context import RequestContext
from heat_lite.common.value_types import Value
from heat_lite.operations import OPERATIONS
from heat_lite.operations.remote_method import ABSENT, Since, call
from heat_lite.rpc import api
from heat_lite.rpc.contract import RpcClient

_CHECK_DEPLOYMENT = call('check_software_deployment', '1.27', 'deployment_id', 'timeout')

_CREATE = ('stack_name', 'template', 'params', 'files', 'args')
_UPDATE = ('stack_identity', 'template', 'params', 'files', 'args')
_FILES = {'environment_files': None, 'files_container': None}
_PLAN = {'plan': Since('1.40')}
_STORE = {'store': Since('1.40')}
_STORED = {'revision': Since('1.39'), **_PLAN, 'part': Since('1.40')}
_TAGS = {'tags': None, 'tags_any': None, 'not_tags': None, 'not_tags_any': None}
_SCOPE = {
    'filters': None,
    'show_deleted': False,
    'show_nested': False,
    'show_hidden': False,
    **_TAGS,
    'tenant_safe': ABSENT,
}
_PAGE = {'limit': None, 'marker': None, 'sort_keys': None, 'sort_dir': None}
_PARENT = {
    'owner_id': None,
    'nested_depth': 0,
    'user_creds_id': None,
    'stack_user_project_id': None,
    'parent_resource_name': None,
}


class EngineClient(RpcClient):
    """Client of any running engine.

    Each method takes the context by position and all else by name:
    ``client.show_stack(context, stack_identity=...)``. The methods of operations that do no
    more than call one are declared with them (``heat_lite/operations``), the others here.
    """

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Callable[..., Value]: ...

    topic = api.ENGINE_TOPIC
    mandatory = retry_undeliverable = True

    # stacks
    identify_stack = call('identify_stack', '1.0', 'stack_name')
    list_stacks = call('list_stacks', '1.33', **_PAGE, **_SCOPE)
    count_stacks = call('count_stacks', '1.33', **_SCOPE)
    show_stack = call('show_stack', '1.20', 'stack_identity', resolve_outputs=True)
    preview_stack = call('preview_stack', '1.36', *_CREATE, **_FILES, **_PLAN, **_STORE)
    create_stack = call(
        'create_stack', '1.36', *_CREATE, **_FILES, **_PARENT, **_PLAN, template_id=None
    )
    preview_update_stack = call(
        'preview_update_stack', '1.36', *_UPDATE, **_FILES, **_STORED, **_STORE, live=Since('1.40')
    )
    update_stack = call('update_stack', '1.36', *_UPDATE, **_FILES, **_STORED, template_id=None)
    delete_stack = call(
        'delete_stack', '1.0', 'stack_identity', force=ABSENT, if_match=Since('1.38')
    )
    stack_cancel_update = call(
        'stack_cancel_update', '1.14', 'stack_identity', cancel_with_rollback=True
    )
    stack_suspend = call('stack_suspend', '1.0', 'stack_identity')
    stack_resume = call('stack_resume', '1.0', 'stack_identity')
    stack_check = call('stack_check', '1.0', 'stack_identity')
    stack_retry = call('stack_retry', '1.36', 'stack_identity')
    stack_protect = call('stack_protect', '1.36', 'stack_identity', 'protected')
    refactor_stacks = call('refactor_stacks', '1.39', 'stacks', 'moves', dry_run=False)
    migrate_convergence_1 = call('migrate_convergence_1', '1.34', 'stack_id')

    # snapshots
    stack_snapshot = call('stack_snapshot', '1.0', 'stack_identity', 'name')

    # resources and events
    list_stack_resources = call(
        'list_stack_resources',
        '1.25',
        'stack_identity',
        nested_depth=0,
        with_detail=False,
        filters=None,
    )
    describe_stack_resource = call(
        'describe_stack_resource', '1.2', 'stack_identity', 'resource_name', with_attr=False
    )
    describe_stack_resources = call(
        'describe_stack_resources', '1.0', 'stack_identity', 'resource_name'
    )
    find_physical_resource = call('find_physical_resource', '1.0', 'physical_resource_id')
    resource_signal = call(
        'resource_signal', '1.3', 'stack_identity', 'resource_name', 'details', sync_call=False
    )
    resource_mark_unhealthy = call(
        'resource_mark_unhealthy',
        '1.26',
        'stack_identity',
        'resource_name',
        'mark_unhealthy',
        resource_status_reason=None,
    )
    list_events = call(
        'list_events', '1.31', 'stack_identity', **_PAGE, filters=None, nested_depth=None
    )

    read_new_events = call(
        'read_new_events',
        '1.36',
        after=None,
        stack_ids=(),
        projects=(),
        watched=(),
        with_tags=False,
    )
    read_past_events = call(
        'read_past_events',
        '1.36',
        'stack_identity',
        'nested_depth',
        'after',
        'until',
        with_tags=False,
    )

    # templates and types
    validate_template = call(
        'validate_template',
        '1.36',
        'template',
        params=None,
        files=None,
        **_FILES,
        show_nested=False,
        ignorable_errors=None,
    )
    lint_template = call('lint_template', '1.36', 'texts')
    complete_template = call('complete_template', '1.36', 'texts', 'file', 'line', 'column')
    list_resource_types = call(
        'list_resource_types',
        '1.30',
        support_status=None,
        type_name=None,
        heat_version=None,
        with_description=False,
    )
    list_unavailable_types = call('list_unavailable_types', '1.36', type_name=None)
    generate_template = call('generate_template', '1.9', 'type_name', template_type='cfn')

    # software configs and deployments
    list_software_configs = call(
        'list_software_configs', '1.33', limit=None, marker=None, tenant_safe=ABSENT
    )
    create_software_config = call(
        'create_software_config',
        '1.0',
        'group',
        'name',
        'config',
        inputs=None,
        outputs=None,
        options=None,
    )
    create_software_deployment = call(
        'create_software_deployment',
        '1.0',
        'server_id',
        config_id=None,
        deployment_id=None,
        input_values=None,
        action='INIT',
        status='COMPLETE',
        status_reason='',
        stack_user_project_id=None,
    )
    update_software_deployment = call(
        'update_software_deployment',
        '1.5',
        'deployment_id',
        config_id=None,
        input_values=None,
        output_values=None,
        action=None,
        status=None,
        status_reason=None,
        updated_at=None,
    )
    signal_software_deployment = call(
        'signal_software_deployment', '1.6', 'deployment_id', 'details', updated_at=None
    )

    # watch rules
    create_watch_data = call('create_watch_data', '1.0', 'watch_name', 'stats_data')
    show_watch = call(
        'show_watch', '1.0', watch_name=None, filters=ABSENT, limit=ABSENT, after=ABSENT
    )
    show_watch_metric = call(
        'show_watch_metric',
        '1.0',
        metric_namespace=None,
        metric_name=None,
        limit=ABSENT,
        after=ABSENT,
    )
    set_watch_state = call('set_watch_state', '1.0', 'watch_name', 'state', reason=ABSENT)

    # the service
    authenticated_to_backend = call('authenticated_to_backend')
    get_revision = call('get_revision')

    def check_software_deployment(
        self, context: RequestContext, *, deployment_id: str, timeout: float
    ) -> Value:
        """Wait for the end of a deployment for at most ``timeout`` seconds."""
        args = {'deployment_id': deployment_id, 'timeout': timeout}
        return self.deliver(_CHECK_DEPLOYMENT, context, args, timeout=timeout)


for _operation in OPERATIONS:
    # not by attribute: a Method is a descriptor, and mypy takes it for one of Operation
    if _method := vars(_operation)['calls']:
        setattr(EngineClient, _method.name, _method)


class PeerClient(EngineClient):
    """Client of any running engine, for other engines: it uses the RPC server of PEER_TOPIC."""

    topic = api.PEER_TOPIC

"""How much is allowed, how long it may take, how often it is tried."""

from oslo_config import cfg

DEFAULT = [
    cfg.IntOpt('max_stacks_per_tenant', default=512, help='Stacks that a project may have at a time.'),
    cfg.IntOpt('max_resources_per_stack', default=1000, help='Resources in a tree of nested stacks. -1: no limit.'),
    cfg.IntOpt('max_nested_stack_depth', default=5, help='Levels of nested stacks.'),
    cfg.IntOpt('max_template_size', default=524288, help='Bytes of a template or an environment.'),
    cfg.IntOpt('max_json_body_size', default=1048576, help='Bytes of a request body. Should not be less than max_template_size.'),
    cfg.IntOpt('max_snapshots_per_stack', default=32, help='Snapshots of one stack. -1: no limit.'),
    cfg.IntOpt('max_software_configs_per_tenant', default=4096, help='Software configurations of a project. -1: no limit.'),
    cfg.IntOpt('max_software_deployments_per_tenant', default=4096, help='Software deployments of a project. -1: no limit.'),
    cfg.IntOpt('max_events_per_stack', default=1000, help='Events kept of a stack; the oldest go. 0: keep all.'),
    cfg.IntOpt('event_purge_batch_size', default=200, min=1, help='Events that are removed at once when a stack has too many.'),
    cfg.IntOpt('max_server_name_length', default=53, max=53, help='Characters of a server name that is made up by the service.'),
    cfg.IntOpt('max_interface_check_attempts', default=10, min=1, help='How often to look whether a port was attached or detached.'),
    cfg.IntOpt('stack_action_timeout', default=3600, help='Seconds that an action on a stack may take when the user says nothing.'),
    cfg.IntOpt('error_wait_time', default=240, help='Seconds after a failed resource in which others under way may still end well.'),
    cfg.IntOpt('action_retry_limit', default=5, help='How often a create or a delete that ended in an error is tried again.'),
    cfg.IntOpt('client_retry_limit', default=2, help='How often a call to the cloud that met a passing error is tried again.'),
    cfg.FloatOpt('template_fetch_timeout', default=60, min=0, help='Seconds to wait for a template that is read from a URL.'),
    cfg.FloatOpt('metadata_put_timeout', default=60, min=0, help='Seconds to wait when metadata is stored at a temporary URL.'),
    cfg.BoolOpt('enable_stack_abandon', default=False, help='Whether stacks may be abandoned (forgotten, their objects left).'),
    cfg.BoolOpt('enable_stack_adopt', default=False, help='Whether stacks may be made from objects that exist.'),
    cfg.BoolOpt('observe_on_update', default=False, help='Ask the cloud for the real state of a resource before updating it.'),
    cfg.ListOpt('hidden_stack_tags', default=[], help='Stacks with one of these tags are left out of lists.'),
    cfg.StrOpt('max_nova_api_microversion', help='Newest microversion of the compute API to use.'),
    cfg.StrOpt('max_cinder_api_microversion', help='Newest microversion of the volume API to use.'),
    cfg.StrOpt('max_ironic_api_microversion', help='Newest microversion of the bare metal API to use.'),
]

YAQL = [
    cfg.IntOpt('limit_iterators', default=200, help='Elements that a collection inside a YAQL expression may have.'),
    cfg.IntOpt('memory_quota', default=10000, help='Bytes that a YAQL expression may use.'),
]

GROUPS = {'DEFAULT': DEFAULT, 'yaql': YAQL}

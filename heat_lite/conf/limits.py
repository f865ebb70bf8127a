"""Options of limits, timeouts and retries."""

import ipaddress
from typing import Any

from oslo_config import cfg, types


class Network(types.ConfigType):
    """A network in the notation ADDRESS/BITS, or one address."""

    def __init__(self) -> None:
        super().__init__(type_name='network')

    def __call__(self, value: Any) -> Any:
        return ipaddress.ip_network(value)

    def __eq__(self, other: object) -> bool:
        return type(other) is Network

    __hash__ = types.ConfigType.__hash__

    def _formatter(self, value: Any) -> str:
        return str(value)


DEFAULT = [
    cfg.IntOpt(
        'max_stacks_per_tenant',
        default=512,
        help='Maximum number of top-level stacks of a project. -1 means no limit.',
    ),
    cfg.IntOpt(
        'max_resources_per_stack',
        default=1000,
        help='Maximum number of resources in a stack and its nested stacks. -1 means no limit.',
    ),
    cfg.IntOpt(
        'max_nested_stack_depth', default=5, help='Maximum number of levels of nested stacks.'
    ),
    cfg.IntOpt(
        'max_template_size',
        default=524288,
        help='Maximum size of a template or of an environment in bytes.',
    ),
    cfg.IntOpt(
        'max_json_body_size',
        default=1048576,
        help='Maximum size of a request body in bytes. The value should not be less than '
        'max_template_size.',
    ),
    cfg.IntOpt(
        'max_snapshots_per_stack',
        default=32,
        help='Maximum number of snapshots of a stack. -1 means no limit.',
    ),
    cfg.IntOpt(
        'max_revisions_per_stack',
        default=20,
        min=0,
        help='Number of definitions of a stack that are kept; older ones are deleted when the '
        'definition changes. 0 keeps all definitions.',
    ),
    cfg.IntOpt(
        'max_software_configs_per_tenant',
        default=4096,
        help='Maximum number of software configurations of a project. -1 means no limit.',
    ),
    cfg.IntOpt(
        'max_software_deployments_per_tenant',
        default=4096,
        help='Maximum number of software deployments of a project. -1 means no limit.',
    ),
    cfg.IntOpt(
        'max_events_per_stack',
        default=1000,
        help='Number of events kept for a stack; older events are deleted. 0 keeps all events.',
    ),
    cfg.IntOpt(
        'event_purge_batch_size',
        default=200,
        min=1,
        help='Number of events that are deleted at once when a stack exceeds max_events_per_stack.',
    ),
    cfg.IntOpt(
        'max_server_name_length',
        default=53,
        max=53,
        help='Maximum length of a server name that the service generates, in characters.',
    ),
    cfg.IntOpt(
        'max_interface_check_attempts',
        default=10,
        min=1,
        help='Number of checks whether a port was attached to a server or detached from it. The '
        'pauses between the checks grow from 0.5 to 12 seconds. The resource fails after the last '
        'check.',
    ),
    cfg.IntOpt(
        'stack_action_timeout',
        default=3600,
        help='Timeout of an action on a stack in seconds, unless the request sets a timeout.',
    ),
    cfg.IntOpt(
        'error_wait_time',
        default=240,
        help='Number of seconds that running resources have to finish after another resource of '
        'the stack has failed.',
    ),
    cfg.IntOpt(
        'action_retry_limit',
        default=5,
        help='Number of times that a failed create or delete of a resource is retried.',
    ),
    cfg.IntOpt(
        'client_retry_limit',
        default=2,
        help='Number of times that a request to a service is retried after a transient error.',
    ),
    cfg.FloatOpt(
        'template_fetch_timeout',
        default=60,
        min=0,
        help='Timeout in seconds for reading a template from a URL.',
    ),
    cfg.FloatOpt(
        'metadata_put_timeout',
        default=60,
        min=0,
        help='Timeout in seconds of the request that stores the metadata of a server in the object '
        'storage, from which the server reads it by a temporary URL.',
    ),
    cfg.BoolOpt(
        'enable_stack_abandon',
        default=False,
        help='If true, stacks can be abandoned: the stack is deleted, its resources stay.',
    ),
    cfg.BoolOpt(
        'enable_stack_adopt',
        default=False,
        help='If true, stacks can be adopted: a stack is created from existing resources.',
    ),
    cfg.BoolOpt(
        'observe_on_update',
        default=False,
        help='If true, an update compares the template with the live state of each resource '
        'instead of its stored properties.',
    ),
    cfg.ListOpt(
        'hidden_stack_tags',
        default=[],
        help='Tags that hide a stack: a list of stacks omits it unless hidden stacks are '
        'requested.',
    ),
    cfg.StrOpt(
        'max_nova_api_microversion',
        help='Highest microversion of the compute API that is used. If unset, the highest '
        'supported microversion is used.',
    ),
    cfg.StrOpt(
        'max_cinder_api_microversion',
        help='Highest microversion of the volume API that is used. If unset, the highest '
        'supported microversion is used.',
    ),
    cfg.StrOpt(
        'max_ironic_api_microversion',
        help='Highest microversion of the bare metal API that is used. If unset, the highest '
        'supported microversion is used.',
    ),
]

YAQL = [
    cfg.IntOpt(
        'limit_iterators',
        default=200,
        help='Maximum number of elements of a collection in a YAQL expression.',
    ),
    cfg.IntOpt(
        'memory_quota',
        default=10000,
        help='Maximum memory in bytes that the evaluation of a YAQL expression uses.',
    ),
]

HEAT_LITE = [
    cfg.ListOpt(
        'template_url_allow',
        default=[],
        item_type=Network(),
        help='Networks, e.g. 127.0.0.0/8, from which templates may be read by URL, and in which '
        'OS::Heat::Stack with credential_secret_id may reach another cloud, although they are '
        'refused otherwise: loopback, link-local, multicast and unspecified addresses are, those '
        'of metadata services, and those of template_url_refuse.',
    ),
    cfg.ListOpt(
        'template_url_refuse',
        default=[],
        item_type=Network(),
        help='Networks, e.g. 10.0.0.0/8, from which no template is read by URL.',
    ),
    cfg.IntOpt(
        'plan_lifetime',
        default=86400,
        min=1,
        help='Seconds after which a plan expires.',
    ),
    cfg.ListOpt(
        'plan_required_tags',
        default=[],
        help='Tags, e.g. production: a stack with one of them is created and updated only by a '
        'plan that another user than its author has approved. Other actions, such as a delete or '
        'the return to a snapshot, need none.',
    ),
    cfg.StrOpt(
        'template_url_proxy',
        help='URL of the HTTP proxy, e.g. http://proxy:3128, by which templates are read from '
        'URLs. The proxy resolves the names, so it must refuse internal addresses itself. If '
        'unset, no proxy is used: proxies and .netrc of the environment are ignored.',
    ),
]

GROUPS = {'DEFAULT': DEFAULT, 'heat_lite': HEAT_LITE, 'yaql': YAQL}

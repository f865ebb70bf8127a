"""The application of the CloudFormation API: requests by signed URLs, and the actions of stacks."""

import dataclasses

import webob
from oslo_config import cfg

from heat_lite.api import paste_config, wsgi
from heat_lite.api.aws import ec2token, faults, signatures
from heat_lite.api.aws.query_application import QueryAction, QueryApplication
from heat_lite.api.cfn import resources, signed_urls, stacks, templates
from heat_lite.api.v1.stack_request import RequestLimits
from heat_lite.common.admission import RequestAdmission
from heat_lite.policies.enforcer import Enforcer
from heat_lite.rpc.client import EngineClient

#: the value of the parameter Version
VERSION = '2010-05-15'
PATHS = ('/v1', '/v1/')
TEMPLATE = ('TemplateBody', 'TemplateURL', 'TemplateUrl')
#: of a create and an update
CHANGE = (
    *TEMPLATE,
    'Capabilities',
    'ClientRequestToken',
    'DisableRollback',
    'NotificationARNs',
    'OnFailure',
    'Parameters',
    'StackName',
    'Tags',
    'TimeoutInMinutes',
)
STACK = ('StackName',)
#: parameters of Amazon that would restrict or protect: to ignore them, as Heat does with all that
#: it does not know, would do what the requester has excluded
REFUSED = (
    'ChangeSetName',
    'DeletionMode',
    'EnableTerminationProtection',
    'ResourceTypes',
    'RetainResources',
    'RoleARN',
    'RollbackConfiguration',
    'StackPolicyBody',
    'StackPolicyDuringUpdateBody',
    'StackPolicyDuringUpdateURL',
    'StackPolicyURL',
)
#: action -> its method, its parameters and those of them that a request must have
ACTIONS: dict[str, tuple[str, tuple[str, ...], tuple[str, ...]]] = {
    'CancelUpdateStack': ('stacks.cancel', STACK, STACK),
    'CreateStack': ('stacks.create', CHANGE, STACK),
    'DeleteStack': ('stacks.delete', (*STACK, 'ClientRequestToken'), STACK),
    'DescribeStackEvents': ('resources.events', (*STACK, 'NextToken'), ()),
    'DescribeStackResource': (
        'resources.describe_one',
        (*STACK, 'LogicalResourceId'),
        (*STACK, 'LogicalResourceId'),
    ),
    'DescribeStackResources': (
        'resources.describe',
        (*STACK, 'LogicalResourceId', 'PhysicalResourceId'),
        (),
    ),
    'DescribeStacks': ('stacks.describe', (*STACK, 'NextToken'), ()),
    'EstimateTemplateCost': ('templates.estimate_cost', (*TEMPLATE, 'Parameters'), ()),
    'GetTemplate': ('templates.get', STACK, STACK),
    'ListStackResources': ('resources.list_summaries', (*STACK, 'NextToken'), STACK),
    'ListStacks': ('stacks.list_summaries', ('NextToken', 'StackStatusFilter'), ()),
    'UpdateStack': ('stacks.update', (*CHANGE, 'UsePreviousTemplate'), STACK),
    'ValidateTemplate': ('templates.validate', TEMPLATE, ()),
}


@dataclasses.dataclass
class CfnApplication(wsgi.Responder):
    """The application; ``signed``: that of signed URLs, ``queried``: that of the query protocol."""

    signed: wsgi.WsgiApp
    queried: wsgi.WsgiApp

    def answer(self, environ: wsgi.Environ) -> wsgi.WsgiApp:
        path = signatures.path_of(webob.Request(environ))
        if ec2token.SIGNED.match(path):
            return self.signed
        if path not in PATHS:
            raise faults.Fault(
                404, 'InvalidAction', f'{path} is no path of this API: its actions are at /v1/'
            )
        return self.queried


def build(conf: cfg.ConfigOpts) -> CfnApplication:
    """Return the application with the options of the configuration."""
    client, enforcer = EngineClient(), Enforcer(conf)
    control = RequestAdmission.of_options(conf)
    limits = RequestLimits(
        template_size=conf.max_template_size, fetch_timeout=conf.template_fetch_timeout
    )
    queried = QueryApplication(_actions(client, limits), VERSION, enforcer, control)
    signed = signed_urls.SignedUrlApplication(client, enforcer, control, conf.max_json_body_size)
    return CfnApplication(signed, queried)


def _actions(client: EngineClient, limits: RequestLimits) -> dict[str, QueryAction]:
    controllers: dict[str, object] = {
        'resources': resources.ResourceActions(client),
        'stacks': stacks.StackActions(client, limits),
        'templates': templates.TemplateActions(client, limits),
    }
    found = {}
    for name, (target, params, required) in ACTIONS.items():
        controller, _, method = target.partition('.')
        run = getattr(controllers[controller], method)
        found[name] = QueryAction(run, f'cloudformation:{name}', params, required, REFUSED)
    return found


app_factory = paste_config.make_factory(build)

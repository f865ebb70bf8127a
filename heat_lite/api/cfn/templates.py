"""Actions on templates: get, validate, estimate."""

import dataclasses

from heat_lite.api.aws import faults, query
from heat_lite.api.cfn import arguments as given, elements, stack_identities
from heat_lite.api.v1.stack_request import RequestLimits
from heat_lite.common.context import RequestContext
from heat_lite.common.value_types import Values
from heat_lite.rpc.client import EngineClient

#: the page that Heat names: the service bills nothing
GRATIS = 'http://en.wikipedia.org/wiki/Gratis'


@dataclasses.dataclass
class TemplateActions:
    client: EngineClient
    limits: RequestLimits

    def get(self, context: RequestContext, arguments: query.Arguments) -> Values:
        identity = stack_identities.find(self.client, context, arguments['StackName'])
        return {'TemplateBody': self.client.get_template(context, stack_identity=identity)}

    def validate(self, context: RequestContext, arguments: query.Arguments) -> Values:
        """Return what a client needs to fill in the parameters. Raises Fault for an error."""
        found = self._validated(context, arguments)
        parameters = found['Parameters'].items()
        return {
            'Description': found['Description'],
            'Parameters': [elements.template_parameter(*each) for each in parameters],
            'Environment': found['Environment'],
        }

    def _validated(self, context: RequestContext, arguments: query.Arguments) -> Values:
        request = given.TemplateRequest(given.template_of(arguments), self.limits)
        found: Values = self.client.validate_template(
            context, template=request.template(), **request.content_args()
        )
        if 'Error' in found:
            raise faults.fault('InvalidParameterValue', found['Error'])
        return found

    def estimate_cost(self, context: RequestContext, arguments: query.Arguments) -> Values:
        """Return the page about the cost, after the validation of a template that is given."""
        given.parameters_of(arguments)
        if any(name in arguments for name in given.TEMPLATE):
            self._validated(context, arguments)
        return {'Url': GRATIS}

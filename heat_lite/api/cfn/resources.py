"""Actions on the resources and the events of stacks."""

import dataclasses

from heat_lite.api.aws import faults, query
from heat_lite.api.cfn import elements, page_tokens, stack_identities
from heat_lite.common.context import RequestContext
from heat_lite.common.identifier import HeatIdentifier
from heat_lite.common.value_types import Values
from heat_lite.rpc.client import EngineClient


@dataclasses.dataclass
class ResourceActions:
    client: EngineClient

    def events(self, context: RequestContext, arguments: query.Arguments) -> Values:
        """Return the events of a stack, or of all stacks of the project, newest first."""
        last = page_tokens.read('events', arguments)
        name = arguments.get('StackName')
        scope: Values = {'stack_identity': None}
        if name is not None:
            scope['stack_identity'] = stack_identities.find(self.client, context, name)
        if last and not self.client.list_events(context, **scope, filters={'uuid': last}, limit=1):
            raise page_tokens.expired()
        rows = self.client.list_events(context, **scope, limit=page_tokens.PAGE + 1, marker=last)
        found = [elements.event(row) for row in rows]
        page, more = page_tokens.cut('events', found, lambda event: event['EventId'])
        return {'StackEvents': page, **more}

    def describe_one(self, context: RequestContext, arguments: query.Arguments) -> Values:
        """Return a resource with its metadata: that is what servers ask for."""
        identity = stack_identities.find(self.client, context, arguments['StackName'])
        row = self.client.describe_stack_resource(
            context, stack_identity=identity, resource_name=arguments['LogicalResourceId']
        )
        return {'StackResourceDetail': elements.resource_detail(row)}

    def describe(self, context: RequestContext, arguments: query.Arguments) -> Values:
        """Return the resources of a stack, which a physical id can name, too."""
        physical = arguments.get('PhysicalResourceId')
        if physical and 'StackName' in arguments:
            raise faults.fault(
                'InvalidParameterCombination',
                'Use `StackName` or `PhysicalResourceId` but not both',
            )
        if physical:
            found = HeatIdentifier.from_dict(
                self.client.find_physical_resource(context, physical_resource_id=physical)
            )
            identity = stack_identities.own(context, found)
        else:
            identity = self._named(context, arguments)
        rows = self.client.describe_stack_resources(
            context,
            stack_identity=identity,
            resource_name=arguments.get('LogicalResourceId') or None,
        )
        return {'StackResources': [elements.resource(row) for row in rows]}

    def _named(self, context: RequestContext, arguments: query.Arguments) -> Values:
        if 'StackName' not in arguments:
            raise faults.fault('MissingParameter', 'StackName or PhysicalResourceId is required')
        return stack_identities.find(self.client, context, arguments['StackName'])

    def list_summaries(self, context: RequestContext, arguments: query.Arguments) -> Values:
        last = page_tokens.read('resources', arguments)
        identity = stack_identities.find(self.client, context, arguments['StackName'])
        rows = self.client.list_stack_resources(context, stack_identity=identity)
        if last is not None:
            names = [row['resource_name'] for row in rows]
            if last not in names:
                raise page_tokens.expired()
            rows = rows[names.index(last) + 1 :]
        page, more = page_tokens.cut('resources', rows, lambda row: row['resource_name'])
        return {'StackResourceSummaries': [elements.resource_summary(row) for row in page], **more}

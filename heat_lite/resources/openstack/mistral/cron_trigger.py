"""OS::Mistral::CronTrigger."""

import json

from heat_lite.resources.base.cloud import Rest
from heat_lite.resources.base.named_object import DeletedFirst
from heat_lite.resources.base.property_rules import empty, one_of
from heat_lite.resources.openstack.mistral import workflows
from heat_lite.template.schema import OURS, integer, integer_attribute, map_, name_property, string


class CronTrigger(DeletedFirst):
    """A cron trigger: executes a workflow repeatedly."""

    resource_type = 'OS::Mistral::CronTrigger'
    since = '5.0.0'
    rest = Rest('mistral', '/cron_triggers', None, id='name')
    entity = 'cron_triggers'

    properties_schema = {
        'name': name_property(update_allowed=False),
        'count': integer('Number of executions.', wire='remaining_executions'),
        'first_time': string('Time of the first execution.', wire='first_execution_time'),
        'pattern': string(
            'Times of the executions, as a cron expression.', custom='cron_expression'
        ),
        'workflow': map_(
            'Workflow to execute.',
            {
                'input': map_('Input of the executed workflow.'),
                'params': map_('Parameters of the executions.', since=OURS),
                'name': string(
                    'Name or id of the workflow.', required=True, custom='mistral.workflow'
                ),
            },
            required=True,
            sent=False,
        ),
    }
    observed_keys = {'workflow': 'workflow'}

    def normalize(self, found):
        """Return the trigger with its workflow as the template names it."""
        given = (self.stored_properties().get('workflow') or {}).get('name')
        names = found['workflow_name'], found.get('workflow_id')
        parts = {
            key: json.loads(found[f'workflow_{key}'] or '{}') or None for key in ('input', 'params')
        }
        return {**found, 'workflow': {'name': given if given in names else names[0], **parts}}

    property_rules = (one_of('pattern', 'first_time', test=empty),)
    attributes_schema = {
        'next_execution_time': 'Time of the next execution.',
        'remaining_executions': integer_attribute('Number of remaining executions.'),
    }

    def body(self, values):
        workflow = self.properties['workflow']
        return {
            **values,
            **workflows.reference(workflow['name']),
            'workflow_input': json.dumps(workflow['input'] or {}),
            **({'workflow_params': json.dumps(workflow['params'])} if workflow['params'] else {}),
        }

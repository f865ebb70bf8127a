"""OS::Mistral::CronTrigger."""

import json

from heat_lite.resources.cloud import CloudResource, Rest
from heat_lite.resources.openstack.mistral import workflows
from heat_lite.template import support
from heat_lite.template.constraints import CustomConstraint
from heat_lite.template.schema import integer, integer_attribute, map_, string, text


class CronTrigger(CloudResource):
    """Starts a workflow again and again."""

    resource_type = 'OS::Mistral::CronTrigger'
    support_status = support.since('5.0.0')
    rest = Rest('mistral', '/cron_triggers', None, id='name')
    entity = 'cron_triggers'

    properties_schema = {
        'name': string('Its name. Without one, one is made up from those of the stack and of the resource.'),
        'count': integer('How often it does.', wire='remaining_executions'),
        'first_time': string('When it does for the first time.', wire='first_execution_time'),
        'pattern': string('When it does, as cron says it.', constraints=[CustomConstraint('cron_expression')]),
        'workflow': map_(
            'The workflow.',
            {
                'input': map_('Its input.'),
                'name': string('Its name or id.', required=True, constraints=[CustomConstraint('mistral.workflow')]),
            },
            required=True,
            sent=False,
        ),
    }
    attributes_schema = {
        'next_execution_time': text('When it does next.'),
        'remaining_executions': integer_attribute('How often it still will.'),
    }

    def body(self, values):
        workflow = self.properties['workflow']
        return {**values, **workflows.named(workflow['name']), 'workflow_input': json.dumps(workflow['input'] or {})}

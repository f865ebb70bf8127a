"""Scenarios of what this service has and Heat has not: previews of updates, and retries.

They use the REST API by the session of rally's client.
"""

import time

from rally.task import atomic, types, validation
from rally_openstack.common import consts
from rally_openstack.task import scenario
from rally_openstack.task.scenarios.heat import utils

#: seconds between two looks, and until an iteration fails
POLL, TIMEOUT = 0.2, 600


class HeatLiteScenario(utils.HeatScenario):
    """Requests to the REST API."""

    def request(self, method, path, **values):
        """Send a request to the endpoint of the project; return the answer's data."""
        answer = self.clients('heat').http_client.request(path, method, **values)
        return answer.json() if answer.content else None

    def wait(self, stack_id, wanted):
        """Wait until a stack has a status. Raises RuntimeError if it has failed otherwise."""
        end = time.monotonic() + TIMEOUT
        while time.monotonic() < end:
            stack = self.clients('heat').stacks.get(stack_id)
            if stack.stack_status == wanted:
                return
            if stack.stack_status.endswith('_FAILED'):
                raise RuntimeError(f'{stack.stack_status}: {stack.stack_status_reason}')
            time.sleep(POLL)
        raise RuntimeError(f'The stack {stack_id} is not {wanted} after {TIMEOUT} s')


@types.convert(template_path={'type': 'file'}, updated_template_path={'type': 'file'})
@validation.add('required_services', services=[consts.Service.HEAT])
@validation.add('required_platform', platform='openstack', users=True)
@scenario.configure(
    context={'cleanup@openstack': ['heat']},
    name='HeatLiteStacks.create_preview_update_delete_stack',
    platform='openstack',
)
class CreatePreviewUpdateDeleteStack(HeatLiteScenario):
    """Create a stack, preview an update, run it, and compare both."""

    def run(self, template_path, updated_template_path, parameters=None):
        stack = self._create_stack(template_path, parameters)
        body = {'template': updated_template_path, 'parameters': parameters or {}}
        path = f'/stacks/{stack.stack_name}/{stack.id}/preview'
        with atomic.ActionTimer(self, 'heat_lite.preview_update'):
            changes = self.request('PUT', path, json=body)['resource_changes']
        self.assertTrue(changes['updated'] or changes['replaced'])
        self._update_stack(stack, updated_template_path, parameters)
        self._delete_stack(stack)


@validation.add('number', param_name='resources', minval=1, integer_only=True)
@validation.add('required_services', services=[consts.Service.HEAT])
@validation.add('required_platform', platform='openstack', users=True)
@scenario.configure(
    context={'cleanup@openstack': ['heat']},
    name='HeatLiteStacks.create_wide_stack',
    platform='openstack',
)
class CreateWideStack(HeatLiteScenario):
    """Create and delete a stack of many independent resources."""

    def run(self, resources=500):
        one = {'type': 'OS::Heat::RandomString'}
        template = {
            'heat_template_version': '2021-04-16',
            'resources': {f'r{number}': one for number in range(resources)},
        }
        body = {'stack_name': self.generate_random_name(), 'template': template}
        with atomic.ActionTimer(self, 'heat_lite.create_wide_stack'):
            stack_id = self.request('POST', '/stacks', json=body)['stack']['id']
            self.wait(stack_id, 'CREATE_COMPLETE')
        with atomic.ActionTimer(self, 'heat_lite.list_resources'):
            found = self.clients('heat').resources.list(stack_id)
        self.assertEqual(resources, len(found))
        self._delete_stack(self.clients('heat').stacks.get(stack_id))

"""OS::Heat::Delay."""

import random
import time

from heat_lite.common import exception, status
from heat_lite.engine.resource.resource import Resource
from heat_lite.template.constraints import Range
from heat_lite.template.schema import list_, number

ACTIONS = (status.CREATE, status.DELETE, status.SUSPEND, status.RESUME)
SECONDS = {'update_allowed': True, 'constraints': [Range(min=0)]}


class Delay(Resource):
    """A delay of ``min_wait`` seconds plus a random part: up to ``max_jitter`` times
    ``jitter_multiplier`` seconds.
    """

    resource_type = 'OS::Heat::Delay'
    since = '11.0.0'
    local = True
    has_object = False

    properties_schema = {
        'min_wait': number('Minimum delay in seconds.', default=0, **SECONDS),
        'max_jitter': number(
            'Maximum random delay, in units of jitter_multiplier.', default=0, **SECONDS
        ),
        'jitter_multiplier': number(
            'Seconds per unit of the random delay.', default=1.0, **SECONDS
        ),
        'actions': list_(
            'Stack actions that are delayed.',
            default=[status.CREATE],
            update_allowed=True,
            allowed=ACTIONS,
        ),
    }

    def validate(self):
        super().validate()
        longest, timeout = self._seconds(1), self.stack.timeout_seconds()
        if longest > timeout:
            raise exception.StackValidationFailed(
                f'A delay of up to {longest:g} s is beyond the timeout of the stack, {timeout} s',
                path=self.definition.path[:2],
            )

    def handle_create(self):
        return self._wait(status.CREATE)  # no id: nothing is created

    def handle_delete(self):
        return self._wait(status.DELETE)

    def handle_suspend(self):
        return self._wait(status.SUSPEND)

    def handle_resume(self):
        return self._wait(status.RESUME)

    def handle_update(self, definition, tmpl_diff, prop_diff):
        """Do nothing: the next action uses the new properties."""

    def _wait(self, action):
        if action not in self.properties['actions']:
            return
        until = time.monotonic() + self._seconds(random.random())  # noqa: S311 no secret
        while (left := until - time.monotonic()) > 0:
            yield left

    def _seconds(self, share):
        """Return the delay with a share of its random part, from 0 to 1."""
        most = self.properties['max_jitter'] * self.properties['jitter_multiplier']
        return self.properties['min_wait'] + share * most

"""OS::Heat::Delay."""

import random
import time

from heat_lite.common import status
from heat_lite.engine.resource import Resource
from heat_lite.template import support
from heat_lite.template.constraints import AllowedValues, Range
from heat_lite.template.schema import list_, number

ACTIONS = (status.CREATE, status.DELETE, status.SUSPEND, status.RESUME)
SECONDS = {'update_allowed': True, 'constraints': [Range(min=0)]}


class Delay(Resource):
    """Waits: at least ``min_wait`` seconds, and ``jitter_multiplier`` times a random part of ``max_jitter`` more."""

    resource_type = 'OS::Heat::Delay'
    support_status = support.since('11.0.0')
    local = True

    properties_schema = {
        'min_wait': number('The least time to wait, in seconds.', default=0, **SECONDS),
        'max_jitter': number('The most to add at random, in units of the multiplier.', default=0, **SECONDS),
        'jitter_multiplier': number('Seconds in a unit of the random part.', default=1.0, **SECONDS),
        'actions': list_(
            'The actions that wait.',
            default=[status.CREATE],
            update_allowed=True,
            constraints=[AllowedValues(ACTIONS)],
        ),
    }

    def handle_create(self):
        return self._wait(status.CREATE)  # there is nothing that could have an id

    def handle_delete(self):
        return self._wait(status.DELETE)

    def handle_suspend(self):
        return self._wait(status.SUSPEND)

    def handle_resume(self):
        return self._wait(status.RESUME)

    def handle_update(self, definition, tmpl_diff, prop_diff):
        """The next action waits as the new properties say."""

    def _wait(self, action):
        if action not in self.properties['actions']:
            return
        jitter = random.random() * self.properties['max_jitter'] * self.properties['jitter_multiplier']  # noqa: S311 no secret
        until = time.monotonic() + self.properties['min_wait'] + jitter
        while (left := until - time.monotonic()) > 0:
            yield left

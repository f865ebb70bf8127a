"""What wait conditions and their handles have in common: signals are kept in the handle's metadata, and the condition waits for them.

A condition that waits sleeps. A signal wakes it, through whatever engine it comes; now and then it looks by itself, in case news was lost.
"""

import json
import time

from heat_lite.common import exception
from heat_lite.engine.resource import Resource
from heat_lite.resources.signal import SignalResponder
from heat_lite.template import function

SUCCESS, FAILURE = STATUSES = ('SUCCESS', 'FAILURE')
#: seconds between two looks of a condition that nobody wakes
PATIENCE = 15.0


class WaitConditionFailure(exception.Error):
    """Somebody has signalled a failure."""


class WaitConditionTimeout(exception.Error):
    """Too few signals have come in time."""


class Handle(SignalResponder):
    """Keeps what it is told by ids: a signal with an id that is known replaces the one before, and is not counted twice.

    A type says which keys its signals have, and how one that is not complete is completed.
    """

    STATUS = REASON = DATA = ID = ''

    def normalized(self, details, known):
        """The id of a signal and what it tells (status, reason, data). ``known`` are the signals before it. Raises Invalid."""
        raise NotImplementedError(f'{type(self).__name__} does not say what its signals are')

    def handle_signal(self, details=None):
        last = {}

        def kept(known):
            name, told = self.normalized(details, known)
            last.update(told)
            return {**known, name: told}

        self.metadata_change(kept)
        return f'status:{last[self.STATUS]} reason:{last[self.REASON]}'

    def _refuse(self, details):
        keys = ', '.join((self.ID, self.STATUS, self.REASON, self.DATA))
        raise exception.Invalid(
            reason=f'a signal to {self.name} is a map of {keys} with a status of {" or ".join(STATUSES)}, not {details!r}'
        )

    def signals(self):
        """All that has come so far: ``{id: {status, reason, data}}``."""
        return self.metadata_get(refresh=True)


class WaitCondition(Resource):
    """Waits until so many signals of success have come to its handle. One failure is enough to fail."""

    HANDLE = TIMEOUT = COUNT = DATA = ''
    signals_change_attributes = True
    repeatable = True

    def handle_create(self):
        yield from self._wait()

    def handle_update(self, definition, tmpl_diff, prop_diff):
        """Another count: signals that have come already count."""
        if prop_diff:
            yield from self._wait()

    def handle_delete(self):
        """There is nothing of it but its row."""

    def handle(self):
        """The handle. Raises ValueError where the property names none."""
        reference = self.properties[self.HANDLE]
        found = next((each for each in self._candidates() if each.reference_id() == reference), None)
        if not isinstance(found, Handle):
            raise ValueError(self.no_handle(found.name if found else reference))
        return found

    def _candidates(self):
        """First the resources that the property speaks of, which is nearly always enough: a stack may have a thousand handles."""
        for name in function.dependencies((self.definition.properties or {}).get(self.HANDLE)):
            yield self.stack.resource_for(name)
        yield from self.stack.current_resources()

    def no_handle(self, said):
        return f'{said} is not a valid wait condition handle.'

    def _wait(self):
        handle = self.handle()
        bells, row_id = self.stack.runtime.bells, handle.record.id
        until = time.monotonic() + self.properties[self.TIMEOUT]
        while True:
            bell = bells.hang(row_id, min(handle.patience(PATIENCE), max(0, until - time.monotonic())))
            try:
                if self._is_met(handle, until):
                    return
                yield bell
            finally:
                bells.take_down(row_id, bell)

    def _is_met(self, handle, until):
        handle.hear()
        signals = handle.signals().values()
        failures = [each.get(handle.REASON) for each in signals if each.get(handle.STATUS) == FAILURE]
        if failures:
            raise WaitConditionFailure(';'.join(str(reason) for reason in failures))
        successes = [each.get(handle.REASON) for each in signals if each.get(handle.STATUS) == SUCCESS]
        wanted = self.properties[self.COUNT]
        if len(successes) >= wanted:
            return True
        if time.monotonic() >= until:
            reasons = ';'.join(str(reason) for reason in successes)
            raise WaitConditionTimeout(f'{len(successes)} of {wanted} received' + (f' - {reasons}' if reasons else ''))
        return False

    def resolve_attribute(self, name):
        """What the signals have brought, by their ids, as JSON."""
        handle = self.handle()
        return json.dumps({name: told.get(handle.DATA) for name, told in handle.signals().items()})

"""Base classes of wait conditions and their handles.

The handle's metadata stores signals; the condition waits for them.

A signal through any engine wakes the waiting condition. The condition also polls, in case a
notification was lost.
"""

import contextlib
import json
import time

from heat_lite.common import exception
from heat_lite.engine.resource.resource import Resource
from heat_lite.resources.base.signal_responder import SignalResponder
from heat_lite.template import function

SUCCESS, FAILURE = STATUSES = ('SUCCESS', 'FAILURE')
#: seconds between two polls of a condition that receives no notification
POLL_SECONDS = 15.0
#: number of characters of a malformed signal that its refusal quotes
QUOTED = 500
#: characters of ids that weigh as much as one more id
ID_LENGTH = 64


class WaitConditionFailure(exception.Error):
    """A signal has reported a failure."""


class WaitConditionTimeout(exception.Error):
    """Too few signals have arrived before the timeout."""


class Handle(SignalResponder):
    """A handle, which stores signals by their ids.

    A signal with a known id replaces the previous one and is not counted again.

    Types define the keys of signals, and the defaults of missing ones.
    """

    STATUS = REASON = DATA = ID = ''
    #: whether a signal without details is stored; else it only leaves an event
    stores_empty_signals = True

    def parse_signal(self, details, known):
        """Return the id of a signal and its content (status, reason, data).

        ``known`` are the previous signals. Raises Invalid.
        """
        raise NotImplementedError(f'{type(self).__name__} must override parse_signal')

    def handle_signal(self, details=None):
        results = []

        def merge(known):
            results[:], merged = self.merge_signals(known, [details])
            return merged

        self.metadata_change(merge)
        if isinstance(results[0], Exception):
            raise results[0]
        return results[0]

    @property
    def batches_signals(self):
        """Not for a type that handles single signals in its own way."""
        return type(self).handle_signal is Handle.handle_signal

    def merge_signals(self, known, several):
        try:
            return self._merged_at_once(known, several)
        except exception.RequestLimitExceeded as error:
            if len(several) == 1:
                return [error], known
        # a part of them may be within the limits
        middle = len(several) // 2
        first, known = self.merge_signals(known, several[:middle])
        rest, known = self.merge_signals(known, several[middle:])
        return first + rest, known

    def _merged_at_once(self, known, several):
        merged, results = {**known}, []
        for details in several:
            if details is None and not self.stores_empty_signals:
                results.append(None)
                continue
            try:
                name, signal = self.parse_signal(details, merged)
            except exception.Invalid as error:
                results.append(error)
                continue
            merged[name] = signal
            results.append(f'status:{signal[self.STATUS]} reason:{signal[self.REASON]}')
        return results, self._checked(merged)

    def signal_gate(self, read_waiting):
        return SignalGate(self, self.signals(), read_waiting())

    def _checked(self, signals):
        """Return the signals. Raises RequestLimitExceeded if they are too many or too large."""
        limits = self.stack.limits
        _require_number(self.name, len(signals), limits)
        _require_size(self.name, len(json.dumps(signals)), limits)
        return signals

    def _refuse(self, details):
        keys = ', '.join((self.ID, self.STATUS, self.REASON, self.DATA))
        raise exception.Invalid(
            reason=f'a signal to {self.name} is a map of {keys} '
            f'with a status of {" or ".join(STATUSES)}, not {repr(details)[:QUOTED]}'
        )

    def signals(self):
        """Return all signals so far: ``{id: {status, reason, data}}``."""
        return self.metadata_get(refresh=True)


class SignalGate:
    """The ids and the sizes of the signals that a handle stores or will store, to accept further
    ones by.
    """

    def __init__(self, handle, signals, waiting=()):
        self._handle = type(handle)(handle.name, None, None, None)  # without its stack
        self._sizes = {name: _size_of(name, signal) for name, signal in signals.items()}
        self._total = sum(self._sizes.values())
        self._id_characters = sum(map(len, self._sizes))
        for details in waiting:
            with contextlib.suppress(exception.Invalid):
                self._count(*self._handle.parse_signal(details, self._sizes))

    @property
    def weight(self):
        return len(self._sizes) + self._id_characters // ID_LENGTH

    def check(self, details, limits):
        """Return a function that counts the signal.

        Raises Invalid for a malformed one, and RequestLimitExceeded for one that the handle has no
        place for. A handle with a handler of its own may understand what this class does not.
        """
        if details is None and not self._handle.stores_empty_signals:
            return lambda: None
        try:
            name, signal = self._handle.parse_signal(details, self._sizes)
        except exception.Invalid:
            if self._handle.batches_signals:
                raise
            return lambda: None
        number = len(self._sizes) + (name not in self._sizes)
        _require_number(self._handle.name, number, limits)
        total = self._total - self._sizes.get(name, 0) + _size_of(name, signal)
        # brackets, and what separates the signals
        _require_size(self._handle.name, total + 2 * number, limits)
        return lambda: self._count(name, signal)

    def _count(self, name, signal):
        size = _size_of(name, signal)
        if name not in self._sizes:
            self._id_characters += len(name)
        self._total += size - self._sizes.get(name, 0)
        self._sizes[name] = size


def _size_of(name, signal):
    """Return the size of a signal as a member of the JSON of its handle."""
    return len(json.dumps({name: signal})) - 2


def _require_number(name, number, limits):
    if number > limits.max_handle_signals:
        raise exception.RequestLimitExceeded(
            f'{name} stores {limits.max_handle_signals} signals already, which is the '
            'limit ([heat_lite] max_handle_signals). The signal was refused.'
        )


def _require_size(name, size, limits):
    if size > limits.max_handle_size:
        raise exception.RequestLimitExceeded(
            f'With this signal {name} would store {size} bytes; the limit is '
            f'{limits.max_handle_size} ([heat_lite] max_handle_size). The signal was refused.'
        )


class WaitCondition(Resource):
    """A condition that waits for a number of signals of success.

    One signal of failure makes it fail.
    """

    HANDLE = TIMEOUT = COUNT = DATA = ''
    signals_change_attributes = True
    repeatable = True
    has_object = False

    def handle_create(self):
        yield from self._wait()

    def handle_update(self, definition, tmpl_diff, prop_diff):
        """Wait again if the count has changed. Signals that have arrived are counted."""
        if prop_diff:
            yield from self._wait()

    def handle_delete(self):
        """Do nothing: only the resource's row exists."""

    def handle(self):
        """Return the handle. Raises ValueError if the property refers to none."""
        reference = self.properties[self.HANDLE]
        found = next(
            (each for each in self._candidates() if each.reference_id() == reference), None
        )
        if not isinstance(found, Handle):
            raise ValueError(self.invalid_handle_message(found.name if found else reference))
        return found

    def _candidates(self):
        """Yield the resources that the property depends on first: a stack may have a thousand
        handles.
        """
        for name in function.dependencies((self.definition.properties or {}).get(self.HANDLE)):
            yield self.stack.resource_for(name)
        yield from self.stack.current_resources()

    def invalid_handle_message(self, reference):
        return f'{reference} is not a valid wait condition handle.'

    def _wait(self):
        handle = self.handle()
        waits, row_id = self.stack.runtime.waits, handle.record.id
        until = time.monotonic() + self.properties[self.TIMEOUT]
        while True:
            waiter = waits.register(
                row_id, min(handle.poll_interval(POLL_SECONDS), max(0, until - time.monotonic()))
            )
            try:
                if self._is_met(handle, until):
                    return
                yield waiter
            finally:
                waits.unregister(row_id, waiter)

    def _is_met(self, handle, until):
        handle.poll_signals()
        signals = handle.signals().values()

        def reasons_of(status):
            found = (each for each in signals if each.get(handle.STATUS) == status)
            return [str(each.get(handle.REASON)) for each in found]

        if failures := reasons_of(FAILURE):
            raise WaitConditionFailure(';'.join(failures))
        successes = reasons_of(SUCCESS)
        wanted = self.properties[self.COUNT]
        if len(successes) >= wanted:
            return True
        if time.monotonic() >= until:
            reasons = ';'.join(successes)
            raise WaitConditionTimeout(
                f'{len(successes)} of {wanted} received' + (f' - {reasons}' if reasons else '')
            )
        return False

    def resolve_attribute(self, name):
        """Return the data of the signals by their ids, as JSON."""
        handle = self.handle()
        return json.dumps(
            {name: signal.get(handle.DATA) for name, signal in handle.signals().items()}
        )

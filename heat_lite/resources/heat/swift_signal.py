"""OS::Heat::SwiftSignal, OS::Heat::SwiftSignalHandle."""

import json
import time
from urllib.parse import unquote, urlsplit

from heat_lite.clients import errors
from heat_lite.common import exception
from heat_lite.resources.cloud import ServiceResource
from heat_lite.resources.wait_condition import FAILURE, STATUSES, SUCCESS
from heat_lite.template import support
from heat_lite.template.constraints import Range
from heat_lite.template.schema import CACHE_NONE, integer, number, string, text

#: half a day
LONGEST = 43200
URL = 'endpoint'
#: seconds between two looks
LOOKS_EVERY = 1.0


class SwiftSignalFailure(exception.Error):
    """Somebody has signalled a failure."""


class SwiftSignalTimeout(exception.Error):
    """Too few signals have come in time."""


class SwiftSignalHandle(ServiceResource):
    """A place in the object storage where signals are put: ``{"status": "SUCCESS", "id": ..., "reason": ..., "data": ...}``, of which
    nothing is required. Its reference is the URL to which they are put, without a token."""

    resource_type = 'OS::Heat::SwiftSignalHandle'
    support_status = support.since('2014.2')
    default_client_name = 'swift'
    # the place is known by its name, and made once
    repeatable = True

    attributes_schema = {
        'curl_cli': text('The beginning of a curl command that signals; only the data is left to add.', cache_mode=CACHE_NONE),
        'endpoint': text('The URL to which signals are put.', cache_mode=CACHE_NONE),
        'token': text('Empty: no token is needed.', cache_mode=CACHE_NONE),
    }

    def handle_create(self):
        name = self.physical_resource_name()
        url = yield from self.ask(self.client().signal_url, self.stack.id, name)
        self.data_set(URL, url, redact=True)
        self.resource_id_set(name)

    def handle_delete(self):
        if self.resource_id is not None:
            yield from self.ask(self.client().remove, self.stack.id, self.resource_id)
            yield from self.ask(self.client().remove_container, self.stack.id)

    def get_reference_id(self):
        return self.data().get(URL) or super().get_reference_id()

    def resolve_attribute(self, name):
        url = self.data().get(URL)
        if name == 'token':
            return ''
        return url if name == 'endpoint' or url is None else f"curl -i -X PUT '{url}'"


class SwiftSignal(ServiceResource):
    """Waits for signals to a handle in the object storage: work on what depends on it goes on when they have come."""

    resource_type = 'OS::Heat::SwiftSignal'
    support_status = support.since('2014.2')
    default_client_name = 'swift'
    repeatable = True

    properties_schema = {
        'count': integer('How many signals of success to wait for.', default=1, constraints=[Range(1, 1000)]),
        'handle': string('The handle to which the signals come, by its reference.', required=True),
        'timeout': number('How many seconds to wait at most.', required=True, constraints=[Range(1, LONGEST)]),
    }
    attributes_schema = {'data': text('JSON: the data of the signals that have come, by their ids.')}

    def handle_create(self):
        place, wanted = self._place(), self.properties['count']
        until = time.monotonic() + self.properties['timeout']
        while True:
            signals = self._signals(place)
            failures = [str(each['reason']) for each in signals.values() if each['status'] == FAILURE]
            if failures:
                raise SwiftSignalFailure(';'.join(failures))
            if len(signals) >= wanted:
                return
            if time.monotonic() >= until:
                reasons = ';'.join(str(each['reason']) for each in signals.values())
                raise SwiftSignalTimeout(f'{len(signals)} of {wanted} received' + (f' - {reasons}' if reasons else ''))
            yield LOOKS_EVERY

    def handle_delete(self):
        """There is nothing of it but its row."""

    def _place(self):
        """The container and the object of the handle. Raises ValueError for a URL that leads to none."""
        parts = urlsplit(self.properties['handle'])
        words = [unquote(each) for each in parts.path.split('/')]
        if parts.scheme not in ('http', 'https') or len(words) != 5 or not all(words[1:]):
            raise ValueError(f'"{parts.path}" is not a valid SwiftSignalHandle.  The Swift TempURL path is invalid')
        return words[3], words[4]

    def _signals(self, place):
        """All that has come so far: ``{id: {status, reason, data}}``; one with an id that is known replaces the one before."""
        found = {}
        for count, said in enumerate(self.client().signals(*place), 1):
            try:
                details = json.loads(said) if said else {}
            except ValueError:
                raise exception.Error(f'Failed to parse JSON data: {said!r}') from None
            details = details if isinstance(details, dict) else {'data': details}
            signal = {'reason': f'Signal {count} received', 'status': SUCCESS, 'data': None, **details}
            if signal['status'] not in STATUSES:
                signal.update(status=FAILURE, reason=f'"{signal["status"]}" is none of {", ".join(STATUSES)}')
            found[str(details.get('id', count))] = signal
        return found

    def resolve_attribute(self, name):
        try:
            return json.dumps({name: each['data'] for name, each in self._signals(self._place()).items()})
        except errors.NotFound:
            return None

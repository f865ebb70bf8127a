"""OS::Heat::SwiftSignal, OS::Heat::SwiftSignalHandle."""

import json
import time
from urllib.parse import unquote, urlsplit

from heat_lite.clients import errors
from heat_lite.common import exception
from heat_lite.common.value_texts import from_json
from heat_lite.resources.base import common_properties
from heat_lite.resources.base.cloud import ServiceResource
from heat_lite.resources.base.signal_transports import temp_url_attribute
from heat_lite.resources.base.wait_condition import FAILURE, STATUSES, SUCCESS
from heat_lite.template.schema import integer, live_text, number, string

#: 12 hours, in seconds
LONGEST = 43200
URL = 'endpoint'
#: seconds between two polls
TRANSPORT_POLL_SECONDS = 1.0


class SwiftSignalFailure(exception.Error):
    """A signal has reported a failure."""


class SwiftSignalTimeout(exception.Error):
    """Too few signals have arrived before the timeout."""


class SwiftSignalHandle(ServiceResource):
    """A Swift object that receives signals: ``{"status": "SUCCESS", "id": ..., "reason": ...,
    "data": ...}``, where each key is optional. The reference is a temporary URL, which needs no
    token.
    """

    named_before_create = False
    resource_type = 'OS::Heat::SwiftSignalHandle'
    since = '2014.2'
    default_client_name = 'swift'
    # creating the object again has no effect: its name identifies it
    repeatable = True
    not_compared = 'Signals change its object.'

    attributes_schema = {
        'curl_cli': live_text(common_properties.SIGNAL_CURL_COMMAND),
        'endpoint': live_text('Temporary URL for signals, sent by PUT.'),
        'token': live_text('Empty string, as signals need no token.'),
    }

    def handle_create(self):
        name = self.physical_resource_name()
        url = yield from self.call_with_retry(self.client().signal_url, self.stack.id, name)
        self.data_set(URL, url, redact=True)
        self.resource_id_set(name)

    def delete_object(self):
        yield from self.call_with_retry(
            self.client().delete_object, self.stack.id, self.resource_id
        )
        yield from self.call_with_retry(self.client().delete_container, self.stack.id)

    def get_reference_id(self):
        return self.data().get(URL) or super().get_reference_id()

    def resolve_attribute(self, name):
        return temp_url_attribute(name, self.data().get(URL))


class SwiftSignal(ServiceResource):
    """A condition that waits for signals to a handle in Swift.

    Resources that depend on it are created afterwards.
    """

    resource_type = 'OS::Heat::SwiftSignal'
    since = '2014.2'
    default_client_name = 'swift'
    repeatable = True
    has_object = False

    properties_schema = {
        'count': integer(common_properties.WAIT_COUNT, default=1, min=1, max=1000),
        'handle': string(common_properties.WAIT_HANDLE, required=True),
        'timeout': number(common_properties.WAIT_TIMEOUT, required=True, min=1, max=LONGEST),
    }
    attributes_schema = {'data': common_properties.WAIT_DATA}

    def handle_create(self):
        location, wanted = self._object_location(), self.properties['count']
        until = time.monotonic() + self.properties['timeout']
        while True:
            signals = self._signals(location)
            failures = [
                str(each['reason']) for each in signals.values() if each['status'] == FAILURE
            ]
            if failures:
                raise SwiftSignalFailure(';'.join(failures))
            if len(signals) >= wanted:
                return
            if time.monotonic() >= until:
                reasons = ';'.join(str(each['reason']) for each in signals.values())
                raise SwiftSignalTimeout(
                    f'{len(signals)} of {wanted} received' + (f' - {reasons}' if reasons else '')
                )
            yield TRANSPORT_POLL_SECONDS

    def _object_location(self):
        """Return the container and the name of the handle's object.

        Raises ValueError for an invalid URL.
        """
        parts = urlsplit(self.properties['handle'])
        segments = [unquote(each) for each in parts.path.split('/')]
        if parts.scheme not in ('http', 'https') or len(segments) != 5 or not all(segments[1:]):
            raise ValueError(
                f'"{parts.path}" is not a valid SwiftSignalHandle.  The Swift TempURL path is '
                'invalid'
            )
        return segments[3], segments[4]

    def _signals(self, location):
        """Return all signals so far: ``{id: {status, reason, data}}``. A signal with a known id
        replaces the previous one.
        """
        found, signals = {}, self.client().read_signals(*location)
        for count, signal_text in enumerate(signals.values(), 1):
            try:
                details = from_json(signal_text) if signal_text else {}
            except (ValueError, RecursionError):
                raise exception.Error(f'Failed to parse JSON data: {signal_text!r}') from None
            details = details if isinstance(details, dict) else {'data': details}
            signal = {
                'reason': f'Signal {count} received',
                'status': SUCCESS,
                'data': None,
                **details,
            }
            if signal['status'] not in STATUSES:
                signal.update(
                    status=FAILURE, reason=f'"{signal["status"]}" is none of {", ".join(STATUSES)}'
                )
            found[str(details.get('id', count))] = signal
        return found

    def resolve_attribute(self, name):
        try:
            return json.dumps(
                {
                    name: each['data']
                    for name, each in self._signals(self._object_location()).items()
                }
            )
        except errors.NotFound:
            return None

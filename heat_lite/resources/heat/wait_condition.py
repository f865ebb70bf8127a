"""OS::Heat::WaitCondition, OS::Heat::WaitConditionHandle."""

import shlex

from heat_lite.resources.base import common_properties, wait_condition
from heat_lite.resources.base.signal_responder import TOKEN, TRANSPORTS
from heat_lite.resources.base.signal_transports import SignedQueue, temp_url_attribute
from heat_lite.template.schema import integer, live_text, number, string

#: 12 hours, in seconds
LONGEST = 43200


class HeatWaitCondition(wait_condition.WaitCondition):
    """A condition that waits for signals to a handle.

    Resources that depend on it are created afterwards.
    """

    resource_type = 'OS::Heat::WaitCondition'
    since = '2014.2'
    HANDLE, TIMEOUT, COUNT = 'handle', 'timeout', 'count'

    properties_schema = {
        'handle': string(common_properties.WAIT_HANDLE, required=True),
        'timeout': number(common_properties.WAIT_TIMEOUT, required=True, min=1, max=LONGEST),
        'count': integer(common_properties.WAIT_COUNT, default=1, update_allowed=True, min=1),
    }
    attributes_schema = {'data': live_text(common_properties.WAIT_DATA)}


class HeatWaitConditionHandle(wait_condition.Handle):
    """A handle for signals of the form ``{"status": "SUCCESS", "id": ..., "reason": ..., "data":
    ...}``, where each key is optional.
    """

    resource_type = 'OS::Heat::WaitConditionHandle'
    since = '2014.2'
    ID, STATUS, REASON, DATA = 'id', 'status', 'reason', 'data'

    properties_schema = {
        'signal_transport': string(
            'Transport of the signals: TOKEN_SIGNAL and HEAT_SIGNAL '
            'authenticate as a stack user, the others use a signed URL, a queue '
            'or nothing.',
            default=TOKEN,
            allowed=list(TRANSPORTS),
            since='6.0.0',
        )
    }
    attributes_schema = {
        'token': live_text('Token for signals with TOKEN_SIGNAL.'),
        'endpoint': live_text('URL for signals with TOKEN_SIGNAL, sent by POST.'),
        'curl_cli': live_text(common_properties.SIGNAL_CURL_COMMAND),
        'signal': live_text('JSON map of all that is needed to send a signal by signal_transport.'),
    }

    transport_property = 'signal_transport'

    def parse_signal(self, details, known):
        if details is None:
            details = {}
        if not isinstance(details, dict):
            self._refuse(details)
        index = len(known) + 1
        signal = {
            self.DATA: details.get(self.DATA),
            self.REASON: details.get(self.REASON, f'Signal {index} received'),
            self.STATUS: details.get(self.STATUS, wait_condition.SUCCESS),
        }
        if (
            details.keys() - {self.ID, *signal}
            or signal[self.STATUS] not in wait_condition.STATUSES
        ):
            self._refuse(details)
        if self.ID in details:
            return str(details[self.ID]), signal
        while str(index) in known:  # a signal has this id already
            index += 1
        return str(index), signal

    def resolve_attribute(self, name):
        if self.resource_id is None:
            return None
        if name == 'signal':
            return self.signal_attribute()
        if self.transport() != self.properties['signal_transport']:
            return temp_url_attribute(name, self.temp_url())  # it replaces TOKEN_SIGNAL
        transport = self.external_transport()
        if name == 'curl_cli' and isinstance(transport, SignedQueue):
            return transport.curl_command()
        if self.transport() != TOKEN:
            return None
        return {'token': self.token, 'endpoint': self.signal_url, 'curl_cli': self._curl}[name]()

    def _curl(self):
        url, token = self.signal_url(), self.token()
        if url is None:
            return None
        headers = {
            'X-Auth-Token': token,
            'Content-Type': 'application/json',
            'Accept': 'application/json',
        }
        options = ' '.join(
            f"-H '{header}: {value}'" for header, value in headers.items() if value is not None
        )
        return f'curl -i -X POST {options} {shlex.quote(url)}'

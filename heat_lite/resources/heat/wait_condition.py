"""OS::Heat::WaitCondition, OS::Heat::WaitConditionHandle."""

from heat_lite.resources import wait_condition
from heat_lite.resources.signal import TOKEN, TRANSPORTS
from heat_lite.template import support
from heat_lite.template.constraints import AllowedValues, Range
from heat_lite.template.schema import CACHE_NONE, integer, number, string, text

#: half a day
LONGEST = 43200


class HeatWaitCondition(wait_condition.WaitCondition):
    """Waits for signals to a handle: work on what depends on it goes on when they have come."""

    resource_type = 'OS::Heat::WaitCondition'
    support_status = support.since('2014.2')
    HANDLE, TIMEOUT, COUNT = 'handle', 'timeout', 'count'

    properties_schema = {
        'handle': string('The handle to which the signals come, by get_resource.', required=True),
        'timeout': number('How many seconds to wait at most.', required=True, constraints=[Range(1, LONGEST)]),
        'count': integer('How many signals of success to wait for.', default=1, update_allowed=True, constraints=[Range(1)]),
    }
    attributes_schema = {'data': text('JSON: the data of the signals that have come, by their ids.', cache_mode=CACHE_NONE)}


class HeatWaitConditionHandle(wait_condition.Handle):
    """Takes signals: ``{"status": "SUCCESS", "id": ..., "reason": ..., "data": ...}``, of which nothing is required."""

    resource_type = 'OS::Heat::WaitConditionHandle'
    support_status = support.since('2014.2')
    ID, STATUS, REASON, DATA = 'id', 'status', 'reason', 'data'

    properties_schema = {
        'signal_transport': string(
            'How those who signal are let in: by a token, as a user of their own, by a signed URL, or not at all.',
            default=TOKEN,
            constraints=[AllowedValues(list(TRANSPORTS))],
            support=support.since('6.0.0'),
        )
    }
    attributes_schema = {
        'token': text('The token for signals, with TOKEN_SIGNAL.', cache_mode=CACHE_NONE),
        'endpoint': text('The URL to which signals are posted, with TOKEN_SIGNAL.', cache_mode=CACHE_NONE),
        'curl_cli': text('The beginning of a curl command that signals; only the data is left to add.', cache_mode=CACHE_NONE),
        'signal': text('JSON: all that is needed to signal in the way of signal_transport.', cache_mode=CACHE_NONE),
    }

    def transport(self):
        return self.properties['signal_transport']

    def normalized(self, details, known):
        details = details if isinstance(details, dict) else {}
        number_ = len(known) + 1
        told = {
            self.DATA: details.get(self.DATA),
            self.REASON: details.get(self.REASON, f'Signal {number_} received'),
            self.STATUS: details.get(self.STATUS, wait_condition.SUCCESS),
        }
        if details.keys() - {self.ID, *told} or told[self.STATUS] not in wait_condition.STATUSES:
            self._refuse(details)
        if self.ID in details:
            return str(details[self.ID]), told
        while str(number_) in known:  # somebody has chosen that id himself
            number_ += 1
        return str(number_), told

    def resolve_attribute(self, name):
        if self.resource_id is None:
            return None
        if name == 'signal':
            return self.signal_attribute()
        if self.transport() != TOKEN:
            return None
        return {'token': self.token, 'endpoint': self.signal_url, 'curl_cli': self._curl}[name]()

    def _curl(self):
        url, token = self.signal_url(), self.token()
        if url is None:
            return None
        headers = {'X-Auth-Token': token, 'Content-Type': 'application/json', 'Accept': 'application/json'}
        said = ' '.join(f"-H '{header}: {value}'" for header, value in headers.items() if value is not None)
        return f'curl -i -X POST {said} {url}'

"""AWS::CloudFormation::WaitCondition, AWS::CloudFormation::WaitConditionHandle, OS::Heat::UpdateWaitConditionHandle."""

from heat_lite.resources import wait_condition
from heat_lite.template import support
from heat_lite.template.constraints import Range
from heat_lite.template.schema import CACHE_NONE, integer, string, text

#: half a day
LONGEST = 43200


class WaitCondition(wait_condition.WaitCondition):
    """Waits for signals to a handle: work on what depends on it goes on when they have come."""

    resource_type = 'AWS::CloudFormation::WaitCondition'
    support_status = support.since('2014.1')
    HANDLE, TIMEOUT, COUNT = 'Handle', 'Timeout', 'Count'

    properties_schema = {
        'Handle': string('The handle to which the signals come, by its reference.', required=True),
        'Timeout': integer('How many seconds to wait at most.', required=True, constraints=[Range(1, LONGEST)]),
        'Count': integer('How many signals of success to wait for.', default=1, update_allowed=True, constraints=[Range(1)]),
    }
    attributes_schema = {'Data': text('JSON: the data of the signals that have come, by their ids.', cache_mode=CACHE_NONE)}

    def no_handle(self, said):
        return f'"{said}" is not a valid {"ARN URL" if "://" in said else "URL"}'


class WaitConditionHandle(wait_condition.Handle):
    """Takes signals: ``{"Status": "SUCCESS", "UniqueId": ..., "Reason": ..., "Data": ...}``, all of which is required.

    Its reference is the URL to which they are put.
    """

    resource_type = 'AWS::CloudFormation::WaitConditionHandle'
    support_status = support.since('2014.1')
    ID, STATUS, REASON, DATA = 'UniqueId', 'Status', 'Reason', 'Data'
    properties_schema = {}

    def get_reference_id(self):
        url = self.signed_url()
        if url is None:
            return super().get_reference_id()
        # without a signature in it, another handle of this name would have the same URL, and no condition would wait anew after an update
        return url if url != self.signal_url() else f'{url}?handle={self.resource_id}'

    def handle_signal(self, details=None):
        """A signal without a word is an event, and nothing else."""
        return super().handle_signal(details) if details is not None else None

    def normalized(self, details, known):
        if not isinstance(details, dict) or details.keys() != {self.ID, self.STATUS, self.REASON, self.DATA}:
            self._refuse(details)
        if details[self.STATUS] not in wait_condition.STATUSES:
            self._refuse(details)
        return str(details[self.ID]), {key: details[key] for key in (self.DATA, self.REASON, self.STATUS)}


class UpdateWaitConditionHandle(WaitConditionHandle):
    """A handle that is another one after each update, so that a condition waits for signals again each time."""

    resource_type = 'OS::Heat::UpdateWaitConditionHandle'
    support_status = support.since('2014.1')
    always_replaced = True

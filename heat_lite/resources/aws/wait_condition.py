"""AWS::CloudFormation::WaitCondition and WaitConditionHandle,
OS::Heat::UpdateWaitConditionHandle.
"""

from heat_lite.resources.base import common_properties, wait_condition
from heat_lite.template.schema import integer, live_text, string

#: 12 hours, in seconds
LONGEST = 43200


class WaitCondition(wait_condition.WaitCondition):
    """A condition that waits for signals to a handle.

    Resources that depend on it are created afterwards.
    """

    resource_type = 'AWS::CloudFormation::WaitCondition'
    since = '2014.1'
    HANDLE, TIMEOUT, COUNT = 'Handle', 'Timeout', 'Count'

    properties_schema = {
        'Handle': string(common_properties.WAIT_HANDLE, required=True),
        'Timeout': integer(common_properties.WAIT_TIMEOUT, required=True, min=1, max=LONGEST),
        'Count': integer(common_properties.WAIT_COUNT, default=1, update_allowed=True, min=1),
    }
    attributes_schema = {'Data': live_text(common_properties.WAIT_DATA)}

    def invalid_handle_message(self, reference):
        return f'"{reference}" is not a valid {"ARN URL" if "://" in reference else "URL"}'


class WaitConditionHandle(wait_condition.Handle):
    """A handle for signals of the form ``{"Status": "SUCCESS", "UniqueId": ..., "Reason": ...,
    "Data": ...}``, where each key is required.

    The reference is the URL for signals, sent by PUT.
    """

    resource_type = 'AWS::CloudFormation::WaitConditionHandle'
    since = '2014.1'
    ID, STATUS, REASON, DATA = 'UniqueId', 'Status', 'Reason', 'Data'
    stores_empty_signals = False

    def get_reference_id(self):
        url = self.signed_url()
        if url is None:
            return super().get_reference_id()
        # without a signature, the handle of the next update would have the same URL, and conditions
        # would not wait again
        return url if url != self.signal_url() else f'{url}?handle={self.resource_id}'

    def parse_signal(self, details, known):
        keys = (self.DATA, self.REASON, self.STATUS)
        if (
            not isinstance(details, dict)
            or details.keys() != {self.ID, *keys}
            or details[self.STATUS] not in wait_condition.STATUSES
        ):
            self._refuse(details)
        return str(details[self.ID]), {key: details[key] for key in keys}


class UpdateWaitConditionHandle(WaitConditionHandle):
    """A handle that each update replaces, so that conditions wait for signals again."""

    resource_type = 'OS::Heat::UpdateWaitConditionHandle'
    always_replaced = True

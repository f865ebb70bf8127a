"""Schemas and descriptions of properties and attributes that several resource types share."""

from heat_lite.template.schema import string


def name_property(update_allowed=True, **options):
    """Return the schema of the name of an object."""
    return string(
        'Name of the object. If omitted, a name is generated from the names of the stack and of '
        'the resource.',
        update_allowed=update_allowed,
        **options,
    )


def description_property(update_allowed=True, **options):
    """Return the schema of the description of an object."""
    return string(
        'Human-readable description of the object.', update_allowed=update_allowed, **options
    )


# descriptions that several types share
NOT_IMPLEMENTED = 'Not implemented; the property has no effect.'
GROUP_MAX_SIZE = 'Maximum number of members.'
GROUP_MIN_SIZE = 'Minimum number of members.'
GROUP_DESIRED_CAPACITY = 'Number of members after the create and after each stack update.'
COOLDOWN = 'Seconds after a change of size during which signals do not change the size again.'
LAUNCH_CONFIGURATION = 'Reference of the launch configuration of the members.'
LOAD_BALANCERS = 'Names of the load balancers of the members.'
MAX_BATCH_SIZE = 'Number of members that are updated at once.'
PAUSE_TIME = 'Seconds between two batches.'
MIN_IN_SERVICE = 'Number of members that stay in service during an update.'
ROLLING_UPDATE = 'Policy of rolling updates, which apply a new definition in batches.'
MEMBER_REFS = 'List of the reference IDs of the members.'
MEMBER_REFS_MAP = 'Map of member names to reference IDs.'
MEMBER_ATTRIBUTES = 'Map of member names to the values of an attribute.'
SCALING_GROUP = 'Reference of the scaling group.'
SCALING_ADJUSTMENT = 'Size of the adjustment, in the unit of the adjustment type.'
SCALING_TYPE = (
    'Type of the adjustment: a change in the number of members, an exact number, or a change in '
    'percent.'
)
SCALING_MIN_STEP = 'Minimum number of members that a change in percent adds or removes.'
SCALING_ALARM_URL = 'Pre-signed URL for alarms; a POST request to it is a signal.'
WAIT_HANDLE = 'Reference of the handle that receives the signals.'
WAIT_TIMEOUT = 'Maximum number of seconds to wait.'
WAIT_COUNT = 'Number of success signals to wait for.'
WAIT_DATA = 'JSON map of signal IDs to the data of the signals received so far.'
SIGNAL_CURL_COMMAND = 'curl command without the data of the signal, which is to be appended.'
SOFTWARE_CONFIG_TEXT = 'Text that the tool on the server applies.'
INSTANCE_IMAGE = 'Name or ID of the image.'
INSTANCE_FLAVOR = 'Name or ID of the flavor.'
INSTANCE_KEY = 'Name of the SSH key pair.'
INSTANCE_USER_DATA = 'User data: a script or a configuration for the first boot.'
INSTANCE_BASE = 'ID of an instance whose properties the members copy.'
HINTS = 'Scheduler hints.'
HINT_KEY = 'Name of the scheduler hint.'
HINT_VALUE = 'Value of the scheduler hint.'
DEVICE_NAME = 'Device name of the volume, such as vdb. Many hypervisors ignore it.'
DEVICE_VOLUME = 'Volume to create from a snapshot and attach.'
DELETE_ON_TERMINATION = 'Whether the volume is deleted together with the instance.'
SNAPSHOT_ID = 'ID of the snapshot that the volume is created from.'
SNAPSHOT_VOLUME_SIZE = 'Size of the volume in GB, at least the size of the snapshot.'
VPC_REFERENCE = 'ID of the VPC.'
AVAILABILITY_ZONE = 'Availability zone of the resource.'
IP_ADDRESS = 'IP address of the instance.'

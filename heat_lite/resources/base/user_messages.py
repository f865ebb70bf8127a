"""What Cinder and Manila tell users about an object in error.

Tests: tests/unit/resources/base/test_cloud.py.
"""

import operator

from heat_lite.clients import errors

#: {service: its filter for the messages about an object}
FILTERS = {'cinder': 'resource_uuid', 'manila': 'resource_id'}


def newest(client, service, object_id):
    """Return the text of the newest message about an object; None without one."""
    if service not in FILTERS:
        return None
    try:
        listed = client.list('/messages', 'messages', **{FILTERS[service]: object_id})
    except errors.ServiceError:
        return None
    return max(listed, key=operator.itemgetter('created_at'), default={}).get('user_message')

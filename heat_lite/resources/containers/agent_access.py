"""The URL by which the agent in a container reads its software deployments, without a login.

With stack users it is one of the CFN API, signed with the access key of a user of the container.
Else it is one of the port for containers, signed with the key of the service.
"""

import urllib.parse

from heat_lite.common import ec2, exception, signal_signature
from heat_lite.resources.base.stack_user import ACCESS, PASSWORD, SECRET, USER, cfn_url

#: the environment variable of the container with the URL
VARIABLE = 'HEAT_LITE_DEPLOYMENTS_URL'
NO_PORT = (
    '{name}: software_deployments needs a URL by which the container reaches this service: start '
    'it with --container-port PORT, or configure stack users and the CFN API'
)


def require_url(container):
    """Raise StackValidationFailed if the service has no URL for an agent."""
    endpoints = container.stack.runtime.endpoints
    if not (endpoints.containers if container.users is None else endpoints.reachable):
        raise exception.StackValidationFailed(message=NO_PORT.format(name=container.name))


def create_key(container):
    """Create the user of a container and its access key, unless an earlier attempt has stored them.

    A user whose key is lost is deleted.
    """
    if container.users is None or ACCESS in container.data():
        return
    container.delete_user()
    container.data_delete(USER)
    container.create_user()
    container.create_keypair()
    container.stack.journal.flush()  # the container is found again after a crash, with its key


def deployments_url(container):
    """Return the signed URL. It names the UUID of the resource: its replacement has another."""
    runtime, uuid = container.stack.runtime, container.record.uuid
    if container.users is None:
        tenant = urllib.parse.quote(container.stack.tenant)
        url = f'{runtime.endpoints.containers}/v1/{tenant}/software_deployments/metadata/{uuid}'
        return signal_signature.sign(url, runtime.secret)
    data = container.data()
    find = lambda: container.users.cfn_url(container.user_id, data.get(PASSWORD))  # noqa: E731
    base = cfn_url(container.stack, find)
    if base is None:
        raise exception.Error(NO_PORT.format(name=container.name))
    return ec2.signed_url(f'{base}deployments/{uuid}', data[ACCESS], data[SECRET], 'GET')

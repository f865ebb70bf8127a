"""The EC2 credentials of the user of a cloud. This module is loaded for a cloud only."""

from keystoneauth1 import exceptions
from openstack.config.cloud_region import CloudRegion

from heat_lite.cli import api_client, errors
from heat_lite.common.value_types import Value, Values


def fetch_key(cloud: CloudRegion, project: str | None, rotate: bool) -> tuple[Values, str | None]:
    """Return the credential of a login and the region of the cloud; create it if there is none.

    ``project``: the id of the project that the login must have, or None. Raises CommandError and
    RequestFailed.
    """
    session = cloud.get_session()
    try:
        row = _credential(session, project, rotate)
    except exceptions.ClientException as error:
        text = ' '.join(str(error).split())
        status = getattr(error, 'http_status', 0) or 0
        raise api_client.RequestFailed(status, f'EC2 credentials: {text}') from error
    return row, cloud.get_region_name('identity')


def _credential(session: Value, project: str | None, rotate: bool) -> dict:
    user_id, project_id = session.get_user_id(), session.get_project_id()
    if project not in (None, project_id):
        raise errors.CommandError(
            f'--project {project}: the login of the cloud is for the project {project_id}'
        )
    keystone = session.auth.auth_url.rstrip('/').removesuffix('/v3')
    path = f'{keystone}/v3/users/{user_id}/credentials/OS-EC2'
    listed = _request(session, 'GET', path)['credentials']
    own = sorted(
        (each for each in listed if each['tenant_id'] == project_id),
        key=lambda each: each['access'],
    )
    if rotate and len(own) > 1:
        raise errors.CommandError(
            f'the project has {len(own)} access keys, and others may use them: delete those that '
            'nothing uses with "openstack ec2 credentials delete"'
        )
    if own and not rotate:
        return own[0]
    made = _request(session, 'POST', path, json={'tenant_id': project_id})['credential']
    for each in own:
        _request(session, 'DELETE', f'{path}/{each["access"]}')
    return made


def _request(session: Value, method: str, url: str, **options: Value) -> Value:
    """Return the body of a response of Keystone."""
    # not logged, as the responses contain secrets
    response = session.request(url, method, log=False, **options)
    return response.json() if response.content else None

"""``heat-lite credentials``: the access key for the AWS APIs, and their URLs."""

import argparse
import json
import pkgutil
import shlex
import urllib.parse
from pathlib import Path
from typing import Any

from heat_lite.cli import api_client, connection, errors
from heat_lite.cli.display import terminal
from heat_lite.cli.option_parser import argument, flag
from heat_lite.common import access_keys, installation
from heat_lite.common.value_types import Value, Values

CREDENTIALS = (
    argument(
        '--project',
        metavar='NAME',
        help='project of the key: with several clouds of "heat-lite up", the name of one',
    ),
    flag('--env', help='print variables for a shell: aws and boto3 read them'),
    flag('--rotate', help='replace the key by a new one'),
)
#: APIs -> the option of "heat-lite up" that opens them, and the variable of botocore with the URL
APIS = {
    'cloudformation': ('--cfn-port', 'AWS_ENDPOINT_URL_CLOUDFORMATION'),
    'cloudwatch': ('--cloudwatch-port', 'AWS_ENDPOINT_URL_CLOUDWATCH'),
}
#: the region of signatures, where a cloud has none; any serves
REGION = 'local'
#: loaded for a cloud only, as the libraries of OpenStack start slowly
FETCH_KEY = 'heat_lite.cli.cloud_keys:fetch_key'


def credentials(
    api: api_client.ApiClient, out: terminal.Terminal, args: argparse.Namespace
) -> None:
    found = _read_local_key(api, args) if api.cloud is None else _fetch_cloud_key(api.cloud, args)
    if out.is_json:
        out.write_json(found)
    elif args.env:
        for name, value in _variables(found).items():
            out.write_line(f'export {name}={shlex.quote(value)}')
    else:
        for name, value in found.items():
            out.write_line(f'{name.replace("_", " "):<16}{value or _closed(name, api)}')


def _variables(found: Value) -> Values:
    named = {
        'AWS_ACCESS_KEY_ID': found['access_key'],
        'AWS_SECRET_ACCESS_KEY': found['secret_key'],
        'AWS_DEFAULT_REGION': found['region'],
    }
    return named | {variable: found[name] for name, (_, variable) in APIS.items() if found[name]}


def _closed(name: str, api: api_client.ApiClient) -> str:
    if api.cloud is not None:
        return f'not in the catalog as a service of the type {name}'
    return f'not served: start "heat-lite up" with {APIS[name][0]} PORT'


def _shown(
    access: str, secret: str, project: str, region: str | None, urls: dict[str, str]
) -> Values:
    return {
        'access_key': access,
        'secret_key': secret,
        'project': project,
        'region': region or REGION,
        **{name: urls.get(name) for name in APIS},
    }


def _fetch_cloud_key(cloud: Any, args: argparse.Namespace) -> Values:
    row, region = pkgutil.resolve_name(FETCH_KEY)(cloud, args.project, args.rotate)
    urls = {name: cloud.get_session_endpoint(name) for name in APIS}
    return _shown(row['access'], row['secret'], row['tenant_id'], region, urls)


# ------------------------------------------------------------ the service of this machine


def _read_local_key(api: api_client.ApiClient, args: argparse.Namespace) -> Values:
    """Return the key of the data folder of ``heat-lite up``."""
    folder = installation.data_folder()
    if not connection.is_local(api.endpoint):
        raise errors.CommandError(
            f'the access keys of {api.endpoint} are not on this machine: name its cloud with '
            '--os-cloud, or the folder of "heat-lite up" with HEAT_LITE_DATA_DIR'
        )
    project = args.project or _project_of(api.endpoint, folder)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        key = access_keys.AccessKeys(folder).ensure_key(project, args.rotate)
    except access_keys.KeysUnreadable as error:
        raise errors.CommandError(str(error)) from None
    return _shown(key.access, key.secret, project, None, _announced(folder))


def _project_of(endpoint: str, folder: Path) -> str:
    clouds = installation.known_clouds(folder)
    project = urllib.parse.unquote(urllib.parse.urlsplit(endpoint).path.rpartition('/')[2])
    if len(clouds) > 1 and project not in clouds:
        raise errors.CommandError(
            f'name one of the clouds with --project: {", ".join(sorted(clouds))}'
        )
    return clouds.pop() if len(clouds) == 1 and project not in clouds else project


def _announced(folder: Path) -> dict[str, str]:
    try:
        return json.loads((folder / installation.AWS_URLS_FILE).read_text())
    except (OSError, ValueError):
        return {}

"""The user data of a server: a multipart message for cloud-init, or a configuration for Ignition.
Pure functions.
"""

import json
import urllib.parse
from email.mime import multipart

from heat_lite.resources.base import long_texts
from heat_lite.resources.base.long_texts import copied_part, text_part
from heat_lite.resources.openstack.nova.server import boot_scripts

#: the MIME subtype of the parts that become files for heat-cfntools
DATA = 'x-cfninitdata'
#: the key of an Ignition configuration that marks it as one
IGNITION = 'ignition'


def for_cfntools(user_data, metadata, server_url, boto):
    """Return the message for a server with heat-cfntools.

    The tools store the parts as files and run the user's script. ``server_url`` is the URL of the
    CFN API or None; ``boto`` holds the values of is_secure and https_validate_certificates.
    """
    parts = [
        *_common_parts(),
        text_part(user_data, DATA, 'cfn-userdata'),
        text_part(boot_scripts.RUN_USER_DATA, 'x-shellscript', 'loguserdata.py'),
    ]
    if metadata:
        parts.append(text_part(json.dumps(metadata), DATA, 'cfn-init-data'))
    if server_url:
        parts.append(text_part(cfn_url(server_url), DATA, 'cfn-metadata-server'))
        parts.append(text_part(_boto_config(server_url, *boto), DATA, 'cfn-boto-cfg'))
    return multipart.MIMEMultipart(_subparts=parts).as_string()


def for_software(user_data, metadata):
    """Return the message for a server with software deployments.

    If ``user_data`` is a multipart message itself, its parts become parts of the result. An
    Ignition configuration stays one: it gets the metadata as files (as Heat does), because
    Ignition reads no other format. Raises ValueError for one whose files are not a list.
    """
    ignition = _ignition(user_data)
    if ignition is not None:
        return _with_files(ignition, metadata) if metadata else user_data
    parts = [
        *_common_parts(),
        *_user_parts(user_data),
        text_part(json.dumps(metadata), DATA, 'cfn-init-data'),
    ]
    return multipart.MIMEMultipart(_subparts=parts).as_string()


def cfn_url(server_url):
    """Return the URL of the CFN API with its version."""
    return f'{server_url.rstrip("/").removesuffix("/v1")}/v1/'


def _ignition(user_data):
    """Return the Ignition configuration in a text, None if it holds none."""
    try:
        config = json.loads(user_data)
    except (ValueError, RecursionError):
        return None
    header = config.get(IGNITION) if isinstance(config, dict) else None
    return config if isinstance(header, dict) and header.get('version') else None


def _with_files(config, metadata):
    """Return an Ignition configuration as JSON, with files that hold the metadata."""
    storage = config.setdefault('storage', {})
    if not isinstance(storage, dict):
        raise ValueError('Ignition "storage" section must be a map')
    files = storage.setdefault('files', [])
    if not isinstance(files, list):
        raise ValueError('Ignition "files" section must be a list')
    source = f'data:,{urllib.parse.quote(json.dumps(metadata))}'
    for folder in boot_scripts.DATA_FOLDERS:
        files.append(
            {
                'filesystem': 'root',
                'group': {'name': 'root'},
                'path': f'{folder}/cfn-init-data',
                'user': {'name': 'root'},
                'contents': {'source': source, 'verification': {}},
                'mode': 0o640,
            }
        )
    return json.dumps(config)


def _common_parts():
    return [
        text_part(boot_scripts.CLOUD_CONFIG, 'cloud-config', 'cloud-config'),
        text_part(boot_scripts.BOOTHOOK, 'cloud-boothook', 'boothook.sh'),
        text_part(boot_scripts.PART_HANDLER, 'part-handler', 'part-handler.py'),
    ]


def _user_parts(user_data):
    message = long_texts.message_of(user_data)
    if message.is_multipart():
        return [*map(copied_part, message.get_payload())]
    return [text_part(user_data, 'plain')] if user_data else []


def _boto_config(server_url, is_secure, validate):
    """Return the configuration of boto, with which the server calls the CFN API."""
    host = urllib.parse.urlsplit(server_url).hostname
    options = {
        'debug': 0,
        'is_secure': is_secure,
        'https_validate_certificates': validate,
        'cfn_region_name': 'heat',
        'cfn_region_endpoint': host,
    }
    return '[Boto]\n' + '\n'.join(f'{name} = {value}' for name, value in options.items())

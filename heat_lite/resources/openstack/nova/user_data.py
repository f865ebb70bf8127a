"""What a server gets for its first start: a text as it is, or a message of several parts for cloud-init. Plain data in, plain data out."""

import email
import json
import urllib.parse
from email.mime import multipart, text

from heat_lite.resources.openstack.nova import guest

#: the kind of the parts that become files for the tools in the server
DATA = 'x-cfninitdata'


def for_cfntools(user_data, metadata, server_url, boto):
    """The message for servers with heat-cfntools: they keep the parts as files, and run the user's text by themselves.

    ``server_url`` is that of the API for CFN, if there is one, ``boto`` what the client in the server is told of it.
    """
    parts = [*_head(), _part(user_data, DATA, 'cfn-userdata'), _part(guest.RUN_USER_DATA, 'x-shellscript', 'loguserdata.py')]
    if metadata:
        parts.append(_part(json.dumps(metadata), DATA, 'cfn-init-data'))
    if server_url:
        parts.append(_part(cfn_url(server_url), DATA, 'cfn-metadata-server'))
        parts.append(_part(_boto(server_url, *boto), DATA, 'cfn-boto-cfg'))
    return multipart.MIMEMultipart(_subparts=parts).as_string()


def for_software(user_data, metadata):
    """The message for servers that software is deployed to; parts of a message in ``user_data`` become parts of it."""
    parts = [*_head(), *_of_user(user_data), _part(json.dumps(metadata), DATA, 'cfn-init-data')]
    return multipart.MIMEMultipart(_subparts=parts).as_string()


def cfn_url(server_url):
    """Where the API for CFN is, with its version."""
    return f'{server_url.rstrip("/").removesuffix("/v1")}/v1/'


def _head():
    return [
        _part(guest.CLOUD_CONFIG, 'cloud-config', 'cloud-config'),
        _part(guest.BOOTHOOK, 'cloud-boothook', 'boothook.sh'),
        _part(guest.PART_HANDLER, 'part-handler', 'part-handler.py'),
    ]


def _of_user(user_data):
    message = email.message_from_string(user_data)
    if message.is_multipart():
        return [_again(each) for each in message.get_payload()]
    return [_part(user_data, 'plain')] if user_data else []


def _again(part):
    content = part.get_payload(decode=True) or b''
    said = content.decode(part.get_content_charset() or 'utf-8', 'replace')
    return _part(said, part.get_content_subtype(), part.get_filename())


def _part(content, subtype, filename=None):
    made = text.MIMEText(content, subtype)
    if filename:
        made.add_header('Content-Disposition', 'attachment', filename=filename)
    return made


def _boto(server_url, is_secure, validate):
    """The configuration of the client that asks the API for CFN from inside the server."""
    host = urllib.parse.urlsplit(server_url).hostname
    said = {
        'debug': 0,
        'is_secure': is_secure,
        'https_validate_certificates': validate,
        'cfn_region_name': 'heat',
        'cfn_region_endpoint': host,
    }
    return '[Boto]\n' + '\n'.join(f'{name} = {value}' for name, value in said.items())

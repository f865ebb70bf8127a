"""The request that creates an OS::Nova::Server: body, user data, name and scheduler hints."""

import base64
import json

from heat_lite.common import exception
from heat_lite.resources.base.stack_user import cfn_url
from heat_lite.resources.openstack.nova.server import block_devices, schema, user_data
from heat_lite.resources.openstack.nova.server.attributes import metadata_texts

#: properties that an update changes in the server itself -> their keys in the request
SHOWN = {
    'access_ip_v4': 'accessIPv4',
    'access_ip_v6': 'accessIPv6',
    'description': 'description',
    'hostname': 'hostname',
}
#: properties -> their keys in the request
PLAIN = {
    **SHOWN,
    'key_name': 'key_name',
    'availability_zone': 'availability_zone',
    'config_drive': 'config_drive',
    'host': 'host',
    'hypervisor_hostname': 'hypervisor_hostname',
    'diskConfig': 'OS-DCF:diskConfig',
    'admin_pass': 'adminPass',
    'tags': 'tags',
    'trusted_image_certificates': 'trusted_image_certificates',
}
#: properties that are left out of the request if they are empty: Nova refuses an empty name
NONE_IF_EMPTY = ('key_name', 'availability_zone', 'admin_pass')
#: the first microversion with descriptions of servers
WITH_DESCRIPTION = '2.19'


class ServerRequest:
    """The request of ``server``, from its properties."""

    def __init__(self, server):
        self._server = server

    def body(self, nics, metadata):
        """Return the body of POST /servers.

        ``nics`` is 'auto', 'none' or the list of networks; ``metadata`` is that of the resource.
        """
        values = self._server.properties
        body = {key: values[name] for name, key in PLAIN.items() if _is_set(name, values[name])}
        body.update(
            name=values['name'] or self._server.physical_resource_name(),
            flavorRef=values['flavor'],
            networks=nics,
            **self._mark(),
        )
        if values['image']:
            body['imageRef'] = values['image']
        if values['metadata']:
            body['metadata'] = metadata_texts(values['metadata'])
        if values['security_groups'] and nics != 'none':
            body['security_groups'] = [{'name': group} for group in values['security_groups']]
        text = self.user_data(metadata)
        if text:
            body['user_data'] = encode(text)
        body.update(
            block_devices.body(
                values['image'], values['block_device_mapping'], values['block_device_mapping_v2']
            )
        )
        return with_hints(body, {**(values['scheduler_hints'] or {}), **stack_hints(self._server)})

    def _mark(self):
        """Return the mark by which ``find_existing`` knows the server of an interrupted create,
        if another server may have its name.
        """
        values = self._server.properties
        if (
            not values['name']
            or values['description']
            or not self._server.client().supports(WITH_DESCRIPTION)
        ):
            return {}
        return {self._server.rest.mark: self._server.physical_resource_name()}

    def user_data(self, metadata):
        """Return the user data as text, in the form that ``user_data_format`` names."""
        source, defaults = self._source(), self._server.stack.runtime.server_defaults
        if self._server.properties['user_data_format'] == schema.RAW:
            return source
        if self._server.uses_software_config:
            return user_data.for_software(source, metadata)
        return user_data.for_cfntools(
            source, metadata, cfn_url(self._server.stack), defaults.cfn_https
        )

    def _source(self):
        """Return the property ``user_data``, or the text of the software config whose id it is."""
        server = self._server
        source = server.properties['user_data'] or ''
        if server.properties['user_data_format'] == schema.CFNTOOLS or not source:
            return source
        try:
            config = server.stack.runtime.software(server.context).show_config(source)['config']
        except exception.NotFound:
            return source
        return config if isinstance(config, str) else json.dumps(config)


def _is_set(name, value):
    return bool(value) if name in NONE_IF_EMPTY else value is not None


def with_hints(body, hints):
    """Return the body of a request for a server, with scheduler hints if there are any."""
    return {'server': body, **({'os:scheduler_hints': hints} if hints else {})}


def stack_hints(server):
    """Return scheduler hints about the stack; empty unless the operator enabled them."""
    if not server.stack.runtime.server_defaults.scheduler_hints:
        return {}
    path = [
        f'{each.parent_resource_name or ""},{each.name}' for each in server.stack.tree.lineage()
    ]
    return {
        'heat_root_stack_id': server.stack.root_id(),
        'heat_stack_id': server.stack.id,
        'heat_stack_name': server.stack.name,
        'heat_path_in_stack': path[::-1],
        'heat_resource_name': server.name,
        'heat_resource_uuid': server.record.uuid,
    }


def encode(text):
    """Return the user data in base64, as requests carry it; None for an empty text."""
    return base64.b64encode(text.encode()).decode() if text else None

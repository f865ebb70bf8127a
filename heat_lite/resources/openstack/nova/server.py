"""OS::Nova::Server."""

import json

from heat_lite.common import exception
from heat_lite.resources.agent import Agent
from heat_lite.resources.cloud import CloudResource, Rest
from heat_lite.resources.openstack.neutron import neighbours
from heat_lite.resources.openstack.nova import block_devices, networks, user_data
from heat_lite.resources.openstack.nova import server_schema as schema
from heat_lite.resources.openstack.nova.plugs import Plugged
from heat_lite.resources.openstack.nova.server_changes import ACTIVE, ERROR, Changed, encoded
from heat_lite.resources.openstack.nova.server_images import Imaged
from heat_lite.resources.openstack.nova.server_life import Alive
from heat_lite.resources.openstack.nova.server_told import Told
from heat_lite.resources.stack_user import PASSWORD, USER

#: properties -> their keys in the request for a server
PLAIN = {
    'key_name': 'key_name',
    'availability_zone': 'availability_zone',
    'config_drive': 'config_drive',
    'diskConfig': 'OS-DCF:diskConfig',
    'admin_pass': 'adminPass',
    'tags': 'tags',
}


class Server(Told, Imaged, Plugged, Alive, Changed, CloudResource, Agent):
    """A server: a virtual machine, or a real one."""

    resource_type = 'OS::Nova::Server'
    rest = Rest('nova', '/servers', 'server', ready=(ACTIVE,), failed=(ERROR,), vanishes=True, joined='/servers/detail')
    entity = 'servers'
    physical_resource_name_limit = 53
    looks_first = ('ec2',)
    # it is looked for by its name
    repeatable = False
    # what happens to it later is asked of others
    uses_deferred_auth = False

    properties_schema = schema.PROPERTIES
    attributes_schema = schema.ATTRIBUTES

    # ------------------------------------------------------------ what it shall be

    def software_config(self):
        return self.properties['user_data_format'] == schema.SOFTWARE

    def validate(self):
        super().validate()
        values = self.properties
        if values['personality']:
            raise exception.StackValidationFailed(
                'Cannot use the personality parameter as nova no longer supports it. Use user_data instead.'
            )
        # one that comes out of another resource may not be known yet
        image = values['image'] or values.is_given('image')
        block_devices.validate(self.name, image, values['block_device_mapping'], values['block_device_mapping_v2'])
        networks.validate(self.name, values.unsought('networks') or (), values['security_groups'])
        if self.software_config():
            self.refuse_transport()

    def needs_replace_with_prop_diff(self, changed, after_properties, before_properties):
        if 'flavor' in changed and after_properties['flavor_update_policy'] == schema.REPLACE:
            return True
        if 'image' in changed and self._needs_another_disk(after_properties, before_properties):
            return True
        return 'user_data' in changed and after_properties['user_data_update_policy'] == schema.REPLACE

    @staticmethod
    def _needs_another_disk(after, before):
        return after['image_update_policy'] == schema.REPLACE or not after['image'] or not before['image']

    def implied_dependencies(self, others):
        """The subnets of its networks: nobody knows which of them it gets an address of, and without any it is refused."""
        for each in neighbours.value(self, self.definition, 'networks') or ():
            for network in (each.get('network'), each.get('uuid')):
                yield from neighbours.subnets_of(self, others, network)
            yield from neighbours.subnets_near(self, others, each.get('port'))

    # ------------------------------------------------------------ create

    def handle_create(self):
        if self.resource_id is None:
            metadata = self.lay_out_for_agent() if self.software_config() else self.metadata_get()
            nics = yield from self.plug_in_new()
            made = yield from self.make(self._body(nics, metadata))
            self.resource_id_set(made['id'])
        elif self.interrupted:
            self.find_own_ports()
            self._find_own_user()
        yield from self.until_ready(None)

    def _find_own_user(self):
        """What was told to the agent on a server tells of the user that was made for it, too."""
        known = self.os_collect_config()
        told = next((known[way] for way in known if 'user_id' in known[way]), None)
        if told is not None and self.user_id is None:
            self.keep_user(told['user_id'])
            self.data_set(PASSWORD, told['password'], redact=True)

    def make(self, values):
        return (yield from self.ask(self.client().ask, 'POST', '/servers', values))['server']

    def _body(self, nics, metadata):
        values = self.properties
        server = {key: values[name] for name, key in PLAIN.items() if values[name] is not None}
        server.update(name=values['name'] or self.physical_resource_name(), flavorRef=values['flavor'], networks=nics)
        if values['image']:
            server['imageRef'] = values['image']
        if values['metadata']:
            server['metadata'] = self.labels(values['metadata'])
        if values['security_groups'] and nics != 'none':
            server['security_groups'] = [{'name': each} for each in values['security_groups']]
        text = self.user_data(metadata)
        if text:
            server['user_data'] = encoded(text)
        server.update(block_devices.body(values['image'], values['block_device_mapping'], values['block_device_mapping_v2']))
        hints = {**(values['scheduler_hints'] or {}), **self.own_hints()}
        return {'server': server, **({'os:scheduler_hints': hints} if hints else {})}

    def user_data(self, metadata):
        given, guests = self._text_of_user(), self.stack.runtime.guests
        if self.properties['user_data_format'] == schema.RAW:
            return given
        if self.software_config():
            return user_data.for_software(given, metadata)
        return user_data.for_cfntools(given, metadata, guests.metadata_server, guests.boto)

    def _text_of_user(self):
        """A text, or that of the software configuration whose id it is."""
        given = self.properties['user_data'] or ''
        if self.properties['user_data_format'] == schema.CFNTOOLS or not given:
            return given
        try:
            found = self.stack.runtime.software(self.context).show_config(given)['config']
        except exception.NotFound:
            return given
        return found if isinstance(found, str) else json.dumps(found)

    # ------------------------------------------------------------ the rest of its life

    def handle_delete(self):
        self.delete_user()
        # should it be made again, as one that has gone into error is, that one has a user of its own
        self.data_delete(USER)
        if self.resource_id is not None:
            yield from super().handle_delete()
        yield from self.unplug_all()

    def needs_delete(self):
        return self.resource_id is not None or self.user_id is not None or self.has_ports()

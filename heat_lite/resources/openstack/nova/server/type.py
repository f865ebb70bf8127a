"""OS::Nova::Server."""

import collections
import contextlib

from heat_lite.clients import errors
from heat_lite.common import exception
from heat_lite.resources.base.cloud import Rest
from heat_lite.resources.base.software_config_agent import ConfigAgent
from heat_lite.resources.base.stack_user import KEYPAIR, PASSWORD, USER
from heat_lite.resources.openstack.neutron import implied_dependencies
from heat_lite.resources.openstack.nova.server import rules, schema
from heat_lite.resources.openstack.nova.server.attributes import (
    ServerAttributes,
    with_property_names,
)
from heat_lite.resources.openstack.nova.server.images import IMAGE_ID, ServerImages
from heat_lite.resources.openstack.nova.server.networking import RELEASED, ServerNetworking
from heat_lite.resources.openstack.nova.server.power import ACTIVE, ERROR, NovaServer
from heat_lite.resources.openstack.nova.server.request import ServerRequest
from heat_lite.resources.openstack.nova.server.updates import GROUPS, ServerUpdates, flavor_id

#: the key of the ports of a server, in what describes it
PORTS = 'ports'


class Server(NovaServer, ConfigAgent):
    """A compute server: a virtual machine or a bare metal node.

    The server delegates to one object per concern: its attributes, images, networking, power,
    request and updates.
    """

    resource_type = 'OS::Nova::Server'
    released_key = RELEASED
    snapshot_keys = (IMAGE_ID,)
    rest = Rest(
        'nova',
        '/servers',
        'server',
        ready=(ACTIVE,),
        failed=(ERROR,),
        deletes_async=True,
        list_path='/servers/detail',
        mark='description',
    )
    entity = 'servers'
    default_collectors = ('ec2',)
    # find_existing finds the server of an interrupted create by its name
    repeatable = False
    # later actions use the credentials of their requester
    uses_deferred_auth = False

    properties_schema = schema.PROPERTIES
    property_rules = rules.RULES
    attributes_schema = schema.ATTRIBUTES

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.server_attributes = ServerAttributes(self)
        self.images = ServerImages(self)
        self.networking = ServerNetworking(self)
        self.request = ServerRequest(self)
        self.updates = ServerUpdates(self)

    @property
    def uses_software_config(self):
        return self.properties['user_data_format'] == schema.SOFTWARE

    # ------------------------------------------------------------ validation

    def validate(self):
        super().validate()
        if self.uses_software_config:
            if 'deployments' in (self.initial_metadata() or ()):
                raise exception.StackValidationFailed(
                    'deployments key not allowed in resource metadata with user_data_format of '
                    'SOFTWARE_CONFIG'
                )
            self.validate_config_transport()

    def needs_replace_with_prop_diff(self, changed, after_properties, before_properties):
        if 'flavor' in changed and after_properties['flavor_update_policy'] == schema.REPLACE:
            return True
        if 'image' in changed and _needs_new_disk(after_properties, before_properties):
            return True
        return (
            'user_data' in changed and after_properties['user_data_update_policy'] == schema.REPLACE
        )

    def implied_dependencies(self, others):
        """Return the names of the subnets of the networks.

        Nova chooses the subnet of an address when it creates the server, and refuses a network
        without subnets.
        """
        for each in implied_dependencies.maps(self, 'networks'):
            for network in (each.get('network'), each.get('uuid')):
                yield from implied_dependencies.subnets_of(self, others, network)
            yield from implied_dependencies.subnets_near(self, others, each.get('port'))

    # ------------------------------------------------------------ create

    def handle_create(self):
        if self.resource_id is None:
            uses_agent = self.uses_software_config
            metadata = self.publish_agent_config() if uses_agent else self.metadata_get()
            nics = yield from self.networking.create_nics()
            body = self.request.body(nics, metadata)
            created = yield from self.send('POST', '/servers', body)
            self.resource_id_set(created['server']['id'])
        elif self.networking.interrupted:
            self.networking.find_created_ports()
            _find_created_user(self)
        yield from self.wait_until_ready(None)
        yield from self._lock()

    def find_existing(self):
        """Return the id of the server of an interrupted create, or None."""
        self.networking.interrupted = True
        self.user_may_be_lost = self.uses_software_config
        return super().find_existing()

    # ------------------------------------------------------------ update

    def handle_update(self, definition, tmpl_diff, prop_diff):
        yield from self._unlock()
        yield from self.updates.apply(prop_diff)
        yield from self.networking.update(prop_diff)
        yield from self._lock()
        transport = {'software_config_transport', 'deployment_swift_data'}
        if self.uses_software_config and transport & prop_diff.keys():
            self.publish_agent_config()
        self.clear_cache()

    def _lock(self):
        """Generator: lock the server, if the template says so."""
        if self.properties['locked']:
            reason = self.properties['locked_reason']
            yield from self.act('lock', **({'locked_reason': reason} if reason else {}))

    def _unlock(self):
        """Generator: unlock the server for the next actions, if the stack has locked it."""
        if self.resource_id is not None and self.stored_property('locked'):
            with contextlib.suppress(errors.NotFound):
                yield from self.act('unlock')

    def prepare_for_replace(self, definition):
        yield from self._unlock()
        yield from self.networking.release_ports(definition)

    # ------------------------------------------------------------ delete

    def handle_delete(self):
        self.delete_user()
        # a server that is created again after ERROR needs a user and a key of its own
        for key in (USER, *KEYPAIR):
            self.data_delete(key)
        if self.resource_id is not None:
            yield from self._unlock()
            yield from super().handle_delete()
        yield from self.networking.delete_ports()

    # ------------------------------------------------------------ other actions

    def handle_suspend(self):
        yield from self._unlock()
        yield from super().handle_suspend()
        yield from self._lock()

    def handle_resume(self):
        yield from self._unlock()
        yield from super().handle_resume()
        yield from self._lock()

    def handle_snapshot(self):
        if begun := self.data().get(IMAGE_ID):
            yield from self.images.wait_until_active(begun)
        else:
            yield from self.images.create(lambda image: self.data_set(IMAGE_ID, image))

    def handle_snapshot_delete(self, state):
        yield from self.images.create_before_delete(state)
        yield from self.handle_delete()

    def handle_delete_snapshot(self, data):
        image = (data.get('resource_data') or {}).get(IMAGE_ID)
        if image:
            yield from self.images.delete(image)

    def handle_restore(self, definition, data):
        image = data['resource_data'][IMAGE_ID]
        return definition.freeze(properties={**(definition.properties or {}), 'image': image})

    # ------------------------------------------------------------ attributes

    def show(self):
        shown = super().show()
        return shown and {**shown, 'os_collect_config': self.os_collect_config()}

    def resolve_attribute(self, name):
        return self.server_attributes.resolve(name)

    def attribute(self, *path):
        """Request one console only, if ``path`` names one: each request creates a token."""
        if self.server_attributes.has_console(path):
            return self.server_attributes.console_url(path[1])
        return super().attribute(*path)

    def live_properties(self):
        path = f'{self.object_path()}/os-interface'
        attached = self.client().list(path, 'interfaceAttachments')
        return self.described({**self.fetch(), PORTS: [each['port_id'] for each in attached]})

    def objects(self):
        ports = collections.defaultdict(list)
        for each in self.client('neutron').list('/ports', 'ports'):
            ports[each['device_id']].append(each['id'])
        return {one: {**each, PORTS: ports[one]} for one, each in super().objects().items()}

    def described(self, found):
        """Return the properties of the server; its networks are the ports that it has.

        The ports have the security groups: a server with ports accepts none of its own. A server
        without an image has booted from its first volume.
        """
        described = super().described(found)
        if found[PORTS]:
            described.pop(GROUPS, None)
            described['networks'] = [{'port': each} for each in found[PORTS]]
        for name, usual in (('hostname', described['name']), ('locked', False)):
            if described.get(name) == usual:
                del described[name]
        volumes = found.get('os-extended-volumes:volumes_attached')
        if volumes and not described.get('image'):
            disk = {'volume_id': volumes[0]['id'], 'boot_index': 0}
            described['block_device_mapping_v2'] = [disk]
        return described

    def normalize(self, found):
        metadata = self.stored_property('metadata') or {}
        shown = with_property_names(found, flavor_id(self, found), metadata)
        groups, present = self.stored_property(GROUPS), found.get(GROUPS) or []
        names = {each['name'] for each in present}
        # further ports may have further groups
        if not groups or all(self._group_name(each) in names for each in groups):
            return {**shown, GROUPS: groups}
        return shown

    def _group_name(self, group):
        try:
            return self.stack.clients().shown('neutron.security_group', group)['name']
        except (errors.NoSuchObject, errors.NotFound):
            return group


def _needs_new_disk(after, before):
    return (
        after['image_update_policy'] == schema.REPLACE or not after['image'] or not before['image']
    )


def _find_created_user(server):
    """Restore the id of the user of an interrupted create, and its password or access key.

    They are in what the create stored for the agent on the server.
    """
    config = server.os_collect_config()
    login = next((config[name] for name in config if 'user_id' in config[name]), None)
    if server.user_id is not None:
        return
    if login is not None and login['user_id']:
        server.keep_user(login['user_id'])
        server.data_set(PASSWORD, login['password'], redact=True)
    elif (config.get('cfn') or {}).get('access_key_id'):
        server.keep_keypair(config['cfn']['access_key_id'], config['cfn']['secret_access_key'])

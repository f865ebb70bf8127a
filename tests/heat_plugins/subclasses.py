"""Subclasses of Heat's own resource types, and of its bases."""

from heat.common import exception
from heat.common import template_format
from heat.engine import attributes
from heat.engine.clients import client_plugin
from heat.engine.clients.os import nova
from heat.engine.clients.os.neutron import neutron_constraints
from heat.engine import constraints
from heat.engine import properties
from heat.engine import resource
from heat.engine.resources.openstack.heat import random_string
from heat.engine.resources.openstack.cinder import volume
from heat.engine.resources.openstack.neutron import port
from heat.engine.resources.openstack.nova import server
from heat.engine.resources import signal_responder
from heat.engine.resources import stack_resource

SEEN = []


class LoggedServer(server.Server):
    """A server that records what happens to it, and has a property more."""

    OWNER = 'owner'
    properties_schema = dict(server.Server.properties_schema)
    properties_schema[OWNER] = properties.Schema(
        properties.Schema.STRING, 'Its owner.', default='nemo', update_allowed=True
    )
    attributes_schema = dict(server.Server.attributes_schema)
    attributes_schema['owner_name'] = attributes.Schema('The name of its owner.')

    def handle_create(self):
        server_id = super(LoggedServer, self).handle_create()
        SEEN.append(('create', server_id, self.properties[self.FLAVOR]))
        self.data_set('owner', self.properties[self.OWNER])
        return server_id

    def check_create_complete(self, server_id):
        done = super(LoggedServer, self).check_create_complete(server_id)
        if done:
            SEEN.append(
                (
                    'created',
                    str(server_id),
                    self.client('nova').show('/servers/%s' % server_id, 'server')['status'],
                )
            )
        return done

    def handle_update(self, json_snippet, tmpl_diff, prop_diff):
        if self.OWNER in prop_diff:
            self.data_set('owner', prop_diff.pop(self.OWNER))
        return super(LoggedServer, self).handle_update(json_snippet, tmpl_diff, prop_diff)

    def check_update_complete(self, token):
        SEEN.append(('updating', self.resource_id))
        return super(LoggedServer, self).check_update_complete(token)

    def handle_delete(self):
        SEEN.append(('delete', self.resource_id))
        return super(LoggedServer, self).handle_delete()

    def _resolve_attribute(self, name):
        if name == 'owner_name':
            return self.data().get('owner')
        return super(LoggedServer, self)._resolve_attribute(name)


class QuietPort(port.Port):
    """A port with another default."""

    def handle_create(self):
        SEEN.append(('port', self.physical_resource_name()))
        return super(QuietPort, self).handle_create()


class TaggedVolume(volume.CinderVolume):
    """A volume whose snapshots and updates are those of its base."""


class Word(random_string.RandomString):
    """A random text in capitals."""

    def _resolve_attribute(self, name):
        return super(Word, self)._resolve_attribute(name).upper()


class Bell(signal_responder.SignalResponder):
    """A type that takes signals."""

    attributes_schema = {
        'url': attributes.Schema('The URL for signals.'),
        'rung': attributes.Schema('How often.', cache_mode=attributes.Schema.CACHE_NONE),
    }

    def handle_create(self):
        super(Bell, self).handle_create()
        self.data_set('rung', '0')

    def handle_signal(self, details=None):
        if details == 'wrong':
            raise exception.Error('wrong signal')
        self.data_set('rung', str(int(self.data()['rung']) + 1))

    def _resolve_attribute(self, name):
        return self._get_heat_signal_url() if name == 'url' else self.data().get('rung')


class Doorbell(signal_responder.SignalResponder):
    """A type with the URLs of both signed endpoints, whose id is that of its user."""

    attributes_schema = {
        'signal': attributes.Schema('The URL to POST to.'),
        'waitcondition': attributes.Schema('The URL to PUT to.'),
    }

    def handle_create(self):
        super(Doorbell, self).handle_create()
        self.resource_id_set(self._get_user_id())

    def handle_signal(self, details=None):
        return 'rung'

    def _resolve_attribute(self, name):
        return self._get_ec2_signed_url(signal_type='/' + name)


class Nest(stack_resource.StackResource):
    """A type with a nested stack."""

    properties_schema = {
        'word': properties.Schema(properties.Schema.STRING, 'A word.', update_allowed=True)
    }
    attributes_schema = {'echo': attributes.Schema('The word.')}

    def child_template(self):
        return template_format.parse(TEMPLATE)

    def child_params(self):
        return {'word': self.properties['word']}

    def handle_create(self):
        return self.create_with_template(self.child_template(), self.child_params())

    def handle_update(self, json_snippet, tmpl_diff, prop_diff):
        self.properties = json_snippet.properties(self.properties_schema, self.context)
        return self.update_with_template(self.child_template(), self.child_params())


TEMPLATE = """
heat_template_version: 2018-08-31
parameters:
  word: {type: string}
resources:
  value:
    type: OS::Heat::Value
    properties: {value: {get_param: word}}
outputs:
  echo: {value: {get_attr: [value, value]}}
"""


class Container(resource.Resource):
    """A container in Swift, made by the library of Swift."""

    default_client_name = 'swift'

    def handle_create(self):
        name = self.physical_resource_name()
        self.swift().put_container(name)
        self.resource_id_set(name)

    def handle_delete(self):
        if self.resource_id is None:
            return
        with self.client_plugin().ignore_not_found:
            self.client().delete_container(self.resource_id)


class Flying(resource.Resource):
    """A type whose client library is not installed."""

    def handle_create(self):
        self.client('zun').containers.create()


class Network(constraints.BaseCustomConstraint):
    """A constraint that asks the client plug-in of Neutron."""

    def validate_with_client(self, clients, value):
        clients.client_plugin('neutron').find_resourceid_by_name_or_id('network', value)


class Wire(neutron_constraints.NeutronConstraint):
    """Heat's constraint on objects of Neutron, for one more kind."""

    resource_name = 'port'


class Chassis(nova.FlavorConstraint):
    """Heat's constraint on flavors by another name."""


class Wired(resource.Resource):
    """A type with these constraints."""

    properties_schema = {
        'net': properties.Schema(
            properties.Schema.STRING,
            'A network.',
            required=True,
            constraints=[constraints.CustomConstraint('test.network')],
        ),
        'wire': properties.Schema(
            properties.Schema.STRING, constraints=[constraints.CustomConstraint('test.wire')]
        ),
        'chassis': properties.Schema(
            properties.Schema.STRING, constraints=[constraints.CustomConstraint('test.chassis')]
        ),
    }

    def handle_create(self):
        plugin = self.client_plugin('neutron')
        self.resource_id_set(
            plugin.find_resourceid_by_name_or_id('network', self.properties['net'])
        )


class ClockPlugin(client_plugin.ClientPlugin):
    """A client plug-in of a third party."""

    def _create(self):
        return self.url_for(service_type='compute', endpoint_type='publicURL')


def resource_mapping():
    return {
        'Test::Logged::Server': LoggedServer,
        'Test::Quiet::Port': QuietPort,
        'Test::Tagged::Volume': TaggedVolume,
        'Test::Word': Word,
        'Test::Bell': Bell,
        'Test::Doorbell': Doorbell,
        'Test::Nest': Nest,
        'Test::Container': Container,
        'Test::Flying': Flying,
        'Test::Wired': Wired,
    }


def constraint_mapping():
    return {'test.network': Network, 'test.wire': Wire, 'test.chassis': Chassis}

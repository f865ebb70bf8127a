"""Client plug-ins by Heat's names: errors of libraries, versions, searches, missing libraries."""

import types

import pytest
from keystoneauth1 import exceptions as keystone_exceptions
from swiftclient import exceptions as swift_exceptions

from heat_lite.clients import client_plugin, errors
from heat_lite.common import exception
from heat_lite.plugin.heat import client_libraries, heat_exceptions, service_plugins
from heat_lite.plugin.heat.heat_properties import Properties
from heat_lite.plugin.heat.stack_view import ResourceDefinition
from heat_lite.plugin.properties import Schema


class LibraryError(Exception):
    def __init__(self, **values):
        super().__init__()
        self.__dict__.update(values)


class PortNotFoundClient(Exception):
    """An error without a status, as neutronclient has some."""


class NeutronPlugin(service_plugins.NeutronClientPlugin):
    """Neutron's plug-in with a library that knows one tunnel."""

    name = 'neutron'

    def _create(self, version=None):
        return self

    def find_resource(self, resource, name_or_id, cmd_resource=None):
        if (resource, name_or_id, cmd_resource) != ('tunnel', 'a', 'tun'):
            raise PortNotFoundClient(name_or_id)
        return {'id': '1'}


def test_objects_of_further_extensions_of_neutron_are_found_by_its_library():
    plugin = NeutronPlugin(None)
    assert plugin.find_resourceid_by_name_or_id('tunnel', 'a', cmd_resource='tun') == '1'
    assert plugin.find_resourceid_by_name_or_id('tunnel', None) is None
    with pytest.raises(exception.EntityNotFound, match='The tunnel .*b'):
        plugin.find_resourceid_by_name_or_id('tunnel', 'b')


@pytest.mark.parametrize(
    'error, question',
    [
        (LibraryError(http_status=404), 'is_not_found'),
        (LibraryError(status_code=409), 'is_conflict'),
        (LibraryError(code=413), 'is_over_limit'),
        (LibraryError(code=429), 'is_over_limit'),
        (LibraryError(code=422), 'is_unprocessable_entity'),
        (LibraryError(code=400), 'is_bad_request'),
        (PortNotFoundClient(), 'is_not_found'),
        (heat_exceptions.EntityMatchNotFound(entity='port', args='x'), 'is_not_found'),
        (errors.NoSuchObject(reason='none'), 'is_not_found'),
        (swift_exceptions.ClientException('gone', http_status=404), 'is_not_found'),
        (keystone_exceptions.NotFound(), 'is_not_found'),
    ],
)
def test_errors_of_any_library_are_classified(error, question):
    plugin = service_plugins.ClientPlugin(None)
    asked = [name for name in dir(plugin) if name.startswith('is_') and 'client' not in name]
    assert [name for name in asked if getattr(plugin, name)(error)] == [question]


@pytest.mark.parametrize('base', [service_plugins.ClientPlugin, client_plugin.ClientPlugin])
def test_ignored_errors_pass_a_call_and_a_with_block(base):
    plugin, gone, used = base(None), errors.NotFound('x'), errors.Conflict('x')
    plugin.ignore_not_found(gone)
    with plugin.ignore_not_found:
        raise gone
    with plugin.ignore_conflict_and_not_found:
        raise used
    with pytest.raises(errors.Conflict):
        plugin.ignore_not_found(used)
    with pytest.raises(errors.Conflict), plugin.ignore_not_found:
        raise used


def test_errors_of_a_service_are_those_of_its_library():
    plugin = service_plugins.plugin_class('swift')(None)
    assert plugin.is_client_exception(swift_exceptions.ClientException('x'))
    assert not plugin.is_client_exception(ValueError())


def test_unsupported_version_is_refused():
    class Versioned(service_plugins.ClientPlugin):
        supported_versions = ['1', '2']
        default_version = '1'

        def _create(self, version=None):
            return f'client {version}'

    plugin = Versioned(None)
    assert plugin.client() == 'client 1' and plugin.client('2') == 'client 2'
    with pytest.raises(heat_exceptions.InvalidServiceVersion, match='Versioned version 9'):
        plugin.client('9')


class Clients:
    """Clients of a cloud that record what they are asked."""

    def __init__(self):
        self.found = []

    def find(self, kind, value):
        self.found.append(kind)
        return f'id of {value}'

    def library_options(self, name, service_type):
        raise AssertionError('the library is missing')


class Context:
    def __init__(self):
        self.clients = Clients()


@pytest.mark.parametrize(
    'client, method, arguments, kind',
    [
        ('nova', 'find_flavor_by_name_or_id', ('small',), 'nova.flavor'),
        ('glance', 'find_image_by_name_or_id', ('small',), 'glance.image'),
        ('neutron', 'find_resourceid_by_name_or_id', ('port', 'small'), 'neutron.port'),
        ('keystone', 'get_project_id', ('small',), 'keystone.project'),
        ('cinder', 'get_volume_type', ('small',), 'cinder.vtype'),
    ],
)
def test_search_returns_the_id(client, method, arguments, kind):
    context = Context()
    plugin = service_plugins.plugin_class(client)(context)
    assert getattr(plugin, method)(*arguments) == 'id of small'
    assert context.clients.found == [kind]


def test_unknown_method_is_named():
    plugin = service_plugins.plugin_class('nova')(Context())
    with pytest.raises(AttributeError, match="'nova' of heat_lite has no conquer"):
        plugin.conquer()


def test_missing_library_is_named():
    absent = client_libraries.Library('absent', 'no_such_library', str, 'no_such_library', ('x',))
    with pytest.raises(errors.NoCloud, match='needs the library absent, which is not installed'):
        absent.load('nova')
    assert absent.errors_module() is None


def test_unknown_client_is_named():
    with pytest.raises(errors.NoCloud, match=r"there is no client\('monasca'\)"):
        service_plugins.plugin_class('monasca')(Context()).client()


def test_names_of_the_classes_are_those_of_heat():
    assert service_plugins.plugin_class('nova').__name__ == 'NovaClientPlugin'
    assert service_plugins.plugin_class('openstack').__name__ == 'OpenStackSDKPlugin'


def test_wrapper_of_keystone_has_the_names_of_its_client():
    made = types.SimpleNamespace(projects='projects')
    module = types.SimpleNamespace(Client=lambda **options: made)
    options = dict.fromkeys(('session', 'interface', 'region_name', 'endpoint_override'))
    wrapper = client_libraries.KeystoneWrapper(module, options)
    assert wrapper.client is made and wrapper.projects == 'projects'


def test_properties_answer_for_their_schemas():
    schema = {'size': Schema(Schema.INTEGER, 'It.', default=3, update_allowed=True)}
    found = Properties(schema, {'size': '7'})
    assert found['size'] == 7 and found.get_user_value('size') == '7'
    assert found.props['size'].update_allowed() and found.props['size'].default() == 3
    assert not found.props['size'].required() and found.props['size'].type() == Schema.INTEGER


def test_definition_renders_as_hot():
    made = ResourceDefinition('a', 'OS::Heat::None', {'x': 1}, depends=['b'])
    assert made.render_hot() == {
        'type': 'OS::Heat::None',
        'properties': {'x': 1},
        'depends_on': ['b'],
    }
    assert made.required_resource_names() == {'b'}

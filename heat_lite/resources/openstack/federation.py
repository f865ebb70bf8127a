"""The resource types of Keystone for users of other services: federation, and LDAP of a domain."""

from heat_lite.common.redaction import is_secret_name
from heat_lite.resources.base.cloud import Rest
from heat_lite.resources.base.named_object import NamedObject, Setting
from heat_lite.template.schema import (
    OURS,
    description_property,
    integer,
    list_,
    map_,
    name_property,
    parent,
    reference,
    string,
    switch,
)


def _rest(path, key):
    return Rest('keystone', path, key, update='PATCH')


class IdentityProvider(NamedObject):
    """An identity provider: a service whose logins Keystone trusts."""

    resource_type = 'OS::Keystone::IdentityProvider'
    since = OURS
    rest = _rest('/OS-FEDERATION/identity_providers', 'identity_provider')

    properties_schema = {
        'name': name_property(update_allowed=False, max=64, wire='id'),
        'authorization_ttl': integer(
            'Minutes for which memberships in groups last after a login.',
            update_allowed=True,
            min=0,
        ),
        'description': description_property(),
        'domain': reference(
            'keystone.domain',
            'Domain of the users of the provider, by name or id. If omitted, Keystone creates one.',
        ),
        'enabled': switch('Whether Keystone accepts logins of the provider.'),
        'remote_ids': list_(
            'Ids by which the provider names itself in its answers.', string(), update_allowed=True
        ),
    }


class Mapping(NamedObject):
    """A mapping: rules that make users, groups and projects of what a provider tells."""

    resource_type = 'OS::Keystone::Mapping'
    since = OURS
    rest = _rest('/OS-FEDERATION/mappings', 'mapping')

    properties_schema = {
        'name': name_property(update_allowed=False, max=64, wire='id'),
        'rules': list_(
            'Rules of the mapping, each with a list "local" and a list "remote".',
            map_(),
            required=True,
            update_allowed=True,
        ),
        'schema_version': string(
            'Version of the language of the rules.',
            default='1.0',
            update_allowed=True,
            allowed=['1.0', '2.0'],
        ),
    }

    def changes(self, changed, diff):
        """Return all values: Keystone checks the rules with each request."""
        return {name: self.properties[name] for name in ('rules', 'schema_version')}


class FederationProtocol(NamedObject):
    """A federation protocol: the way by which the logins of a provider come, and their mapping."""

    resource_type = 'OS::Keystone::FederationProtocol'
    since = OURS
    rest = _rest('/OS-FEDERATION/identity_providers/{identity_provider}/protocols', 'protocol')

    properties_schema = {
        'name': string('Name of the protocol: saml2, openid or mapped.', required=True, wire='id'),
        'identity_provider': parent('keystone.identity_provider', 'Identity provider, by name.'),
        'mapping': reference(
            'keystone.mapping',
            'Mapping of the logins, by name.',
            required=True,
            update_allowed=True,
        ),
        'remote_id_attribute': string(
            'Variable in which the web server gives the id of the provider.', update_allowed=True
        ),
    }
    parts = ('remote_id_attribute',)

    def fetch_part(self, name):
        """Return the variable, which Keystone shows in lists only."""
        listed = self.client().list(self.collection(), self.rest.list_key)
        return next((each.get(name) for each in listed if each['id'] == self.resource_id), None)


class ServiceProvider(NamedObject):
    """A service provider: another Keystone, which trusts the logins of this one."""

    resource_type = 'OS::Keystone::ServiceProvider'
    since = OURS
    rest = _rest('/OS-FEDERATION/service_providers', 'service_provider')

    properties_schema = {
        'name': name_property(update_allowed=False, max=64, wire='id'),
        'auth_url': string(
            'URL at which the provider gives tokens.', required=True, update_allowed=True
        ),
        'sp_url': string(
            'URL at which the provider takes assertions.', required=True, update_allowed=True
        ),
        'description': description_property(),
        'enabled': switch('Whether users can log in to the provider.'),
        'relay_state_prefix': string(
            'Prefix of the state that an assertion carries.', update_allowed=True
        ),
    }


class DomainConfig(Setting):
    """The options of one domain, for example its LDAP server.

    A create replaces the options that the domain has.
    """

    resource_type = 'OS::Keystone::DomainConfig'
    since = OURS
    rest = Rest('keystone', '/domains/{domain}/config', None, id='domain')

    properties_schema = {
        'config': map_(
            'Options of the domain: a map of groups, such as "identity" and "ldap", to maps of '
            'options.',
            required=True,
            update_allowed=True,
        ),
        'domain': parent('keystone.domain', 'Domain of the options, by name or id.'),
    }

    def normalize(self, found):
        """Add the stored passwords: Keystone does not show them."""
        config = dict(found['config'])
        for group, options in (self.stored_properties().get('config') or {}).items():
            hidden = {name: value for name, value in options.items() if is_secret_name(name)}
            config[group] = {**hidden, **config.get(group, {})}
        return {'config': config}

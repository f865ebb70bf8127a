"""ConfigAgent: a server whose agent (os-collect-config) polls for its configuration."""

import logging

from heat_lite.clients import errors
from heat_lite.common import exception
from heat_lite.resources.base import config_transports
from heat_lite.resources.base.stack_user import (
    ACCESS,
    CREDENTIAL,
    PASSWORD,
    SECRET,
    SeparateStackUser,
    catalog_cfn_url,
    cfn_url,
    keystone_url,
)
from heat_lite.template.schema import map_, string

LOG = logging.getLogger(__name__)
CFN, HEAT, TEMP_URL, ZAQAR = TRANSPORTS = (
    'POLL_SERVER_CFN',
    'POLL_SERVER_HEAT',
    'POLL_TEMP_URL',
    'ZAQAR_MESSAGE',
)
DEPLOYMENTS, COLLECT = 'deployments', 'os-collect-config'
#: the classes of transports that use another OpenStack service
TRANSPORT_CLASSES = {TEMP_URL: config_transports.TempUrl, ZAQAR: config_transports.Queue}
#: the collectors that read from afar: of all settings, only those of the present one have values
COLLECTORS = ('heat', 'zaqar', 'cfn', 'request')
NO_CFN_API = (
    'POLL_SERVER_CFN needs the URL of the CFN API: set heat_metadata_server_url, or add an '
    'endpoint of the type cloudformation to the Keystone catalog, or use POLL_SERVER_HEAT'
)


def swift_data_property(description):
    """Return the schema of the property with the object that POLL_TEMP_URL uses."""
    return map_(
        description,
        {
            'container': string('Name of the Swift container.', min=1),
            'object': string('Name of the Swift object.', min=1),
        },
        default={},
        update_allowed=True,
        since='9.0.0',
    )


class ConfigAgent(SeparateStackUser):
    """A server with an agent.

    The settings of the agent's collector are in the metadata of the resource, next to the
    deployments.

    POLL_SERVER_CFN makes the agent poll the CFN API with an access key, POLL_SERVER_HEAT the REST
    API with a password. The other transports store all of that in another service.
    """

    refreshes_metadata = True
    #: collectors that the agent uses before the configured one
    default_collectors: tuple[str, ...] = ()

    def properties_of(self, definition):
        """Return the properties, with the operator's default transports where the template sets
        none.
        """
        made = super().properties_of(definition)
        default = {
            name: value
            for name, value in self._default_transports().items()
            if name in self.properties_schema
        }
        made.data = {**default, **made.data}
        return made

    def _default_transports(self):
        """Return the operator's defaults; Swift where servers cannot reach this service."""
        runtime = self.stack.runtime
        if runtime.endpoints.reachable or not runtime.clouds.has_service(
            self.stack.tenant, 'swift'
        ):
            return runtime.server_defaults.defaults
        return {**runtime.server_defaults.defaults, 'software_config_transport': TEMP_URL}

    def validate_config_transport(self):
        """Check the service of the config transport.

        Raises StackValidationFailed if it is unavailable.
        """
        name = self.properties['software_config_transport']
        transport = TRANSPORT_CLASSES.get(name)
        if name == CFN:
            self._require_cfn_api()
        if transport is None:
            return
        if name == ZAQAR and self.users is not None and not self.users.in_keystone:
            raise exception.StackValidationFailed(
                f'{name} needs stack users in Keystone, which a service started with --cloud has '
                'not: use POLL_TEMP_URL, or start it with --public-url URL'
            )
        try:
            self.stack.clients().require(transport.service)
        except errors.NoCloud as error:
            raise exception.StackValidationFailed(
                f'{name} needs the {transport.label} service: {error}'
            ) from error

    def publish_agent_config(self):
        """Create the config transport, and a stack user if the agent has to authenticate.

        Return the metadata.
        """
        self.delete_config_transports()
        transport = self._config_transport()
        if self.user_id is None and (transport is None or transport.needs_user):
            self.create_user()
        if transport is not None:
            transport.create()
        elif self._polls_cfn() and CREDENTIAL not in self.data():
            self.create_keypair()
        config = self.collect_config()
        made = self.metadata_change(
            lambda known: {
                **known,
                DEPLOYMENTS: known.get(DEPLOYMENTS, []),
                COLLECT: _without_former(known.get(COLLECT) or {}, config),
            }
        )
        self.metadata_updated(made)
        return made

    def _polls_cfn(self):
        return self.users is not None and self.properties['software_config_transport'] == CFN

    def _require_cfn_api(self):
        """Raise StackValidationFailed if neither the options nor the catalog have the CFN API."""
        if self.users is None or self.stack.runtime.endpoints.metadata:
            return
        try:
            found = catalog_cfn_url(self.stack)
        except errors.NoCloud:
            return  # the catalog of the stack user tells it
        if not found:
            raise exception.StackValidationFailed(NO_CFN_API)

    def _metadata_url(self):
        """Return the URL of the CFN API. Raises Error if it is unknown."""
        password = self.data().get(PASSWORD)
        url = cfn_url(self.stack, lambda: self.users.cfn_url(self.user_id, password))
        if url is None:
            raise exception.Error(NO_CFN_API)
        return url

    def _config_transport(self):
        """Return the transport through another service; None if the agent polls this service."""
        kind = TRANSPORT_CLASSES.get(self.properties['software_config_transport'])
        return None if kind is None else kind(self)

    def _existing_transports(self):
        """Return the transports that exist. The transport in the properties may be a new one."""
        return [
            transport
            for transport in (kind(self) for kind in TRANSPORT_CLASSES.values())
            if transport.exists()
        ]

    def metadata_updated(self, metadata):
        for transport in self._existing_transports():
            transport.publish(metadata)

    def delete_config_transports(self):
        """Delete what other services store for the agent.

        A missing service, user or object is logged and ignored.
        """
        for transport in self._existing_transports():
            try:
                transport.delete()
            except errors.LOST as error:
                LOG.warning('%s: data for its agent may remain in another service: %s', self, error)

    def delete_user(self):
        self.delete_config_transports()
        super().delete_user()

    def collect_config(self):
        """Return the configuration of os-collect-config.

        Without Keystone there are no users, so that no remote collector can authenticate.
        """
        transport = self._config_transport()
        if transport is not None:
            values = (
                {**self.login_values(), **transport.collector_config()}
                if transport.needs_user
                else transport.collector_config()
            )
            return {
                'collectors': [*self.default_collectors, transport.collector, 'local'],
                transport.collector: values,
            }
        if self.users is None:
            return {'collectors': [*self.default_collectors, 'local']}
        if self._polls_cfn():
            return {
                'collectors': [*self.default_collectors, 'cfn', 'local'],
                'cfn': self._cfn_values(),
            }
        identity = self.stack.identifier()
        values = {
            **self.login_values(),
            'stack_id': f'{identity.stack_name}/{identity.stack_id}',
            'resource_name': self.name,
        }
        return {'collectors': [*self.default_collectors, 'heat', 'local'], 'heat': values}

    def _cfn_values(self):
        data = self.data()
        return {
            'metadata_url': self._metadata_url(),
            'access_key_id': data[ACCESS],
            'secret_access_key': data[SECRET],
            'stack_name': self.stack.name,
            'path': f'{self.name}.Metadata',
        }

    def login_values(self):
        addresses = self.stack.runtime.endpoints
        return {
            'user_id': self.user_id,
            'password': self.data()[PASSWORD],
            'auth_url': f'{keystone_url(self.stack)}/',
            'project_id': self.users.project_id(),
            'region_name': addresses.region,
        }

    def os_collect_config(self):
        return self.metadata_get(refresh=True).get(COLLECT, {})

    def metadata_set(self, metadata):
        """Set the metadata, keeping the deployments and the settings of the collector."""
        kept = (DEPLOYMENTS, COLLECT)
        made = self.metadata_change(
            lambda known: {**metadata, **{key: known[key] for key in kept if key in known}}
        )
        self.metadata_updated(made)

    def access_allowed(self, resource_name):
        return resource_name == self.name


def _without_former(known, config):
    """Return the settings of the collector, with null for each of a former one.

    An agent merges what it reads into the settings that its server booted with.
    """
    former = {name: known[name] for name in COLLECTORS if name in known and name not in config}
    return {**{name: dict.fromkeys(values) for name, values in former.items()}, **config}

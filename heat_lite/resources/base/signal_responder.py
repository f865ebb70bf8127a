"""SignalResponder: a resource that receives signals, and the transports of signals."""

import json
import logging
import urllib.parse

from heat_lite.clients import errors
from heat_lite.common import ec2, exception, signal_signature
from heat_lite.engine import event
from heat_lite.resources.base import signal_transports
from heat_lite.resources.base.stack_user import (
    ACCESS,
    CREDENTIAL,
    KEYPAIR,
    PASSWORD,
    SECRET,
    USER,
    StackUser,
    keystone_url,
)

LOG = logging.getLogger(__name__)
CFN, TEMP_URL, HEAT, NONE, ZAQAR, TOKEN = TRANSPORTS = (
    'CFN_SIGNAL',
    'TEMP_URL_SIGNAL',
    'HEAT_SIGNAL',
    'NO_SIGNAL',
    'ZAQAR_SIGNAL',
    'TOKEN_SIGNAL',
)
#: the classes of transports that use another OpenStack service
TRANSPORT_CLASSES = {TEMP_URL: signal_transports.TempUrl, ZAQAR: signal_transports.Queue}
#: seconds between two polls of such a transport: it sends no notification
TRANSPORT_POLL_SECONDS = 1.0
SIGNED_URL, SIGNAL_URL, AUTH_TOKEN = 'ec2_signed_url', 'signal_url', 'token'
#: the keys by which Heat stores the URL for signals: of TOKEN_SIGNAL and of HEAT_SIGNAL
HEAT_SIGNAL_URLS = ('endpoint', 'heat_signal_url')
#: what the data has of a user and a transport that only this service knows
OWN_CREDENTIALS = (USER, PASSWORD, *KEYPAIR, SIGNED_URL, SIGNAL_URL, AUTH_TOKEN, *HEAT_SIGNAL_URLS)


UNREACHABLE = (
    '{transport} needs a URL by which servers reach this service: start it with --public-url URL, '
    'or use TEMP_URL_SIGNAL in a cloud with object storage, ZAQAR_SIGNAL for a handle in one with '
    'messaging, or NO_SIGNAL for signals by hand'
)
NO_KEYSTONE_USER = (
    'with {transport} the agent of a server logs in to Keystone as a stack user, which a service '
    'started with --cloud has not: use TEMP_URL_SIGNAL, or start it with --public-url URL'
)


def with_default_transport(stack, properties):
    """Return the properties of a deployment, with the operator's default signal transport if the
    template sets none.
    """
    default = stack.runtime.server_defaults.signal_transport
    if default != CFN:
        properties.data = {'signal_transport': default, **properties.data}
    return properties


def _has_user_of_heat(resource):
    """Return whether Heat has made the user: it stores the id in the data of each type."""
    return resource.users is not None and USER in resource.data()


def _makes_user_only(resource):
    """Return whether the type makes nothing but its user and its transport."""
    return type(resource).handle_create is SignalResponder.handle_create


def _local_signal_url(resource):
    """Return the URL for signals without a login: signed if containers reach it; or None."""
    runtime, tenant = resource.stack.runtime, resource.stack.tenant
    if runtime.endpoints.containers:
        rest = f'{runtime.endpoints.containers}/v1/{urllib.parse.quote(tenant)}'
        return signal_signature.sign(resource.build_signal_url(rest), runtime.secret)
    rest = runtime.endpoints.rest_url(tenant)
    return None if rest is None else resource.build_signal_url(rest)


def _invalid(resource, text):
    path = (resource.definition.path[0], resource.name)
    return exception.StackValidationFailed(text, path=path)


class SignalResponder(StackUser):
    """A resource that receives signals.

    ``transport`` returns how; the transport is created once, with the resource.

    Without Keystone all transports are equal: a plain URL of the REST API, without user, token or
    signature.
    """

    #: the HTTP method that the signed URL is for
    signed_method = 'PUT'
    #: the last part of the signed URL's path in the CloudFormation-compatible API
    signed_endpoint = 'waitcondition'
    #: whether the resource fails if the URL of that API is unknown
    requires_cfn_endpoint = True
    #: whether the sender of a signal logs in before it posts to a Zaqar queue
    queue_needs_login = False
    #: whether signals name the resource by its physical id, as its replacement may have the name
    signals_by_id = False
    #: the name of the property with the transport, if the type has one
    transport_property: str | None = None

    #: what a Swift object for signals contains before the first one; None: what handles of Heat do
    unsignalled: str | None = None

    #: whether the loss of the transport has been logged
    _transport_lost = False

    def transport(self):
        """Return the transport of the template, or the default.

        Where servers cannot reach this service, the default is an object in Swift. The data of the
        resource tell which transport it has been created with.
        """
        name = self.transport_property
        if name is None:
            return CFN
        wanted, data = self.properties[name], self.data()
        if self.properties.data.get(name) is not None or self.signal_url() is not None:
            return wanted
        if signal_transports.URL in data:
            return TEMP_URL
        return TEMP_URL if self._needs_swift() else wanted

    def _needs_swift(self):
        """Return whether only Swift takes signals of servers, and the cloud has it."""
        runtime = self.stack.runtime
        return not runtime.endpoints.reachable and runtime.clouds.has_service(
            self.stack.tenant, 'swift'
        )

    def validate(self):
        super().validate()
        self._check_way_in()
        transport = self.external_transport()
        if transport is None:
            return
        try:
            self.stack.clients().require(transport.service)
        except errors.NoCloud as error:
            text = f'{self.transport()} needs the {transport.label} service: {error}'
            raise _invalid(self, text) from error

    def _check_way_in(self):
        """Raise StackValidationFailed if no signal by the transport can arrive."""
        kind = self.transport()
        if kind == ZAQAR and self.queue_needs_login and self._signs_requests():
            raise _invalid(self, NO_KEYSTONE_USER.format(transport=kind))
        if (
            kind in (CFN, HEAT, TOKEN)
            and self.requires_cfn_endpoint
            and not self.stack.runtime.endpoints.reachable
            and self.signal_url() is None
        ):
            raise _invalid(self, UNREACHABLE.format(transport=kind))

    @property
    def repeatable(self):
        # An interrupted create may have made the user and not yet the transport.
        return super().repeatable or _makes_user_only(self) and self.resource_id is not None

    def find_existing(self):
        """Return the id of the user of an interrupted create; None without one."""
        self.user_may_be_lost = True
        if _makes_user_only(self):
            return self.find_lost_user()
        return super().find_existing()

    def handle_create(self):
        """Create the user and the transport, or what an interrupted create has not made."""
        if self.user_id is None or self.users is not None and PASSWORD not in self.data():
            self.delete_user()  # its password is lost
            self.create_user()
        if self.transport() != NONE:
            self.create_signal_transport()

    def handle_adopt(self, resource_data):
        """Adopt the user, with new credentials: the adopted ones name the former stack.

        Users in Keystone and objects in other services stay as they are: servers hold their names.
        """
        super().handle_adopt(resource_data)
        in_keystone = self.users is not None and self.users.in_keystone
        if not in_keystone and _makes_user_only(self) and self.external_transport() is None:
            for key in OWN_CREDENTIALS:
                self.data_delete(key)
            self.handle_create()

    def handle_delete(self):
        self.delete_signal_transport()
        super().handle_delete()

    def external_transport(self):
        """Return the transport through another service; None if signals are sent to this
        service.
        """
        name = self.transport()
        if name == ZAQAR and self._signs_requests():
            return signal_transports.SignedQueue(self)
        kind = TRANSPORT_CLASSES.get(name)
        return None if kind is None else kind(self)

    def _signs_requests(self):
        """Return whether Zaqar signs requests for signals, as it does not know the stack users."""
        return self.users is not None and not self.users.in_keystone

    def create_signal_transport(self):
        transport = self.external_transport()
        if transport is not None:
            transport.create()
            return
        users = self.users
        if users is None:
            # without a signal URL, clients that know the endpoint of this service can still send
            # signals
            url = _local_signal_url(self)
            if url is not None:
                self.data_set(SIGNAL_URL, url, redact=True)
            return
        token, rest, cfn = users.log_in(self.user_id, self.data()[PASSWORD])
        self.data_set(SIGNAL_URL, self.build_signal_url(rest))
        if self.transport() == TOKEN:
            self.data_set(AUTH_TOKEN, token, redact=True)
        elif self.transport() == CFN:
            if CREDENTIAL not in self.data():
                self.create_keypair()
            self.data_set(SIGNED_URL, self._signed_url(cfn), redact=True)

    def delete_signal_transport(self):
        """Delete the transport. A missing service, user or object is logged and ignored."""
        transport = self.external_transport()
        if transport is None:
            return
        try:
            transport.delete()
        except errors.LOST as error:
            LOG.warning('%s: data for its signals may remain in another service: %s', self, error)

    def poll_signals(self):
        """Handle the signals that have arrived through another service."""
        transport = self.external_transport()
        if transport is None:
            return
        try:
            received = transport.poll_signals()
        except errors.NotFound as error:
            if not self._transport_lost:
                LOG.warning(
                    '%s receives no more signals, as their transport was deleted: %s', self, error
                )
            self._transport_lost = True
            return
        for details in received:
            try:
                event.record_signal(self, details, self.handle_signal(details))
            except (exception.Invalid, exception.RequestLimitExceeded) as error:
                LOG.warning('The signal to %s failed: %s', self, error)
                event.record_signal(self, details, f'refused: {error}')

    def signals_since(self):
        """Return the time of the last signal that Heat has handled: it deletes those of handles."""
        return ''

    def poll_interval(self, default):
        """Return the seconds until the next poll; ``default`` if the transport sends
        notifications.
        """
        return (
            default if self.external_transport() is None else min(default, TRANSPORT_POLL_SECONDS)
        )

    def build_signal_url(self, rest):
        if rest is None:
            raise exception.Error(
                'The URL of this service is unknown: set url in [clients_heat] '
                'or add an endpoint to the Keystone catalog'
            )
        # the identifier's path begins with the project of the stack; the URL has that of the stack
        # user
        return f'{rest.rstrip("/")}/{_identity(self).url_path().partition("/")[2]}/signal'

    def _signed_url(self, waitcondition):
        if waitcondition is None and not self.requires_cfn_endpoint:
            return None
        if waitcondition is None:
            raise exception.Error(
                'The URL of the CloudFormation-compatible API is unknown: set '
                'heat_waitcondition_server_url or add an endpoint to the '
                'Keystone catalog'
            )
        data = self.data()
        endpoint = waitcondition.rstrip('/').removesuffix('waitcondition') + self.signed_endpoint
        url = f'{endpoint}/{urllib.parse.quote(_identity(self).arn(), safe="/")}'
        return ec2.signed_url(url, data[ACCESS], data[SECRET], self.signed_method)

    # ------------------------------------------------------------ URLs and credentials

    def signal_url(self):
        """Return the URL for signals that are authenticated by a token."""
        data = self.data()
        return next((data[key] for key in (SIGNAL_URL, *HEAT_SIGNAL_URLS) if data.get(key)), None)

    def signed_url(self):
        """Return the URL that needs no token; without Keystone the plain URL.

        None if neither is known.
        """
        return self.data().get(SIGNED_URL) or self._sign_for_heat() or self.signal_url()

    def _sign_for_heat(self):
        """Return the signed URL of a resource of Heat, which makes it when it is read; or None."""
        cfn = self.stack.runtime.endpoints.waitcondition
        if cfn is None or not _has_user_of_heat(self) or self.transport() != CFN:
            return None
        if ACCESS not in self.data():
            self.create_keypair()
            self.stack.journal.flush()
        return self._signed_url(cfn)

    def create_missing_transport(self):
        """Create the transport of a resource of Heat, which makes it when it is read."""
        if not _has_user_of_heat(self):
            return
        transport = self.external_transport()
        if transport is not None and not (self.temp_url() or self.queue_id()):
            transport.create()
        elif transport is None and self.transport() != NONE and self.signal_url() is None:
            rest, project = self.client('heat').url, self.users.project_id()
            url = self.build_signal_url(rest.replace(self.stack.tenant, project))
            self.data_set(SIGNAL_URL, url)
        else:
            return
        self.stack.journal.flush()

    def token(self):
        return self.data().get(AUTH_TOKEN)

    def temp_url(self):
        """Return the temporary URL of the Swift object that receives signals."""
        return self.data().get(signal_transports.URL)

    def queue_id(self):
        """Return the id of the Zaqar queue that receives signals."""
        return self.data().get(signal_transports.QUEUE)

    def signal_attribute(self):
        """Return what a client needs to send a signal, as JSON; None until the transport has been
        created.
        """
        self.create_missing_transport()
        if self.transport() in TRANSPORT_CLASSES and not (self.temp_url() or self.queue_id()):
            return None
        values = {
            CFN: lambda: {'alarm_url': self.signed_url()},
            HEAT: lambda: _login_credentials(self),
            NONE: dict,
            TEMP_URL: lambda: {'alarm_url': self.temp_url()},
            ZAQAR: lambda: _queue_credentials(self),
        }.get(self.transport(), lambda: None)()
        return json.dumps(values)

    def login_values(self):
        addresses = self.stack.runtime.endpoints
        return {
            'auth_url': f'{keystone_url(self.stack)}/',
            'username': self.physical_resource_name(),
            'user_id': self.user_id,
            'password': self.data()[PASSWORD],
            'project_id': self.users.project_id(),
            'domain_id': self.users.domain_id,
            'region_name': addresses.region,
        }


def _identity(resource):
    """Return the identifier in the URLs for signals."""
    name = resource.resource_id if resource.signals_by_id else resource.name
    return resource.stack.identifier().resource(name)


def _login_credentials(resource):
    login = {} if resource.users is None else resource.login_values()
    return {**login, 'alarm_url': resource.signal_url()}


def _queue_credentials(resource):
    signs = resource._signs_requests()
    login = resource.external_transport().request() if signs else resource.login_values()
    return {**login, 'queue_id': resource.queue_id()}

"""SignalResponder: a resource that can be told something by whoever knows its address, and the ways of telling it."""

import json
import logging
import urllib.parse

from keystoneauth1 import exceptions

from heat_lite.clients import errors
from heat_lite.common import ec2, exception
from heat_lite.resources import signal_routes
from heat_lite.resources.stack_user import ACCESS, PASSWORD, SECRET, StackUser

LOG = logging.getLogger(__name__)
CFN, TEMP_URL, HEAT, NONE, ZAQAR, TOKEN = TRANSPORTS = (
    'CFN_SIGNAL',
    'TEMP_URL_SIGNAL',
    'HEAT_SIGNAL',
    'NO_SIGNAL',
    'ZAQAR_SIGNAL',
    'TOKEN_SIGNAL',
)
#: ways that lead through another service of the cloud
ROUTES = {TEMP_URL: signal_routes.TempUrl, ZAQAR: signal_routes.Queue}
#: seconds between two looks at them: they ring no bell
LOOKS_EVERY = 1.0
SIGNED_URL, SIGNAL_URL, AUTH_TOKEN = 'ec2_signed_url', 'signal_url', 'token'


def by_usual_way(stack, properties):
    """The properties of a deployment, with the way for signals that the operator wants where the template says none."""
    usual = stack.runtime.guests.signal_transport
    if usual != CFN:
        properties.data = {'signal_transport': usual, **properties.data}
    return properties


class SignalResponder(StackUser):
    """A type says by ``transport`` how it wants to be told; what there is to know for that is made once, with the resource.

    Where there is no Keystone, all ways are the same: a plain URL of the REST API, without user, token or signature.
    """

    #: the method of HTTP that is signed with the URL
    signed_verb = 'PUT'
    #: the part of the API for CFN to which it is put
    signed_door = 'waitcondition'
    #: whether it is of no use without that API
    needs_door = True

    #: whether what its signals come by is known to be gone
    _deaf = False

    def transport(self):
        return CFN

    def validate(self):
        super().validate()
        route = self.route()
        if route is None:
            return
        try:
            self.stack.clients().require(route.service)
        except errors.NoCloud as error:
            text = f'{self.transport()} needs the {route.label} service: {error}'
            raise exception.StackValidationFailed(text) from error

    def handle_create(self):
        self.create_user()
        if self.transport() != NONE:
            self.open_door()

    def handle_delete(self):
        self.close_door()
        super().handle_delete()

    def route(self):
        """The way through another service; None where signals come here by themselves."""
        kind = ROUTES.get(self.transport())
        return None if kind is None else kind(self)

    def open_door(self):
        route = self.route()
        if route is not None:
            route.open()
            return
        users = self.users
        if users is None:
            # without an address it can still be signalled by those who know where the service is
            rest = self.stack.runtime.addresses.rest_of(self.stack.tenant)
            if rest is not None:
                self.data_set(SIGNAL_URL, self._url_below(rest))
            return
        token, rest, cfn = users.log_in(self.user_id, self.data()[PASSWORD])
        self.data_set(SIGNAL_URL, self._url_below(rest))
        if self.transport() == TOKEN:
            self.data_set(AUTH_TOKEN, token, redact=True)
        elif self.transport() == CFN:
            self.create_keypair()
            self.data_set(SIGNED_URL, self._signed_url(cfn), redact=True)

    def close_door(self):
        """What another service keeps for signals goes with the resource; where that service, or the user, has gone, so has what it kept."""
        route = self.route()
        if route is None:
            return
        try:
            route.close()
        except (errors.NotFound, errors.NoCloud, exceptions.NotFound, exceptions.Unauthorized) as error:
            LOG.warning('%s: what was kept for its signals is left behind: %s', self, error)

    def hear(self):
        """Take the signals that have come through another service."""
        route = self.route()
        if route is None:
            return
        try:
            come = route.hear()
        except errors.NotFound as error:
            if not self._deaf:
                LOG.warning('%s: what its signals come by is gone: %s', self, error)
            self._deaf = True
            return
        for details in come:
            try:
                self.handle_signal(details)
            except exception.Invalid as error:
                LOG.warning('The signal to %s failed: %s', self, error)

    def patience(self, usual):
        """Seconds until the next look, where nobody rings."""
        return usual if self.route() is None else min(usual, LOOKS_EVERY)

    def _url_below(self, rest):
        if rest is None:
            raise exception.Error(
                'The address of this service is not known: set url in [clients_heat], or let the catalog of Keystone have it'
            )
        # the path of an identity begins with its project, which is the user's here: it is part of the address already
        return f'{rest.rstrip("/")}/{self.identifier().url_path().partition("/")[2]}/signal'

    def _signed_url(self, waitcondition):
        if waitcondition is None and not self.needs_door:
            return None
        if waitcondition is None:
            raise exception.Error(
                'The address of the API for CFN is not known: set heat_waitcondition_server_url, or let the catalog of Keystone have it'
            )
        data = self.data()
        door = waitcondition.rstrip('/').removesuffix('waitcondition') + self.signed_door
        url = f'{door}/{urllib.parse.quote(self.identifier().arn(), safe="/")}'
        return ec2.signed_url(url, data[ACCESS], data[SECRET], self.signed_verb)

    # ------------------------------------------------------------ what others are told

    def signal_url(self):
        """The URL to which a signal is sent with a token, if one is needed."""
        return self.data().get(SIGNAL_URL)

    def signed_url(self):
        """The URL that needs no token; where there is no Keystone no URL does, and it is the plain one. None while nobody knows."""
        return self.data().get(SIGNED_URL) or self.signal_url()

    def token(self):
        return self.data().get(AUTH_TOKEN)

    def temp_url(self):
        """The URL of the object storage to which a signal is put."""
        return self.data().get(signal_routes.URL)

    def queue_id(self):
        """The queue into which signals are put."""
        return self.data().get(signal_routes.QUEUE)

    def signal_attribute(self):
        """All that a program needs to know to send a signal, as JSON; None while the way for it is being made."""
        if self.transport() in ROUTES and not (self.temp_url() or self.queue_id()):
            return None
        told = {
            CFN: lambda: {'alarm_url': self.signed_url()},
            HEAT: self._credentials,
            NONE: dict,
            TEMP_URL: lambda: {'alarm_url': self.temp_url()},
            ZAQAR: self._queue_credentials,
        }.get(self.transport(), lambda: None)()
        return json.dumps(told)

    def _credentials(self):
        if self.users is None:
            return {'alarm_url': self.signal_url()}
        return {**self._login(), 'alarm_url': self.signal_url()}

    def _queue_credentials(self):
        return {**self._login(), 'queue_id': self.queue_id()}

    def _login(self):
        addresses = self.stack.runtime.addresses
        return {
            'auth_url': f'{addresses.auth_url}/',
            'username': self.physical_resource_name(),
            'user_id': self.user_id,
            'password': self.data()[PASSWORD],
            'project_id': self.users.project_id(),
            'domain_id': self.users.domain_id,
            'region_name': addresses.region,
        }

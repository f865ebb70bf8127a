"""SignalResponder: a resource that can be told something by whoever knows its address, and the ways of telling it."""

import json
import urllib.parse

from heat_lite.common import ec2, exception
from heat_lite.resources.stack_user import ACCESS, PASSWORD, SECRET, StackUser

CFN, TEMP_URL, HEAT, NONE, ZAQAR, TOKEN = TRANSPORTS = (
    'CFN_SIGNAL',
    'TEMP_URL_SIGNAL',
    'HEAT_SIGNAL',
    'NO_SIGNAL',
    'ZAQAR_SIGNAL',
    'TOKEN_SIGNAL',
)
#: ways that lead through another service of the cloud, which has no client here yet
ELSEWHERE = {TEMP_URL: 'object storage', ZAQAR: 'messaging'}
SIGNED_URL, SIGNAL_URL, AUTH_TOKEN = 'ec2_signed_url', 'signal_url', 'token'


class SignalResponder(StackUser):
    """A type says by ``transport`` how it wants to be told; what there is to know for that is made once, with the resource.

    Where there is no Keystone, all ways are the same: a plain URL of the REST API, without user, token or signature.
    """

    #: the method of HTTP that is signed with the URL
    signed_verb = 'PUT'
    #: the part of the API for CFN to which it is put
    signed_door = 'waitcondition'

    def transport(self):
        return CFN

    def validate(self):
        super().validate()
        service = ELSEWHERE.get(self.transport())
        if service is not None:
            raise exception.StackValidationFailed(
                f'{self.transport()} needs the {service} service, which cannot be used here yet; '
                f'use one of {", ".join(each for each in TRANSPORTS if each not in ELSEWHERE)}'
            )

    def handle_create(self):
        self.create_user()
        if self.transport() != NONE:
            self.open_door()

    def open_door(self):
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

    def _url_below(self, rest):
        if rest is None:
            raise exception.Error(
                'The address of this service is not known: set url in [clients_heat], or let the catalog of Keystone have it'
            )
        # the path of an identity begins with its project, which is the user's here: it is part of the address already
        return f'{rest.rstrip("/")}/{self.identifier().url_path().partition("/")[2]}/signal'

    def _signed_url(self, waitcondition):
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

    def signal_attribute(self):
        """All that a program needs to know to send a signal, as JSON."""
        told = {
            CFN: lambda: {'alarm_url': self.signed_url()},
            HEAT: self._credentials,
            NONE: dict,
        }.get(self.transport(), lambda: None)()
        return json.dumps(told)

    def _credentials(self):
        if self.users is None:
            return {'alarm_url': self.signal_url()}
        addresses = self.stack.runtime.addresses
        return {
            'auth_url': f'{addresses.auth_url}/',
            'username': self.physical_resource_name(),
            'user_id': self.user_id,
            'password': self.data()[PASSWORD],
            'project_id': self.users.project_id(),
            'domain_id': self.users.domain_id,
            'region_name': addresses.region,
            'alarm_url': self.signal_url(),
        }

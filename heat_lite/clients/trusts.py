"""What a user leaves with the service for the time when his token has ended: a trust, or his password."""

import logging
import threading

from keystoneauth1 import exceptions
from keystoneauth1.identity import v3

from heat_lite.clients import errors, session
from heat_lite.common import exception

LOG = logging.getLogger(__name__)
PASSWORD, TRUSTS = 'password', 'trusts'
#: what Keystone said follows
NOT_MADE = 'no trust could be made by which to go on when the token of the user has ended: '
NO_TRUSTEE = 'the service cannot be trusted with anything: [trustee] is not configured'


def keeper(conf):
    """None where there is no Keystone, or nobody who could act for a user."""
    if not session.auth_url(conf):
        return None
    if conf.deferred_auth_method != PASSWORD and session.trustee(conf) is None:
        LOG.warning('[trustee] is not configured: no action goes on when the token of its user has ended')
        return None
    return Trusts(conf)


class Trusts:
    """Makes, uses and takes away what users leave. What is left is a dict of columns of the table user_creds."""

    def __init__(self, conf):
        self._conf = conf
        self._guard = threading.Lock()
        self._trustee_id = None

    # ------------------------------------------------------------ make

    def make(self, context):
        """What to keep of whoever asks: his password, where that is the way and he has sent it, else a trust. Raises why it cannot be."""
        ours = {
            'username': context.username,
            'tenant': context.project_name,
            'tenant_id': context.project_id,
            'auth_url': session.auth_url(self._conf),
            'trustor_user_id': context.user_id,
            'region_name': context.region_name,
        }
        if self._conf.deferred_auth_method == PASSWORD and self._conf.reauthentication_auth_method != TRUSTS:
            if not context.username or not context.password:
                raise exception.MissingCredentialError(required='X-Auth-User' if not context.username else 'X-Auth-Key')
            return {**ours, 'password': context.password}
        return {**ours, 'trust_id': self._trust(context)}

    def _trust(self, context):
        roles = self._conf.trusts_delegated_roles or list(context.roles or ())
        trust = {
            'trustor_user_id': context.user_id,
            'trustee_user_id': self._trustee(),
            'project_id': context.project_id,
            'impersonation': True,
            'allow_redelegation': self._conf.allow_trusts_redelegation,
            'roles': [{'name': name} for name in roles],
        }
        by = session.plain(self._conf, session.login(self._conf, context))
        try:
            made = by.post(f'{session.auth_url(self._conf)}/OS-TRUST/trusts', json={'trust': trust}, log=False)
        except exceptions.ConnectionError as error:
            raise errors.unavailable('keystone', 'POST', '/OS-TRUST/trusts', error) from error
        except exceptions.ClientException as error:
            raise errors.Unauthorized(f'{NOT_MADE}{error}') from error
        return made.json()['trust']['id']

    def _trustee(self):
        with self._guard:
            if self._trustee_id is None:
                login = session.trustee(self._conf)
                if login is None:
                    raise errors.Unauthorized(NO_TRUSTEE)
                try:
                    self._trustee_id = login.get_access(session.plain(self._conf)).user_id
                except exceptions.ClientException as error:
                    raise errors.Unauthorized(f'{NOT_MADE}the user of [trustee] cannot log in: {error}') from error
            return self._trustee_id

    # ------------------------------------------------------------ use

    def login(self, kept):
        """The login by a row of user_creds."""
        if kept.trust_id:
            return session.by_trust(self._conf, kept.trust_id)
        project = {'project_id': kept.tenant_id}
        return v3.Password(session.auth_url(self._conf), user_id=kept.trustor_user_id, password=kept.password, **project)

    def refusal(self, kept):
        """Keystone's error where it does not take what is kept, else None. Raises Unavailable where it does not answer."""
        try:
            self.login(kept).get_access(session.plain(self._conf))
        except session.REFUSALS as error:
            return error
        except exceptions.ClientException as error:
            raise errors.unavailable('keystone', 'POST', '/auth/tokens', error) from error
        return None

    # ------------------------------------------------------------ take away

    def delete(self, kept, context):
        """Only the one who has made a trust may take it away: whoever asks, if it is he, else the service by the trust itself."""
        if not kept.trust_id:
            return
        logins = [self.login(kept)]
        if context.auth_token and context.user_id == kept.trustor_user_id:
            logins.insert(0, session.login(self._conf, context))
        for login in logins:
            if self._deleted(kept.trust_id, login):
                return
        LOG.info('A trust of user %s in project %s is gone already, or was void', kept.trustor_user_id, kept.tenant_id)

    def _deleted(self, trust_id, login):
        by = session.plain(self._conf, login)
        try:
            by.delete(f'{session.auth_url(self._conf)}/OS-TRUST/trusts/{trust_id}', log=False)
        except session.REFUSALS:
            return False
        return True

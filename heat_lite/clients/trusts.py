"""Deferred authentication: a trust, or the password of a user, for use after the token expires."""

import logging
import threading
from typing import Any

from keystoneauth1 import exceptions
from keystoneauth1.identity import base, v3
from oslo_config import cfg
from oslo_utils import timeutils

from heat_lite.clients import errors, keystone_session
from heat_lite.common import exception, metrics
from heat_lite.common.context import RequestContext
from heat_lite.common.value_types import Values

LOG = logging.getLogger(__name__)
PASSWORD, TRUSTS = 'password', 'trusts'
#: followed by the error of Keystone
NOT_CREATED = 'no trust could be made for the time after the token of the user expires: '
#: logins of [trustee] that can use no trust
UNFIT = (type(None), v3.ApplicationCredential)
NO_TRUSTEE = 'a trust has no trustee: configure [trustee]'


def create_trust_store(conf: cfg.ConfigOpts) -> 'TrustStore | None':
    """Return the store; None if there is no Keystone, or no trustee."""
    if not keystone_session.auth_url(conf):
        return None
    if conf.deferred_auth_method != PASSWORD and isinstance(
        keystone_session.trustee_auth(conf), UNFIT
    ):
        LOG.warning(
            '[trustee] is not configured, or is an application credential, which Keystone lets use '
            'no trust: no trusts are created, and an action fails when it needs the cloud after '
            'the token of its user has expired. Set auth_type = password and its login.'
        )
        return None
    return TrustStore(conf)


class TrustStore:
    """Creates, uses and deletes credentials: dicts or rows with the columns of user_creds."""

    def __init__(self, conf: cfg.ConfigOpts) -> None:
        self._conf = conf
        self._lock = threading.Lock()
        self._trustee_user_id: str | None = None

    def create(self, context: RequestContext) -> Values:
        """Return the credentials of the requester: the password if configured so, else a trust.

        Raises MissingCredentialError when the request has no password, Unauthorized when Keystone
        refuses the trust.
        """
        columns = {
            'username': context.username,
            'tenant': context.project_name,
            'tenant_id': context.project_id,
            'auth_url': keystone_session.auth_url(self._conf),
            'trustor_user_id': context.user_id,
            'region_name': context.region_name,
        }
        if (
            self._conf.deferred_auth_method == PASSWORD
            and self._conf.reauthentication_auth_method != TRUSTS
        ):
            if not context.username or not context.password:
                raise exception.MissingCredentialError(
                    required='X-Auth-User' if not context.username else 'X-Auth-Key'
                )
            return {**columns, 'password': context.password}
        return {**columns, 'trust_id': self._create_trust(context)}

    def _create_trust(self, context: RequestContext) -> str:
        roles = self._conf.trusts_delegated_roles or list(context.roles or ())
        trust = {
            'trustor_user_id': context.user_id,
            'trustee_user_id': self._trustee_id(),
            'project_id': context.project_id,
            'impersonation': True,
            'allow_redelegation': self._conf.allow_trusts_redelegation,
            'roles': [{'name': name} for name in roles],
        }
        session = keystone_session.create_session(
            self._conf, keystone_session.context_auth(self._conf, context)
        )
        try:
            response = session.post(
                f'{keystone_session.auth_url(self._conf)}/OS-TRUST/trusts',
                json={'trust': trust},
                log=False,
            )
        except exceptions.ConnectionError as error:
            raise errors.unavailable('keystone', 'POST', '/OS-TRUST/trusts', error) from error
        except exceptions.ClientException as error:
            raise errors.Unauthorized(f'{NOT_CREATED}{error}') from error
        metrics.TRUSTS.add('created')
        return response.json()['trust']['id']

    def _trustee_id(self) -> str:
        with self._lock:
            if self._trustee_user_id is None:
                auth = keystone_session.trustee_auth(self._conf)
                if auth is None:
                    raise errors.Unauthorized(NO_TRUSTEE)
                session = keystone_session.create_session(self._conf)
                try:
                    self._trustee_user_id = auth.get_access(session).user_id
                except exceptions.ClientException as error:
                    raise errors.Unauthorized(
                        f'{NOT_CREATED}the user of [trustee] cannot log in: {error}'
                    ) from error
            return str(self._trustee_user_id)

    def login(self, credentials: Any) -> base.BaseIdentityPlugin:
        """Return the auth plug-in for a row of user_creds."""
        if credentials.trust_id:
            return keystone_session.trust_auth(self._conf, credentials.trust_id)
        return v3.Password(
            keystone_session.auth_url(self._conf),
            user_id=credentials.trustor_user_id,
            password=credentials.password,
            project_id=credentials.tenant_id,
        )

    def token_login(self, context: RequestContext) -> base.BaseIdentityPlugin | None:
        """Return the auth plug-in for the token of a context; None if it has expired."""
        plugin: Any = keystone_session.context_auth(self._conf, context)
        expires = plugin.get_access(None).expires
        expired = expires is not None and expires <= timeutils.utcnow(with_timezone=True)
        return None if expired else plugin

    def login_error(self, credentials: Any) -> Exception | None:
        """Return Keystone's error if it rejects the credentials, else None.

        Raises Unavailable when Keystone does not respond.
        """
        try:
            self.login(credentials).get_access(keystone_session.create_session(self._conf))
        except keystone_session.REJECTIONS as error:
            return error
        except exceptions.ClientException as error:
            raise errors.unavailable('keystone', 'POST', '/auth/tokens', error) from error
        return None

    def delete(self, credentials: Any, context: RequestContext) -> None:
        """Delete a trust: as the trustor if that is the requester, else by the trust itself.

        Keystone permits the deletion to no other user.
        """
        if not credentials.trust_id:
            return
        plugins: list[Any] = [self.login(credentials)]
        if context.auth_token and context.user_id == credentials.trustor_user_id:
            plugins.insert(0, keystone_session.context_auth(self._conf, context))
        for auth in plugins:
            if self._delete_trust(credentials.trust_id, auth):
                return
        LOG.info(
            'The trust of user %s in project %s does not exist any more, or is invalid: nothing '
            'to delete',
            credentials.trustor_user_id,
            credentials.tenant_id,
        )

    def _delete_trust(self, trust_id: str, auth: base.BaseIdentityPlugin) -> bool:
        session = keystone_session.create_session(self._conf, auth)
        try:
            session.delete(
                f'{keystone_session.auth_url(self._conf)}/OS-TRUST/trusts/{trust_id}', log=False
            )
        except keystone_session.REJECTIONS:
            return False
        metrics.TRUSTS.add('deleted')
        return True

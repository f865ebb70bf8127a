"""``heat-lite-keystone-setup`` and ``-setup-domain``: what this service needs in Keystone.

Both log in as an administrator by the variables OS_* of the environment, and can be repeated: what
exists stays.
"""

import os
import secrets
import sys
import typing
from collections.abc import Callable

from keystoneauth1 import adapter, exceptions
from keystoneauth1.identity import generic
from keystoneauth1.session import Session
from oslo_config import cfg
from oslo_log import log

from heat_lite.common import installation
from heat_lite.common.value_types import Value, Values

TLS_OPTIONS = (
    cfg.StrOpt('os-cacert', help='File of CA certificates (default: OS_CACERT).'),
    cfg.StrOpt('os-cert', help='File of the client certificate (default: OS_CERT).'),
    cfg.StrOpt('os-key', help='File of the key of the client certificate (default: OS_KEY).'),
    cfg.BoolOpt('insecure', default=False, help='Do not verify the certificate of Keystone.'),
)
DOMAIN_OPTIONS = (
    cfg.StrOpt('stack-user-domain-name', default='heat', help='The domain of stack users.'),
    cfg.StrOpt('stack-domain-admin', default='heat_domain_admin', help='Its administrator.'),
    cfg.StrOpt(
        'stack-domain-admin-password',
        secret=True,
        help='The password of the administrator. Without it a new user gets a random one.',
    ),
)
SERVICE_OPTIONS = (
    cfg.StrOpt('service-user', default='heat', help='The user of the service.'),
    cfg.StrOpt(
        'service-password',
        secret=True,
        help='The password of the user. Without it a new user gets a random one.',
    ),
    cfg.StrOpt('service-project', default='service', help='The project of the user.'),
    cfg.StrOpt('region', help='The region of the endpoints (default: OS_REGION_NAME).'),
    cfg.StrOpt(
        'api-url',
        default='http://127.0.0.1:8004/v1/%(project_id)s',
        help='The URL of heat-lite-api for users.',
    ),
    cfg.StrOpt('cfn-url', default='http://127.0.0.1:8000/v1', help='The URL of heat-lite-api-cfn.'),
)
#: {type of the service: (its name, option with its URL)}
SERVICES = {'orchestration': ('heat', 'api_url'), 'cloudformation': ('heat-cfn', 'cfn_url')}
INTERFACES = ('public', 'internal', 'admin')
#: roles of users that own stacks, and of the users of stacks
ROLES = ('heat_stack_owner', 'heat_stack_user')
#: roles of the service user
OWN_ROLES = ('admin', 'service')
DEFAULT_DOMAIN = 'default'


class LoginError(Exception):
    """The environment has no complete login. The text names what is missing."""


class Keystone:
    """The API of Keystone, as an administrator."""

    def __init__(self, conf: typing.Any) -> None:
        verify = conf.os_cacert or os.environ.get('OS_CACERT') or True
        cert = conf.os_cert or os.environ.get('OS_CERT')
        key = conf.os_key or os.environ.get('OS_KEY')
        session = Session(
            _login(),
            verify=False if conf.insecure else verify,
            cert=(cert, key) if cert and key else cert,
        )
        self._adapter = adapter.Adapter(
            session,
            service_type='identity',
            interface=os.environ.get('OS_INTERFACE', 'public'),
            region_name=os.environ.get('OS_REGION_NAME'),
            min_version='3',
            max_version='3.latest',
        )

    def find(self, kind: str, **query: typing.Any) -> dict | None:
        """Return the first object of a kind, e.g. ``domains``."""
        found = self._adapter.get(f'/{kind}', params=query).json()[kind]
        return found[0] if found else None

    def ensure(self, kind: str, query: dict, **values: Value) -> tuple[dict, bool]:
        """Return (object, whether it was created here)."""
        found = self.find(kind, **query)
        if found is not None:
            return found, False
        single = kind.removesuffix('s')
        body = {single: {**query, **values}}
        made = self._adapter.post(f'/{kind}', json=body, log=False).json()[single]
        print(f'{single} {made.get("name", made["id"])}: created', file=sys.stderr)
        return made, True

    def set_password(self, user: dict, password: str) -> None:
        body = {'user': {'password': password}}
        self._adapter.patch(f'/users/{user["id"]}', json=body, log=False)

    def grant(self, scope: str, user: dict, role: dict) -> None:
        """Grant a role on ``scope``, e.g. ``/domains/ID``."""
        self._adapter.put(f'{scope}/users/{user["id"]}/roles/{role["id"]}')


def _login() -> typing.Any:
    environ = os.environ
    values: Values = {
        'auth_url': environ.get('OS_AUTH_URL'),
        'username': environ.get('OS_USERNAME'),
        'password': environ.get('OS_PASSWORD'),
    }
    missing = [f'OS_{name.upper()}' for name, value in values.items() if not value]
    if missing and not (environ.get('OS_TOKEN') and environ.get('OS_AUTH_URL')):
        raise LoginError(f'{", ".join(missing)} is not set: log in as an administrator of Keystone')
    scope: Values = {
        'project_name': environ.get('OS_PROJECT_NAME') or environ.get('OS_TENANT_NAME'),
        'project_domain_name': environ.get('OS_PROJECT_DOMAIN_NAME'),
        'system_scope': environ.get('OS_SYSTEM_SCOPE'),
    }
    if environ.get('OS_TOKEN'):
        return generic.Token(values['auth_url'], environ['OS_TOKEN'], **scope)
    domain = environ.get('OS_USER_DOMAIN_NAME', 'Default')
    return generic.Password(**values, user_domain_name=domain, **scope)


def domain(argv: list[str] | None = None) -> int:
    """Create the domain of stack users and its administrator. Return the exit status."""
    return _run('heat-lite-keystone-setup-domain', DOMAIN_OPTIONS, _setup_domain, argv)


def main(argv: list[str] | None = None) -> int:
    """Create the service user, roles and endpoints. Return the exit status."""
    return _run('heat-lite-keystone-setup', SERVICE_OPTIONS, _setup_service, argv)


def _run(
    program: str,
    options: tuple[cfg.Opt, ...],
    command: Callable[[typing.Any, Keystone], None],
    argv: list[str] | None,
) -> int:
    conf: typing.Any = cfg.ConfigOpts()
    conf.register_cli_opts([*TLS_OPTIONS, *options])
    log.register_options(conf)
    # oslo.config would read "$" as the begin of the name of an option, also in a password.
    args = [each.replace('$', '$$') for each in (sys.argv[1:] if argv is None else argv)]
    text = command.__doc__
    version = f'{program} {installation.revision()}'
    try:
        conf(args, project='heat_lite', prog=program, version=version, description=text)
        command(conf, Keystone(conf))
        return 0
    except (LoginError, exceptions.ClientException, cfg.Error) as error:
        print(f'{program}: {error}', file=sys.stderr)
        return 1


def _setup_domain(conf: typing.Any, keystone: Keystone) -> None:
    """Create the domain of stack users in Keystone, and its administrator."""
    text = 'Users of stacks, made by the orchestration service.'
    name = conf.stack_user_domain_name
    found, _ = keystone.ensure('domains', {'name': name}, description=text, enabled=True)
    user, password = _user(
        keystone, conf.stack_domain_admin, conf.stack_domain_admin_password, found['id']
    )
    role = keystone.find('roles', name='admin')
    if role is None:
        raise LoginError('Keystone has no role admin: run "keystone-manage bootstrap" first')
    keystone.grant(f'/domains/{found["id"]}', user, role)
    print('Set in [DEFAULT] of the configuration file of all engines and APIs:\n')
    print(f'stack_user_domain_id = {found["id"]}')
    print(f'stack_domain_admin = {conf.stack_domain_admin}')
    print(f'stack_domain_admin_password = {_shown(password)}')


def _user(
    keystone: typing.Any, name: str, password: str | None, domain_id: str, **values: Value
) -> tuple[typing.Any, str | None]:
    """Return (user, password); None for the unknown password of one that exists."""
    new = password or secrets.token_urlsafe(24)
    query = {'name': name, 'domain_id': domain_id}
    user, created = keystone.ensure('users', query, password=new, enabled=True, **values)
    if created:
        return user, new
    if password:
        keystone.set_password(user, password)
    return user, password


def _shown(password: str | None) -> str:
    if password is None:
        return '(as before: the user exists)'
    return password.replace('$', '$$')


def _setup_service(conf: typing.Any, keystone: Keystone) -> None:
    """Create the service user, roles and endpoints in Keystone."""
    query = {'name': conf.service_project, 'domain_id': DEFAULT_DOMAIN}
    project, _ = keystone.ensure('projects', query, description='Services of the cloud.')
    user, password = _user(keystone, conf.service_user, conf.service_password, DEFAULT_DOMAIN)
    for name in OWN_ROLES:
        role, _ = keystone.ensure('roles', {'name': name})
        keystone.grant(f'/projects/{project["id"]}', user, role)
    for name in ROLES:
        keystone.ensure('roles', {'name': name})
    region = conf.region or os.environ.get('OS_REGION_NAME') or 'RegionOne'
    for kind, (name, option) in SERVICES.items():
        service, _ = keystone.ensure('services', {'type': kind}, name=name)
        for interface in INTERFACES:
            place = {'service_id': service['id'], 'interface': interface, 'region_id': region}
            keystone.ensure('endpoints', place, url=conf[option])
    print('Set in the configuration file of all engines and APIs:')
    url = os.environ['OS_AUTH_URL']
    for group in ('keystone_authtoken', 'trustee'):
        print(f'\n[{group}]\nauth_type = password\nauth_url = {url}')
        print(f'username = {conf.service_user}\npassword = {_shown(password)}')
        print('user_domain_name = Default')
        if group == 'keystone_authtoken':
            print(f'project_name = {conf.service_project}\nproject_domain_name = Default')
    print(f'\n[clients_keystone]\nauth_uri = {url.removesuffix("/v3")}')


if __name__ == '__main__':
    sys.exit(main())

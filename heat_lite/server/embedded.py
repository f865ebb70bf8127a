"""The embedded service: API and engine in one process, and its watchdog.

The first process becomes the watchdog, which keeps the port open while it replaces a service that
crashed, hangs or takes too much memory.
"""

import contextlib
import http.client
import importlib
import shlex
import sys
import time
import urllib.parse

from oslo_config import cfg
from oslo_log import log
from oslo_policy import opts as policy_options

from heat_lite import conf as options
from heat_lite.api import deploy
from heat_lite.common import installation
from heat_lite.db import connections, session, stacks
from heat_lite.operate import bootstrap_db, data_folder, folder_settings, up
from heat_lite.operate.config_check import option_report
from heat_lite.server import aws_ports, container_port, engine_worker, supervisor, wsgi_server
from heat_lite.server.monitoring import monitor
from heat_lite.startup import global_environment, local_containers, settings

PROJECT = 'default'
READY_SECONDS = 30
RETRY_SECONDS = 0.2
GRACE_SECONDS = 4
# These make the service embedded. A configuration file may set all other options.
TRANSPORT = 'local://'
FLAVOR = 'noauth'
FIXED = (
    (None, 'transport_url', 'the service has no broker'),
    ('paste_deploy', 'flavor', 'the service has no login'),
    ('database', 'connection', 'the database is the SQLite file in --data-dir'),
)
CLOUD_FIXED = tuple(
    (group, name, 'the login is that of --cloud')
    for group, name in (
        ('clients_keystone', 'auth_uri'),
        ('keystone_authtoken', 'www_authenticate_uri'),
        ('trustee', 'auth_type'),
    )
)
# The user of the machine is its operator.
DEFAULTS = (('enable_stack_adopt', True), ('enable_stack_abandon', True))
POLICY = 'embedded-policy.yaml'


class StartError(Exception):
    """The service cannot start. The text states the reason."""


#: what makes a start impossible and is reported without a traceback
ERRORS = (StartError, cfg.Error)


def serve(args, report):
    """Serve until a stop signal, in a process with a watchdog. Return the exit status.

    ``report(work)`` calls ``work()`` in the process of the service, and turns errors of the user
    into an exit status. Raises StartError or FolderError.
    """
    with data_folder.lock(args.data_dir):
        conf = configure(args)
        sockets = supervisor.inherited_listeners(wsgi_server.adopt_socket) or [
            _listen(*address) for address in _addresses(args)
        ]
        replaces = supervisor.WorkerSlot.from_environment() is not None
        served = 1 + len(aws_ports.wanted(args)) + len(container_port.wanted(args))
        shown = monitor.create(conf, conf.metrics.port, 1, sockets[served:])
        sockets = sockets[:served]
        if not supervisor.is_supported():
            shown.remove_at_exit()
            shown.count(0)
            with supervisor.signal_stream() as signals:
                return _run_with_database(args, conf, sockets, signals, shown)

        def work(number, signals):
            shown.count(number)
            return report(
                lambda: _run_with_database(args, conf, sockets, signals, shown, patient=replaces)
            )

        watched = supervisor.Supervisor(
            work,
            1,
            grace=2 * GRACE_SECONDS,
            delay=conf.heat_lite.worker_restart_delay,
            listeners=(*sockets, *shown.sockets),
            limits=(conf.heat_lite.engine_silence_limit, conf.heat_lite.engine_memory_limit),
            standalone=True,
        )
        return watched.serve()


def _addresses(args):
    """Yield host, port and option of each socket, in the order of ``_sorted_sockets``."""
    yield args.host, args.port, '--port'
    for name, port in aws_ports.wanted(args).items():
        yield args.host, port, f'--{aws_ports.PORTS[name]}-port'
    for port in container_port.wanted(args):
        yield container_port.ALL_ADDRESSES, port, '--container-port'


def _run_with_database(args, *others, **options):
    """Call ``_run``. Raises StartError with what to do if the database cannot be used."""
    try:
        return _run(args, *others, **options)
    except connections.ERRORS as error:
        raise StartError(
            connections.describe_failure(error, args.data_dir / data_folder.DATABASE)
        ) from None


def _run(args, conf, sockets, signals, shown, patient=False):
    """Serve on sockets until the stream of signals ends. Return the exit status.

    ``shown``: the monitor of the program. ``patient``: wait for clouds that do not respond.
    """
    sock, aws_sockets, container_sockets = _sorted_sockets(args, sockets)
    with contextlib.ExitStack() as stack:
        host, port = sock.getsockname()[:2]
        url = _url(host, port)
        clouds = _log_in(args, conf, url, patient)
        conf.set_default('url', f'{url}/v1/%(tenant_id)s', group='clients_heat')
        container_port.set_url(args, conf, container_sockets)
        session.configure(conf)
        bootstrap_db.ensure_schema(conf.database.connection)
        registry = global_environment.build_registry(conf)
        absent = _absent_clouds(args.data_dir, clouds)
        service = engine_worker.start(conf, registry, TRANSPORT, clouds, absent)
        stack.callback(engine_worker.stop, service, GRACE_SECONDS)
        token = data_folder.token(args.data_dir) if args.require_token else None
        app = _load_app(conf, [host, args.host, *args.allow_host], token, clouds)
        servers = [wsgi_server.serve(sock, app, conf)]
        servers += aws_ports.start(args, conf, aws_sockets, clouds)
        for each in (*servers, *container_port.start(conf, container_sockets)):
            stack.callback(each.stop, GRACE_SECONDS)
        projects = list(clouds.logins) if clouds else [PROJECT]
        endpoints = [f'{url}/v1/{urllib.parse.quote(each)}' for each in projects]
        announced = endpoints[0] if len(endpoints) == 1 else url
        aws_urls = _aws_urls(args, aws_sockets)
        stack.enter_context(data_folder.announce(args.data_dir, announced, aws_urls))
        _wait_until_ready(host, port, projects[0], token)
        engine_worker.preload(registry)
        page = f'{url}/ui/' if conf.heat_lite.web_page else None
        if page and token and sys.stdout.isatty():  # a log may have other readers
            page += f'#token={token}'
        _print_urls(endpoints, page, aws_urls)
        _print_options(args, endpoints, token)
        stack.callback(shown.stop)
        shown.start(0, service.probes, service.describe_work)
        for _ in signals:
            settings.reload(conf)
            service.reset()
    return 0


def _sorted_sockets(args, sockets):
    """Return the socket of the REST API, those of the AWS APIs, and those for containers."""
    end = 1 + len(aws_ports.wanted(args))
    return sockets[0], sockets[1:end], sockets[end:]


def _aws_urls(args, sockets):
    urls = [f'{_url(*each.getsockname()[:2])}/v1/' for each in sockets]
    return dict(zip(aws_ports.wanted(args), urls, strict=True))


def _print_urls(endpoints, page, aws_urls):
    print(f'heat_lite is ready: {" ".join(endpoints)}', flush=True)
    if page:
        print(f'web page: {page}', flush=True)
    for name, address in aws_urls.items():
        print(f'{name}: {address}, with the key of "heat-lite credentials"', flush=True)


def _log_in(args, conf, url, patient):
    """Log in to the clouds of the arguments, and print what the logins may not do.

    Print the local container engine as well. Return None without clouds. Raises StartError.
    """
    print(local_containers.find(conf), flush=True)
    if not args.cloud:
        return None
    # The libraries of OpenStack start slowly: only clouds need them.
    module = importlib.import_module('heat_lite.clients.clouds_yaml')
    try:
        clouds = module.connect(conf, args.cloud, url, args.public_url, patient)
    except module.LoginError as error:
        raise StartError(str(error)) from error
    print('\n'.join(module.describe(clouds)), flush=True)
    return clouds


def _absent_clouds(folder, clouds):
    """Return the clouds that have stacks, but no login at this start, and print them."""
    names = set(clouds.logins) if clouds else set()
    absent = sorted(stacks.tenants_among(data_folder.remember_clouds(folder, names) - names))
    if absent:
        options = ' '.join(f'--cloud {name}' for name in absent)
        print(
            f'the data folder has stacks of other clouds, whose work waits: {", ".join(absent)}\n'
            f'  start with {options} to continue them',
            flush=True,
        )
    return absent


def _load_app(conf, hosts, token, clouds):
    if clouds is None:
        return deploy.load_local_app(conf, hosts, token)
    users = {name: (each.user_id, each.user_name) for name, each in clouds.logins.items()}
    regions = {each.region for each in clouds.logins.values()}
    return deploy.load_cloud_app(conf, hosts, token, users, regions, clouds.domain, clouds.url)


def configure(args, conf=cfg.CONF):
    """Return the configuration of the embedded service. Raises StartError."""
    if args.config_file:
        _refuse_fixed_options(args.config_file, FIXED + (CLOUD_FIXED if args.cloud else ()))
    log.register_options(conf)
    options.register(conf)
    conf(
        ['--debug'] if args.debug else [],
        project='heat_lite',
        prog='heat-lite',
        default_config_files=args.config_file,
    )
    conf.register_opts(session.OPTIONS, 'database')
    for name, value in DEFAULTS:
        conf.set_default(name, value)
    conf.set_default('web_page', True, group='heat_lite')
    policy_options.set_defaults(conf, str(installation.data_path('etc', POLICY)))
    conf.set_override('flavor', FLAVOR, group='paste_deploy')
    conf.set_override('plugin_dirs', [*conf.plugin_dirs, *map(str, args.plugin_dir)])
    folder_settings.configure(conf, args.data_dir)
    if not args.debug:
        conf.set_default(
            'default_log_levels', ['heat_lite.server.wsgi_server=WARN', *conf.default_log_levels]
        )
    conf.set_default('use_json', args.log == 'json')
    settings.start_logging(conf, is_brief=args.log == 'brief' and not args.debug)
    option_report.warn_unknown(conf)
    return conf


def _refuse_fixed_options(files, fixed):
    """Raise StartError if a configuration file sets an option that this shape ignores."""
    given = cfg.ConfigOpts()
    for group, name, _ in fixed:
        given.register_opt(cfg.StrOpt(name), group=group)
    try:
        given([], project='heat_lite', prog='heat-lite', default_config_files=files)
    except UnicodeDecodeError:
        raise StartError(f'{options.file_without_text(files)}: it is not UTF-8 text') from None
    for group, name, reason in fixed:
        if (given[group] if group else given)[name] is not None:
            raise StartError(
                f'a configuration file sets [{group or "DEFAULT"}] {name}, which "heat-lite up" '
                f'cannot use: {reason}. Remove the option, or run heat-lite-api and '
                'heat-lite-engine'
            )


def _print_options(args, endpoints, token):
    """Print what another terminal needs, unless the command finds the service by itself."""
    folder = args.data_dir.resolve()
    if folder != installation.default_folder().resolve():
        print(f'in another terminal: export HEAT_LITE_DATA_DIR={shlex.quote(str(folder))}')
    elif args.port != up.PORT and len(endpoints) == 1:
        print(f'in another terminal: export HEAT_LITE_ENDPOINT={endpoints[0]}')
    if token:
        # not by --os-token: other users of the machine can see the arguments of a process
        print(
            'a token is required; for the stock client: '
            f'OS_TOKEN="$(cat {shlex.quote(str(folder / installation.TOKEN_FILE))})" '
            f'openstack --os-auth-type admin_token --os-endpoint {endpoints[0]}'
        )
    sys.stdout.flush()


def _listen(host, port, option):
    try:
        return wsgi_server.listen(host, port)
    except OSError as error:
        reason = supervisor.describe_listen_error(error, host, port, option)
        raise StartError(reason) from None


def _wait_until_ready(host, port, project, token=None):
    """Wait until a list of stacks works: it needs the API, the engine and the database."""
    reachable_host = {'0.0.0.0': '127.0.0.1', '::': '::1'}.get(host, host)
    deadline = time.monotonic() + READY_SECONDS
    status = None
    while status != 200:
        if time.monotonic() > deadline:
            raise StartError(
                f'the service is not ready after {READY_SECONDS} seconds: '
                f'a list of stacks was answered with status {status}'
            )
        status = _request_status(reachable_host, port, project, token)


def _request_status(host, port, project, token):
    """Return the HTTP status of a list of stacks; None if the connection fails."""
    connection = http.client.HTTPConnection(host, port, timeout=READY_SECONDS)
    try:
        connection.request(
            'GET',
            f'/v1/{urllib.parse.quote(project)}/stacks?limit=1',
            headers={'X-Auth-Token': token or ''},
        )
        return connection.getresponse().status
    except OSError as error:
        print(f'heat-lite up: {error}', file=sys.stderr)
        time.sleep(RETRY_SECONDS)
        return None
    finally:
        connection.close()


def _url(host, port):
    return f'http://[{host}]:{port}' if ':' in host else f'http://{host}:{port}'

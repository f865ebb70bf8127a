"""The page of a program: opened by its first process, served by each worker."""

import atexit
import socket
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from oslo_config import cfg

from heat_lite.common import health_checks, installation, metrics, tracing
from heat_lite.common.value_types import Values
from heat_lite.server import supervisor
from heat_lite.server.monitoring import guru, page, traces, worker_reports

adopt_socket = page.adopt_socket


class Monitor:
    """What a program shows of itself; without a port nothing."""

    def __init__(
        self, sock: socket.socket | None, folder: Path | None, count: int, conf: Any = None
    ) -> None:
        self._conf = conf
        self.sockets: tuple[socket.socket, ...] = () if sock is None else (sock,)
        self._folder = folder
        self._reports = worker_reports.Reports(folder, count) if folder else None
        self._page: page.Page | None = None
        self._health: health_checks.Health | None = None
        self._number = 0

    def count(self, number: int) -> None:
        """Count and trace in worker ``number`` from now on: before it opens its database."""
        if self._folder is not None:
            metrics.enable(self._folder, number)
            metrics.BUILD.set(1, installation.revision())
        if self._conf is not None:
            traces.start(self._conf)

    def start(
        self,
        number: int,
        probes: Mapping[str, health_checks.Probe],
        describe: Callable[[], Values] = dict,
    ) -> None:
        """Serve the page in worker ``number`` and report the results of ``probes``.

        ``describe()`` returns what the process does, for its report at SIGUSR2.
        """
        supervisor.tell_ready()
        if self._conf is not None:
            guru.install(self._conf, describe)
        if self._reports is None:
            return
        self._number = number
        self._health = health_checks.Health(probes)
        self._health.watch(self._tell)
        self._page = page.Page(self.sockets[0], self._paths())
        self._page.start()

    def remove_at_exit(self) -> None:
        """Remove the reports at the end of this process: there is no watchdog that does."""
        if self._folder is not None:
            atexit.register(worker_reports.close_folder, self._folder)

    def _tell(self, report: Values) -> None:
        assert self._reports is not None
        self._reports.write(self._number, report)
        metrics.sample()

    def _paths(self) -> dict[str, Callable[[], page.Answer]]:
        reports = self._reports
        assert reports is not None
        return {
            '/metrics': lambda: (200, *metrics.page()),
            '/health/live': lambda: page.json_answer(*worker_reports.liveness(reports.read())),
            '/health/ready': lambda: page.json_answer(*worker_reports.readiness(reports.read())),
        }

    def stop(self) -> None:
        """Report that the worker stops, and leave the page to the others."""
        tracing.disable()
        if self._health is None or self._page is None:
            return
        self._health.stop()
        self._tell({'status': 'stopping', 'checks': []})
        self._page.stop()


#: of a program that shows nothing
HIDDEN = Monitor(None, None, 1)


def api_port(conf: cfg.ConfigOpts, group: str) -> int | None:
    """Return the port of the page of an API, by the group of its options."""
    return {
        'heat_api': conf.metrics.api_port,
        'heat_api_cfn': conf.metrics.api_cfn_port,
        'heat_api_cloudwatch': conf.metrics.api_cloudwatch_port,
    }[group]


def create(
    conf: cfg.ConfigOpts, port: int | None, count: int, inherited: list[socket.socket]
) -> Monitor:
    """Return the monitor of a program on a port of [metrics].

    ``inherited``: the socket that its first process opened, if this one replaces a worker. Ends
    the program if the port is in use.
    """
    traces.require(conf)
    if port is None:
        return Monitor(None, None, count, conf)
    try:
        sock = inherited[0] if inherited else page.listen(conf.metrics.bind_host, port)
    except OSError as error:
        place = (conf.metrics.bind_host, port, '[metrics] of the configuration')
        sys.exit(f'{conf.prog}: {supervisor.describe_listen_error(error, *place)}')
    return Monitor(sock, worker_reports.open_folder(), count, conf)

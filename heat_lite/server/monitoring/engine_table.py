"""``heat-lite-manage top``: the work of each engine, asked from the engine itself."""

import contextlib
import sys
import time
from typing import Any

import oslo_messaging

from heat_lite.common import context as request_context
from heat_lite.common import exception
from heat_lite.common.value_types import Values
from heat_lite.db import services
from heat_lite.rpc import messaging
from heat_lite.rpc.listener import ListenerClient

#: seconds that an engine may take for its answer
ANSWER_SECONDS = 5.0
CLEAR = '\033[H\033[2J'
COLUMNS = ('seconds', 'action', 'status', 'stack', 'id', 'project', 'resources at work')


def run(conf: Any) -> int:
    """Print the table again and again, or once if asked so. Return 1 if no engine answers."""
    messaging.setup(conf)
    try:
        with contextlib.suppress(KeyboardInterrupt):
            while True:
                lines, answers = table()
                repeats = sys.stdout.isatty() and not conf.command.once
                print((CLEAR if repeats else '') + '\n'.join(lines), flush=True)
                if not repeats:
                    return 0 if answers else 1
                time.sleep(conf.command.interval)
        return 0
    finally:
        messaging.cleanup()


def table() -> tuple[list[str], int]:
    """Return the lines of the table, and the number of engines that have answered."""
    admin = request_context.admin_context()
    engines = [row for row in services.list_rows() if services.is_up(row)]
    lines, answers = [f'{len(engines)} engines have a fresh heartbeat'], 0
    for row in engines:
        found = _ask(admin, row.engine_id)
        lines.append('')
        if isinstance(found, str):
            lines.append(f'{row.host}  engine {row.engine_id}  {found}')
            continue
        answers += 1
        lines += _describe(row.host, found)
    return lines, answers


def _ask(admin: request_context.RequestContext, engine_id: str) -> Any:
    """Return the work of an engine, or the text why it is unknown."""
    try:
        return ListenerClient(engine_id, ANSWER_SECONDS).describe_work(admin)
    except (exception.HeatException, oslo_messaging.MessageUndeliverable) as error:
        return f'does not answer: {error or type(error).__name__}'


def _describe(host: str, work: Values) -> list[str]:
    tasks = ', '.join(f'{count} {state}' for state, count in work['tasks'].items())
    head = (
        f'{host}  engine {work["engine_id"]}  process {work["pid"]}  {work["memory"]} MiB  '
        f'{work["stacks"]} stacks  tasks: {tasks}'
    )
    rows = [
        (
            f'{each["seconds"]:.0f}',
            each['action'],
            each['status'],
            each['stack'],
            each['id'],
            each['project'] or '',
            f'{each["resources"]}: {", ".join(each["at_work"])}',
        )
        for each in work['work']
    ]
    if not rows:
        return [head]
    widths = [max(len(row[n]) for row in (COLUMNS, *rows)) for n in range(len(COLUMNS))]
    cells = [zip(row, widths, strict=True) for row in (COLUMNS, *rows)]
    return [head, *('  '.join(text.ljust(width) for text, width in row).rstrip() for row in cells)]

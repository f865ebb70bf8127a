"""``heat-lite-manage top``: the work of each engine, asked from the engine itself.

The embedded service cannot be asked by another process: its work is that of its database.
"""

import contextlib
import sys
import time
from collections.abc import Callable, Iterable
from typing import Any

import oslo_messaging

from heat_lite.common import context as request_context, exception, status
from heat_lite.common.value_types import Values
from heat_lite.db import locks, resources, services
from heat_lite.db.column_types import utcnow
from heat_lite.rpc import messaging
from heat_lite.rpc.listener import ListenerClient

#: seconds that an engine may take for its answer
ANSWER_SECONDS = 5.0
#: stacks that the table has at most
MOST_STACKS = 1000
CLEAR = '\033[H\033[2J'
COLUMNS = ('seconds', 'action', 'status', 'stack', 'id', 'project', 'resources at work')


def run(conf: Any, is_embedded: bool) -> int:
    """Print the table again and again, or once if asked so. Return 1 if no engine answers."""
    find = _read if is_embedded else _ask
    messaging.setup(conf, 'local://' if is_embedded else None)
    try:
        with contextlib.suppress(KeyboardInterrupt):
            while True:
                lines, answers = table(find)
                repeats = sys.stdout.isatty() and not conf.command.once
                print((CLEAR if repeats else '') + '\n'.join(lines), flush=True)
                if not repeats:
                    return 0 if answers else 1
                time.sleep(conf.command.interval)
        return 0
    finally:
        messaging.cleanup()


def table(find: Callable[[str], Any]) -> tuple[list[str], int]:
    """Return the lines of the table, and the number of engines that have answered.

    ``find(engine_id)`` returns the work of an engine, or the text why it is unknown.
    """
    engines = [row for row in services.list_rows() if services.is_up(row)]
    lines, answers = [f'{len(engines)} engines have a fresh heartbeat'], 0
    for row in engines:
        found = find(row.engine_id)
        lines.append('')
        if isinstance(found, str):
            lines.append(f'{row.host}  engine {row.engine_id}  {found}')
            continue
        answers += 1
        lines += _describe(row.host, found)
    return lines, answers


def _read(engine_id: str) -> Values:
    """Return the work of an engine as far as the database has it."""
    rows = [row for row in locks.stacks_at_work(MOST_STACKS) if row.engine_id == engine_id]
    now, listed = utcnow(), resources.list_brief([row.id for row in rows])
    work = [
        {
            'seconds': (now - row.since).total_seconds(),
            'action': row.action,
            'status': row.status,
            'stack': row.name,
            'id': row.id,
            'project': row.tenant,
            'resources': len(names),
            'at_work': names,
        }
        for row in rows
        for names in [_names_at_work(listed.get(row.id, ()))]
    ]
    return {'engine_id': engine_id, 'stacks': len(rows), 'work': work}


def _names_at_work(listed: Iterable[Any]) -> list[str]:
    return [each.name for each in listed if each.status == status.IN_PROGRESS]


def _ask(engine_id: str) -> Any:
    """Return the work of an engine, or the text why it is unknown."""
    admin = request_context.admin_context()
    try:
        return ListenerClient(engine_id, ANSWER_SECONDS).describe_work(admin)
    except (exception.HeatException, oslo_messaging.MessageUndeliverable) as error:
        return f'does not answer: {error or type(error).__name__}'


def _describe(host: str, work: Values) -> list[str]:
    head = f'{host}  engine {work["engine_id"]}  {work["stacks"]} stacks'
    if 'pid' in work:
        tasks = ', '.join(f'{count} {state}' for state, count in work['tasks'].items())
        head += f'  process {work["pid"]}  {work["memory"]} MiB  tasks: {tasks}'
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

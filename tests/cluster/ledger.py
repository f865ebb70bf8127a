"""A ledger of promises, as in Jepsen: what clients were told, and what must be true at the end.

An answer of 2xx is a promise. A request without an answer, or with 5xx, may have had its effect, or
may have it later. Each other answer tells that it has none.
"""

import collections
import dataclasses
import threading
import time

import sqlalchemy

from heat_lite.db import models
from tests.chaos import cloud as chaos_cloud, engine_processes
from tests.chaos.test_engine_crashes import GENERATED, THING, template, thing

#: seconds after the last fault in which all work must have ended
CALM_SECONDS = 120
RESOURCES = ('a', 'b', 'group', 'handle')


def size_of(version):
    """Return the number of members of the group of a version of a stack."""
    return version % 4 + 1


def body(version, width=0):
    """Return a template whose version is in all its resources; ``width`` makes it larger."""
    value, other = str(version), str(version % 3)
    member = {'type': THING, 'properties': {'value': value}}
    members = {'count': size_of(version), 'resource_def': member}
    wide = {f'w{number}': thing(GENERATED, wait=0.2, value=value) for number in range(width)}
    return template(
        a=thing(value=value),
        b=thing(GENERATED, 'a', wait=0.3, value=value, other=other),
        group={'type': 'OS::Heat::ResourceGroup', 'depends_on': 'a', 'properties': members},
        handle={'type': 'OS::Heat::WaitConditionHandle'},
        **wide,
    )


@dataclasses.dataclass
class Life:
    """What clients know of a stack whose creation was promised."""

    id: str
    name: str
    path: str
    #: the versions of which the stack must have one at its end, and those that it may have
    promised: set = dataclasses.field(default_factory=set)
    possible: set = dataclasses.field(default_factory=set)
    #: None, 'possible' or 'promised'
    deletion: str | None = None
    signals: set = dataclasses.field(default_factory=set)


class Ledger:
    """The lives of all stacks, and the answers that no client may get."""

    def __init__(self):
        self.lives = []
        self.answers = collections.Counter()
        self.wrong = set()
        self._lock = threading.Lock()

    def note(self, what, answer, allowed):
        """Count an answer, None if there was none; remember a status that is not allowed."""
        status = answer.status_code if answer is not None else None
        with self._lock:
            self.answers[what, status] += 1
            if status is not None and status not in (*allowed, 503, 504):
                self.wrong.add(f'{what}: {status} {answer.text[:400]}')
        return status

    def created(self, name, answer, version):
        found = answer.json()['stack']
        life = Life(found['id'], name, f'/stacks/{name}/{found["id"]}', {version})
        with self._lock:
            self.lives.append(life)
        return life

    def require_kept(self, site):
        """Wait for the end of all work; require that all promises and invariants hold.

        A request without an answer may begin after all others have ended, so what is broken then
        has the rest of CALM_SECONDS.
        """
        begun = time.monotonic()
        seconds = wait_until_calm(site.url())
        kept = sum(
            count for (_, status), count in self.answers.items() if status in range(200, 300)
        )
        print(f'{kept} promises for {len(self.lives)} stacks, calm after {seconds:.0f} s')
        print('answers:', dict(sorted(self.answers.items(), key=str)))
        while (broken := self.broken(site.url())) and time.monotonic() < begun + CALM_SECONDS:
            time.sleep(1)
        assert not broken, '\n'.join(broken)

    def broken(self, url):
        """Return promises that are broken, and broken invariants, as texts."""
        with engine_processes.connect(url) as connection:
            found = _Found(connection)
        broken = list(self.wrong) + _broken_invariants(found)
        for life in self.lives:
            broken += [f'{life.name} {life.id}: {text}' for text in _broken_promises(life, found)]
        return broken


def wait_until_calm(url):
    """Wait until no work is left, at most CALM_SECONDS. Return the seconds."""
    begun = time.monotonic()
    with engine_processes.connect(url) as connection:
        while time.monotonic() < begun + CALM_SECONDS:
            if engine_processes.is_idle(connection) and not _left(connection):
                break
            time.sleep(0.5)
    return time.monotonic() - begun


def _left(connection):
    """Return what a walk must not leave: sync points, held rows, signals."""
    held = sqlalchemy.select(models.resource).where(models.resource.c.engine_id.is_not(None))
    points = sqlalchemy.select(models.sync_point)
    signals = sqlalchemy.select(models.resource_signal)
    return [
        f'left: {row}' for query in (points, held, signals) for row in connection.execute(query)
    ]


class _Found:
    """All rows that the checks read."""

    def __init__(self, connection):
        rows = {
            name: connection.execute(sqlalchemy.select(table)).all()
            for name, table in (
                ('stacks', models.stack),
                ('resources', models.resource),
                ('locks', models.stack_lock),
                ('properties', models.resource_properties_data),
            )
        }
        self.left = _left(connection)
        self.locks = rows['locks']
        self.stacks = {row.id: row for row in rows['stacks'] if row.deleted_at is None}
        self.rows = collections.defaultdict(list)
        for row in rows['resources']:
            if row.stack_id in self.stacks:
                self.rows[row.stack_id].append(row)
        self.values = {row.id: row.data for row in rows['properties']}
        self.children = collections.defaultdict(list)
        for row in self.stacks.values():
            if row.owner_id:
                self.children[row.owner_id].append(row)

    def versions(self, stack_id):
        """Return the versions of all resources of a stack and its group, and the group's size."""
        values, size = set(), 0
        for row in self.rows[stack_id]:
            values |= self._value(row)
        for child in self.children[stack_id]:
            for row in self.rows[child.id]:
                values |= self._value(row)
                size += 1
        return values, size

    def _value(self, row):
        data = self.values.get(row.rsrc_prop_data_id) or {}
        return {int(data['value'])} if data.get('value') else set()


def _broken_invariants(found):
    broken = list(found.left)
    broken += [f'stack {row.stack_id} is locked by {row.engine_id}' for row in found.locks]
    for row in found.stacks.values():
        if row.status != 'COMPLETE':
            broken.append(
                f'stack {row.name} {row.id} is {row.action}_{row.status}: {row.status_reason}'
            )
    names = collections.Counter(
        (row.tenant, row.owner_id, row.name) for row in found.stacks.values() if not row.backup
    )
    broken += [f'{count} stacks are {name}' for name, count in names.items() if count > 1]
    objects = collections.Counter()
    for stack_id, rows in found.rows.items():
        counts = collections.Counter(row.name for row in rows)
        broken += [
            f'stack {found.stacks[stack_id].name} has {count} rows of {name}'
            for name, count in counts.items()
            if count > 1
        ]
        for row in rows:
            if row.status != 'COMPLETE':
                broken.append(f'{row.name} of {stack_id} is {row.action}_{row.status}')
            if row.nova_instance and chaos_cloud.SEPARATOR in row.nova_instance:
                objects[row.nova_instance] += 1
    existing = collections.Counter(chaos_cloud.cloud.find('*'))
    broken += [f'object {name} has no owner' for name in existing - objects]
    broken += [f'object {name} is gone, or has two owners' for name in objects - existing]
    return broken


def _broken_promises(life, found):
    """Yield what a stack lacks of what was promised."""
    row = found.stacks.get(life.id)
    if row is None:
        if life.deletion is None:
            yield 'created with 201, and gone without a delete'
        return
    if life.deletion == 'promised':
        yield f'deleted with 204, and still {row.action}_{row.status}'
        return
    versions, size = found.versions(life.id)
    allowed = life.promised | life.possible
    if len(versions) != 1 or not versions <= allowed:
        yield f'has versions {versions}, promised {life.promised}, possible {life.possible}'
    elif size != size_of(*versions):
        yield f'has {size} members in version {versions}'
    rows = {each.name: each for each in found.rows[life.id]}
    missing = set(RESOURCES) - rows.keys()
    if missing:
        yield f'lacks {missing}'
    stored = (rows['handle'].rsrc_metadata or {}).keys() if 'handle' in rows else set()
    if life.signals - stored:
        yield f'lacks signals {sorted(life.signals - stored)}'

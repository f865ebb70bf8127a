"""The reader of stacks: what of them cannot be carried over, and why."""

import json
import logging
import typing
from collections.abc import Collection, Iterable, Iterator, Sequence, Set

from heat_lite.common import exception, lru_cache, status
from heat_lite.common.value_types import Row, Value, Values, without_none
from heat_lite.db.heat_database import heat_rows
from heat_lite.engine import runtime as engine_runtime
from heat_lite.engine.cluster import takeover
from heat_lite.engine.execution import plan
from heat_lite.engine.resource import record, resource
from heat_lite.engine.stack.stack import Stack
from heat_lite.template.environment import Environment
from heat_lite.template.template import Template

LOG = logging.getLogger(__name__)
#: stacks with nested stacks, and contents of templates, that are kept in memory
PARENTS, TEXTS = 1000, 256
KILOBYTES = 64 * 1024
KEY = '{} cannot be decrypted: add its key to [heat_lite] former_encryption_keys'


class StackReport(typing.NamedTuple):
    """A stack, and the reasons why something of it cannot be carried over."""

    stack_id: str
    name: str
    tenant: str
    resources: int
    in_progress: bool
    reasons: list[str]


class Reader:
    """Reads stacks, batch by batch, by statements that read the rows of a whole batch."""

    def __init__(self, runtime: typing.Any):
        self._runtime = runtime
        self._parents = lru_cache.LruCache(PARENTS, PARENTS, lambda stack: 1)
        #: those of the batch under way: it may have more than the cache
        self._parents_of_batch: dict[str, Stack] = {}
        self._templates = runtime.templates = _Templates()

    def read(self, ids: Collection[str]) -> list[StackReport]:
        """Return the findings of the stacks of these ids that exist."""
        found = heat_rows.stacks(ids)
        resources = heat_rows.resource_rows(list(found))
        wrong = heat_rows.undecryptable_credentials(
            {row.user_creds_id for row in found.values()} - {None}
        )
        self._load_templates(found.values(), resources.values())
        self._load_parents({row.owner_id for row in found.values()} - {None})
        return [
            self._finding(row, resources.get(row.id, []), wrong.get(row.user_creds_id))
            for row in found.values()
        ]

    def _finding(self, row: Row, rows: Sequence[Row], wrong_credentials: str | None) -> StackReport:
        secrets = [
            each.subject for each in rows if isinstance(each, exception.InvalidEncryptionKey)
        ]
        reasons = [KEY.format(each) for each in [wrong_credentials, *secrets] if each]
        try:
            reasons += self._reasons(row, rows)
        except exception.InvalidEncryptionKey as error:
            reasons.append(KEY.format(error.subject or 'a secret'))
        except Exception as error:  # a stack that this service cannot read may fail anywhere
            LOG.debug('Stack %s cannot be read', row.id, exc_info=True)
            reasons.append(f'{type(error).__name__}: {error}')
        in_progress = row.status == status.IN_PROGRESS and not row.backup
        reasons = list(dict.fromkeys(reasons))
        return StackReport(row.id, row.name, row.tenant, len(rows), in_progress, reasons)

    def _reasons(self, row: Row, rows: Sequence[Row]) -> list[str]:
        stack = self._stack(row)
        read = [each for each in rows if not isinstance(each, exception.InvalidEncryptionKey)]
        is_complete = len(read) == len(rows)
        stack.records.use_listed(read, record.Record.from_row)
        rows = stack.records.all()
        reasons = list(_resource_reasons(stack, rows))
        if is_complete:
            plan.build(rows, {} if row.backup else stack.requirements)
        return reasons

    def _stack(self, row: Row) -> typing.Any:
        stack = Stack.from_row(self._runtime, takeover.context_of_owner(row), row)
        if row.owner_id is not None:
            stack.tree.parent = self._parent(row.owner_id)
        return stack

    def _load_templates(self, rows: Iterable[Row], resources: Iterable[typing.Any]) -> None:
        """Read the templates of a batch of stacks, and those of their resources."""
        ids = {row.raw_template_id for row in rows}
        for each in resources:
            ids.update(getattr(item, 'current_template_id', None) for item in each)
        self._templates.clear()
        self._templates.load(ids - {None})

    def _load_parents(self, ids: Set[str]) -> None:
        """Read the stacks that contain those of a batch, and the stacks that contain these."""
        self._parents_of_batch = {}
        missing = self._missing_parents(ids)
        rows: Values = {}
        while missing:
            rows.update(heat_rows.stacks(missing))
            owners = {row.owner_id for row in rows.values()} - {None} - rows.keys()
            missing = self._missing_parents(owners - missing)
        self._templates.load({row.raw_template_id for row in rows.values()})
        for row in sorted(rows.values(), key=lambda row: row.nested_depth or 0):
            self._put_parent(row)

    def _missing_parents(self, ids: Set[str]) -> Set[str]:
        """Return those of the ids whose stacks are not known; keep the others for the batch."""
        known = {each: self._parents.get(each) for each in ids}
        found = without_none(known)
        self._parents_of_batch.update(found)
        return known.keys() - found.keys()

    def _put_parent(self, row: Row) -> None:
        try:
            stack = self._parents_of_batch[row.id] = self._stack(row)
            self._parents.put(row.id, stack)
        except Exception:  # the parent is read as a stack of its own, and has the reason
            LOG.debug('Stack %s cannot be read', row.id, exc_info=True)

    def _parent(self, stack_id: str) -> typing.Any:
        found = self._parents_of_batch.get(stack_id)
        if found is None:
            raise exception.EntityNotFound(entity='Parent stack', name=stack_id)
        return found


class _Templates(engine_runtime.TemplateCache):
    """The templates of the batch under way by id. Those of equal text share what was parsed."""

    def __init__(self) -> None:
        super().__init__()
        self._texts = lru_cache.LruCache(TEXTS, KILOBYTES, lru_cache.template_weight)
        self._loaded: dict[int, typing.Any] = {}

    def clear(self) -> None:
        self._loaded.clear()

    def load(self, ids: Collection[int]) -> None:
        """Read the templates of these ids."""
        missing = set(ids) - self._loaded.keys()
        self._loaded.update(heat_rows.templates(missing) if missing else {})

    def get(self, template_id: int) -> typing.Any:
        """Return a template. Raises InvalidEncryptionKey, or EntityNotFound if it has no row."""
        found = self._loaded.get(template_id)
        if found is None:
            raise exception.EntityNotFound(entity='Template', name=template_id)
        if isinstance(found, exception.InvalidEncryptionKey):
            raise found
        if isinstance(found, heat_rows.RawTemplate):
            found = self._loaded[template_id] = self._parse(found)
        return found

    def _parse(self, raw: Value) -> typing.Any:
        key = raw.text, raw.files_id
        known = self._texts.get(key) if raw.files_id or not raw.files else None
        if known is None:
            known = Template(json.loads(raw.text), raw.files)
            self._texts.put(key, known)
        return known.with_environment(Environment(raw.environment))


def _resource_reasons(stack: Row, rows: Sequence[Row]) -> Iterator[str]:
    for row in rows:
        try:
            item = stack.resource_of(row)
        except exception.ResourceNotFound:
            yield f'resource {row.name} is in none of its templates: it will be left behind'
            continue
        if isinstance(item, resource.UnknownResource):
            yield f'resource {row.name} has the unknown type {item.definition.resource_type}'

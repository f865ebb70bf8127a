"""The tables. Names and columns are Heat's, except those that are marked.

These are tables of SQLAlchemy Core: rows are read and written by statements, without ORM objects.
"""

import uuid
from typing import Any

from sqlalchemy import (
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    Unicode,
    UniqueConstraint,
    or_,
)

from heat_lite.db.column_types import Json, Secret, TruncatedText, UtcTime, utcnow

metadata = MetaData()
#: the type of names and other short texts
LABEL = String(255)


def _uuid() -> str:
    return str(uuid.uuid4())


def _table(name: str, *args: Any, **options: Any) -> Table:
    # The collation distinguishes case and accents, as templates do, on every database.
    table = Table(
        name,
        metadata,
        *args,
        **options,
        mysql_engine='InnoDB',
        mysql_charset='utf8mb4',
        mysql_collate='utf8mb4_bin',
    )
    for each in table.columns:
        if isinstance(each.type, Secret):
            each.type.place = f'{each.name} of a row of {name}'
    return table


#: SQLite uses no id again, as the other databases; handlers and cursors know rows by their ids
USED_ONCE = {'sqlite_autoincrement': True}


def _number() -> Column:
    return Column('id', Integer, primary_key=True)


def _id() -> Column:
    return Column('id', String(36), primary_key=True, default=_uuid)


def _stack_id(index: bool = False) -> Column:
    return Column('stack_id', ForeignKey('stack.id'), nullable=False, index=index)


def _times() -> tuple[Column, Column]:
    return Column('created_at', UtcTime, default=utcnow), Column(
        'updated_at', UtcTime, onupdate=utcnow
    )


raw_template_files = _table(
    'raw_template_files',
    _number(),
    Column('files', Secret),
    *_times(),
    Column('content_hash', String(64), unique=True),  # not Heat's: fingerprint of the content
)

raw_template = _table(
    'raw_template',
    _number(),
    Column('template', Secret),
    Column('files', Secret),
    Column('files_id', ForeignKey('raw_template_files.id')),
    Column('environment', Secret),
    *_times(),
    Column('text', Secret),  # not Heat's: the template as its author wrote it
    Column('content_hash', String(64), unique=True),  # not Heat's: fingerprint of the content
    Index('raw_tmpl_files_fkey_ref', 'files_id'),
)

user_creds = _table(
    'user_creds',
    _number(),
    Column('username', LABEL),
    Column('password', LABEL),
    Column('region_name', LABEL),
    Column('decrypt_method', String(64)),
    Column('tenant', String(1024)),
    Column('auth_url', Text),
    Column('tenant_id', String(256)),
    Column('trust_id', LABEL),
    Column('trustor_user_id', String(64)),
    *_times(),
)

stack = _table(
    'stack',
    _id(),
    Column('name', LABEL),
    Column('raw_template_id', ForeignKey('raw_template.id'), nullable=False, index=True),
    Column('prev_raw_template_id', ForeignKey('raw_template.id'), index=True),
    Column('username', String(256)),
    Column('tenant', String(256)),
    Column('user_creds_id', ForeignKey('user_creds.id'), index=True),
    Column('owner_id', String(36), index=True),
    Column('parent_resource_name', LABEL),
    Column('timeout', Integer),
    Column('disable_rollback', Boolean, nullable=False),
    Column('stack_user_project_id', String(64)),
    Column('backup', Boolean, default=False),
    Column('nested_depth', Integer, default=0),
    Column('convergence', Boolean, default=False),
    Column('current_traversal', String(36)),
    Column('current_deps', Json),
    Column('updated_at', UtcTime),
    Column('created_at', UtcTime, default=utcnow),
    Column('deleted_at', UtcTime),
    Column('action', LABEL),
    Column('status', LABEL, index=True),
    Column('status_reason', TruncatedText),
    # The following columns are not Heat's.
    Column('outputs', Secret),  # as resolved at the end of an action
    Column('failures', Json),
    Column('digest', String(64)),  # fingerprint of all that an update can change
    Column('plan', Json),  # further arguments of the last action
    Column('protected', Boolean),  # from deletion
    Column('asker', Text),  # encrypted requester of the current action (see ``credentials``)
    # where resources have gone, and former names (see ``engine.stack.former_places``)
    Column('moved', Json),
    # True for a living top-level stack, otherwise NULL, which a unique constraint ignores.
    Column('live', Boolean),
    UniqueConstraint('tenant', 'name', 'live', name='uniq_stack0tenant0name0live'),
    Index('ix_stack_name', 'name', mysql_length=255),
    Index('ix_stack_tenant', 'tenant', mysql_length=255),
    Index('ix_stack_listed', 'tenant', 'deleted_at', 'created_at', 'id'),
    Index('ix_stack_newest', 'deleted_at', 'created_at', 'id'),
    Index('ix_stack_user_project', 'stack_user_project_id'),
)

stack_lock = _table(
    'stack_lock',
    Column('stack_id', ForeignKey('stack.id'), primary_key=True),
    Column('engine_id', String(36)),
    *_times(),
    # not Heat's: the calls during which engines died (see ``engine.stack.quarantine``)
    Column('quarantine', Text),
    # not Heat's: changes with each transaction that decides by the lock (see ``locks.hold``)
    Column('uses', Integer, nullable=False, server_default='0'),
)

#: the condition that a stack is not deleted
ALIVE = stack.c.deleted_at.is_(None)
#: The condition that excludes the backup stacks of Heat's legacy engine. They hold what an update
#: has replaced, and belong to the stack that is their owner.
NO_BACKUP = or_(stack.c.backup.is_(None), stack.c.backup.is_(False))

stack_tag = _table(
    'stack_tag',
    _number(),
    Column('tag', Unicode(80)),
    _stack_id(),
    *_times(),
    Index('ix_stack_tag_stack_id_tag', 'stack_id', 'tag'),
)

# not Heat's: the definitions that a top-level stack has had, numbered from 1 (see ``revisions``)
stack_revision = _table(
    'stack_revision',
    _number(),
    Column('stack_id', ForeignKey('stack.id', ondelete='CASCADE'), nullable=False),
    Column('number', Integer, nullable=False),
    Column(
        'raw_template_id',
        ForeignKey('raw_template.id', ondelete='CASCADE'),
        nullable=False,
        index=True,
    ),
    Column('options', Json),  # tags, timeout_mins, disable_rollback
    Column('username', String(256)),  # of the requester
    Column('message', TruncatedText(255)),
    Column('action', LABEL),
    Column('status', LABEL),
    Column('status_reason', TruncatedText),
    *_times(),
    UniqueConstraint('stack_id', 'number', name='uniq_stack_revision0stack_id0number'),
)

# not Heat's: what was previewed and can be applied as it was (see ``revisions``)
stack_plan = _table(
    'stack_plan',
    _id(),
    # one of them: that of an update has a stack, that of a create a project
    Column('stack_id', ForeignKey('stack.id', ondelete='CASCADE'), index=True),
    Column('tenant', String(256), index=True),
    Column(
        'raw_template_id',
        ForeignKey('raw_template.id', ondelete='CASCADE'),
        nullable=False,
        index=True,
    ),
    Column('content', Json),  # options and args of the request, and the facts it stands on
    Column('user_id', String(64)),  # of the author
    Column('username', String(256)),
    Column('approver', String(256)),
    Column('approved_at', UtcTime),
    Column('created_at', UtcTime, default=utcnow),
    Column('expires_at', UtcTime, index=True),
)

resource_properties_data = _table(
    'resource_properties_data',
    _number(),
    Column('data', Json),
    Column('encrypted', Boolean, default=False),
    *_times(),
)

resource = _table(
    'resource',
    _number(),
    Column('uuid', String(36), unique=True, default=_uuid),
    Column('name', LABEL),
    Column('nova_instance', LABEL, index=True),
    Column('rsrc_metadata', Secret),
    _stack_id(index=True),
    Column('root_stack_id', String(36), index=True),
    Column('rsrc_prop_data_id', ForeignKey('resource_properties_data.id')),
    Column('attr_data_id', ForeignKey('resource_properties_data.id')),
    Column('updated_at', UtcTime),
    Column('properties_data', Json),
    Column('properties_data_encrypted', Boolean, default=False),
    Column('engine_id', String(36)),
    Column('atomic_key', Integer),
    Column('needed_by', Json),
    Column('requires', Json),
    Column('replaces', Integer),
    Column('replaced_by', Integer),
    Column('current_template_id', ForeignKey('raw_template.id'), index=True),
    Column('created_at', UtcTime, default=utcnow),
    Column('action', LABEL),
    Column('status', LABEL),
    Column('status_reason', TruncatedText),
    Column('signal_engine', String(36)),  # not Heat's: it handles a signal now
    Index('rsrc_rsrc_prop_data_ref', 'rsrc_prop_data_id'),
    Index('rsrc_attr_data_ref', 'attr_data_id'),
)

resource_data = _table(
    'resource_data',
    _number(),
    Column('key', LABEL),
    Column('value', Text),
    Column('redact', Boolean),
    Column('decrypt_method', String(64)),
    Column(
        'resource_id',
        ForeignKey('resource.id', name='fk_resource_id', ondelete='CASCADE'),
        nullable=False,
        index=True,
    ),
    *_times(),
)

# not Heat's: the signals that are accepted and not handled yet
resource_signal = _table(
    'resource_signal',
    _number(),
    Column(
        'resource_id', ForeignKey('resource.id', ondelete='CASCADE'), nullable=False, index=True
    ),
    Column('engine_id', String(36), nullable=False),  # handles it
    Column('token', String(36)),  # what a caller in that engine waits by
    Column('details', Secret),
    Column('quarantine', Text),  # as that of a stack lock; NULL: no engine died
    Column('created_at', UtcTime, default=utcnow),
    **USED_ONCE,
)

event = _table(
    'event',
    _number(),
    _stack_id(),
    Column('uuid', String(36), unique=True, default=_uuid),
    Column('resource_action', LABEL),
    Column('resource_status', LABEL),
    Column('resource_name', LABEL),
    Column('physical_resource_id', TruncatedText(255)),
    Column('resource_status_reason', TruncatedText(255)),
    Column('resource_type', TruncatedText(255)),
    Column('rsrc_prop_data_id', ForeignKey('resource_properties_data.id')),
    Column('resource_properties', LargeBinary),  # of a time before rsrc_prop_data_id; not used
    *_times(),  # updated_at: see events.EventRow; Heat leaves it empty
    Index('ix_event_stack_id_id', 'stack_id', 'id'),
    Index('ev_rsrc_prop_data_ref', 'rsrc_prop_data_id'),
    **USED_ONCE,
)

snapshot = _table(
    'snapshot',
    _id(),
    _stack_id(index=True),
    Column('name', LABEL),
    Column('data', Secret),
    Column('tenant', String(64), nullable=False, index=True),
    Column('action', LABEL),
    Column('status', LABEL),
    Column('status_reason', TruncatedText(255)),
    *_times(),
)

resource_snapshot = _table(
    'resource_snapshot',
    _id(),
    Column('resource_name', LABEL, nullable=False),
    Column('snapshot_id', ForeignKey('snapshot.id'), nullable=False, index=True),
    Column('data', Secret),
    *_times(),
)

software_config = _table(
    'software_config',
    _id(),
    Column('name', LABEL),
    Column('group', LABEL),
    Column('config', Secret),
    Column('tenant', String(64), nullable=False, index=True),
    *_times(),
)

software_deployment = _table(
    'software_deployment',
    _id(),
    Column('config_id', ForeignKey('software_config.id'), nullable=False, index=True),
    Column('server_id', String(36), nullable=False, index=True),
    Column('input_values', Secret),
    Column('output_values', Secret),
    Column('tenant', String(64), nullable=False, index=True),
    Column('stack_user_project_id', String(64)),
    Column('updated_at', UtcTime),
    Column('created_at', UtcTime, default=utcnow, index=True),
    Column('action', LABEL),
    Column('status', LABEL),
    Column('status_reason', TruncatedText),
)

service = _table(
    'service',
    _id(),
    Column('engine_id', String(36), nullable=False, index=True),
    Column('host', LABEL, nullable=False),
    Column('hostname', LABEL, nullable=False),
    Column('binary', LABEL, nullable=False),
    Column('topic', LABEL, nullable=False),
    Column('report_interval', Integer, nullable=False),
    *_times(),
    Column('deleted_at', UtcTime),
)

sync_point = _table(
    'sync_point',
    Column('entity_id', String(36), primary_key=True),
    Column('traversal_id', String(36), primary_key=True),
    Column('is_update', Boolean, primary_key=True),
    Column('atomic_key', Integer, nullable=False),
    _stack_id(index=True),
    Column('input_data', Json),
    Column('extra_data', Json),
    *_times(),
)

# The two tables of alarms were Heat's up to its version 9.
watch_rule = _table(
    'watch_rule',
    _number(),
    *_times(),
    _stack_id(index=True),
    Column('name', LABEL, index=True),
    Column('rule', Secret),
    Column('state', LABEL),
    Column('last_evaluated', UtcTime),
    # The following columns are not Heat's.
    Column('due_at', UtcTime, index=True),  # the next evaluation; NULL: none
    Column('metric_name', LABEL, index=True),  # that of the rule
)

watch_data = _table(
    'watch_data',
    _number(),
    *_times(),
    Column('watch_rule_id', ForeignKey('watch_rule.id', ondelete='CASCADE'), nullable=False),
    Column('data', Json),
    Index('ix_watch_data_rule_created', 'watch_rule_id', 'created_at'),
)

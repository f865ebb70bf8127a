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


def _uuid() -> str:
    return str(uuid.uuid4())


def _table(name: str, *args: Any) -> Table:
    # The collation distinguishes case and accents, as templates do, on every database.
    table = Table(
        name,
        metadata,
        *args,
        mysql_engine='InnoDB',
        mysql_charset='utf8mb4',
        mysql_collate='utf8mb4_bin',
    )
    for each in table.columns:
        if isinstance(each.type, Secret):
            each.type.place = f'{each.name} of a row of {name}'
    return table


def _times() -> tuple[Column, Column]:
    return Column('created_at', UtcTime, default=utcnow), Column(
        'updated_at', UtcTime, onupdate=utcnow
    )


raw_template_files = _table(
    'raw_template_files',
    Column('id', Integer, primary_key=True),
    Column('files', Secret),
    *_times(),
    Column('content_hash', String(64), unique=True),  # not Heat's: fingerprint of the content
)

raw_template = _table(
    'raw_template',
    Column('id', Integer, primary_key=True),
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
    Column('id', Integer, primary_key=True),
    Column('username', String(255)),
    Column('password', String(255)),
    Column('region_name', String(255)),
    Column('decrypt_method', String(64)),
    Column('tenant', String(1024)),
    Column('auth_url', Text),
    Column('tenant_id', String(256)),
    Column('trust_id', String(255)),
    Column('trustor_user_id', String(64)),
    *_times(),
)

stack = _table(
    'stack',
    Column('id', String(36), primary_key=True, default=_uuid),
    Column('name', String(255)),
    Column('raw_template_id', ForeignKey('raw_template.id'), nullable=False),
    Column('prev_raw_template_id', ForeignKey('raw_template.id')),
    Column('username', String(256)),
    Column('tenant', String(256)),
    Column('user_creds_id', ForeignKey('user_creds.id')),
    Column('owner_id', String(36)),
    Column('parent_resource_name', String(255)),
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
    Column('action', String(255)),
    Column('status', String(255)),
    Column('status_reason', TruncatedText),
    # The following columns are not Heat's.
    Column('outputs', Secret),  # as resolved at the end of an action
    Column('failures', Json),
    Column('digest', String(64)),  # fingerprint of all that an update can change
    Column('plan', Json),  # further arguments of the last action
    Column('protected', Boolean),  # from deletion
    Column('asker', Text),  # encrypted requester of the current action (see ``credentials``)
    # True for a living top-level stack, otherwise NULL, which a unique constraint ignores.
    Column('live', Boolean),
    UniqueConstraint('tenant', 'name', 'live', name='uniq_stack0tenant0name0live'),
    Index('ix_stack_name', 'name', mysql_length=255),
    Index('ix_stack_owner_id', 'owner_id'),
    Index('ix_stack_tenant', 'tenant', mysql_length=255),
    Index('ix_stack_listed', 'tenant', 'deleted_at', 'created_at', 'id'),
    Index('ix_stack_raw_template_id', 'raw_template_id'),
    Index('ix_stack_prev_raw_template_id', 'prev_raw_template_id'),
    Index('ix_stack_user_creds_id', 'user_creds_id'),
    Index('ix_stack_deleted_at', 'deleted_at'),
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
    Column('id', Integer, primary_key=True),
    Column('tag', Unicode(80)),
    Column('stack_id', ForeignKey('stack.id'), nullable=False),
    *_times(),
    Index('ix_stack_tag_stack_id_tag', 'stack_id', 'tag'),
)

resource_properties_data = _table(
    'resource_properties_data',
    Column('id', Integer, primary_key=True),
    Column('data', Json),
    Column('encrypted', Boolean, default=False),
    *_times(),
)

resource = _table(
    'resource',
    Column('id', Integer, primary_key=True),
    Column('uuid', String(36), unique=True, default=_uuid),
    Column('name', String(255)),
    Column('nova_instance', String(255)),
    Column('rsrc_metadata', Secret),
    Column('stack_id', ForeignKey('stack.id'), nullable=False),
    Column('root_stack_id', String(36)),
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
    Column('current_template_id', ForeignKey('raw_template.id')),
    Column('created_at', UtcTime, default=utcnow),
    Column('action', String(255)),
    Column('status', String(255)),
    Column('status_reason', TruncatedText),
    Column('signal_engine', String(36)),  # not Heat's: it handles a signal now
    Index('ix_resource_root_stack_id', 'root_stack_id'),
    Index('ix_resource_stack_id', 'stack_id'),
    Index('ix_resource_nova_instance', 'nova_instance'),
    Index('rsrc_rsrc_prop_data_ref', 'rsrc_prop_data_id'),
    Index('rsrc_attr_data_ref', 'attr_data_id'),
    Index('ix_resource_current_template_id', 'current_template_id'),
)

resource_data = _table(
    'resource_data',
    Column('id', Integer, primary_key=True),
    Column('key', String(255)),
    Column('value', Text),
    Column('redact', Boolean),
    Column('decrypt_method', String(64)),
    Column(
        'resource_id',
        ForeignKey('resource.id', name='fk_resource_id', ondelete='CASCADE'),
        nullable=False,
    ),
    *_times(),
    Index('ix_resource_data_resource_id', 'resource_id'),
)

# not Heat's: the signals that are accepted and not handled yet
resource_signal = _table(
    'resource_signal',
    Column('id', Integer, primary_key=True),
    Column('resource_id', ForeignKey('resource.id', ondelete='CASCADE'), nullable=False),
    Column('engine_id', String(36), nullable=False),  # handles it
    Column('token', String(36)),  # what a caller in that engine waits by
    Column('details', Secret),
    Column('quarantine', Text),  # as that of a stack lock; NULL: no engine died
    Column('created_at', UtcTime, default=utcnow),
    Index('ix_resource_signal_resource_id', 'resource_id'),
)

event = _table(
    'event',
    Column('id', Integer, primary_key=True),
    Column('stack_id', ForeignKey('stack.id'), nullable=False),
    Column('uuid', String(36), unique=True, default=_uuid),
    Column('resource_action', String(255)),
    Column('resource_status', String(255)),
    Column('resource_name', String(255)),
    Column('physical_resource_id', TruncatedText(255)),
    Column('resource_status_reason', TruncatedText(255)),
    Column('resource_type', TruncatedText(255)),
    Column('rsrc_prop_data_id', ForeignKey('resource_properties_data.id')),
    Column('resource_properties', LargeBinary),  # of a time before rsrc_prop_data_id; not used
    *_times(),  # updated_at: see events.EventRow; Heat leaves it empty
    Index('ix_event_stack_id_id', 'stack_id', 'id'),
    Index('ev_rsrc_prop_data_ref', 'rsrc_prop_data_id'),
)

snapshot = _table(
    'snapshot',
    Column('id', String(36), primary_key=True, default=_uuid),
    Column('stack_id', ForeignKey('stack.id'), nullable=False),
    Column('name', String(255)),
    Column('data', Secret),
    Column('tenant', String(64), nullable=False),
    Column('action', String(255)),
    Column('status', String(255)),
    Column('status_reason', TruncatedText(255)),
    *_times(),
    Index('ix_snapshot_tenant', 'tenant'),
    Index('ix_snapshot_stack_id', 'stack_id'),
)

resource_snapshot = _table(
    'resource_snapshot',
    Column('id', String(36), primary_key=True, default=_uuid),
    Column('resource_name', String(255), nullable=False),
    Column('snapshot_id', ForeignKey('snapshot.id'), nullable=False),
    Column('data', Secret),
    *_times(),
    Index('ix_resource_snapshot_snapshot_id', 'snapshot_id'),
)

software_config = _table(
    'software_config',
    Column('id', String(36), primary_key=True, default=_uuid),
    Column('name', String(255)),
    Column('group', String(255)),
    Column('config', Secret),
    Column('tenant', String(64), nullable=False),
    *_times(),
    Index('ix_software_config_tenant', 'tenant'),
)

software_deployment = _table(
    'software_deployment',
    Column('id', String(36), primary_key=True, default=_uuid),
    Column('config_id', ForeignKey('software_config.id'), nullable=False),
    Column('server_id', String(36), nullable=False),
    Column('input_values', Secret),
    Column('output_values', Secret),
    Column('tenant', String(64), nullable=False),
    Column('stack_user_project_id', String(64)),
    Column('updated_at', UtcTime),
    Column('created_at', UtcTime, default=utcnow),
    Column('action', String(255)),
    Column('status', String(255)),
    Column('status_reason', TruncatedText),
    Index('ix_software_deployment_tenant', 'tenant'),
    Index('ix_software_deployment_server_id', 'server_id'),
    Index('ix_software_deployment_created_at', 'created_at'),
    Index('ix_software_deployment_config_id', 'config_id'),
)

service = _table(
    'service',
    Column('id', String(36), primary_key=True, default=_uuid),
    Column('engine_id', String(36), nullable=False),
    Column('host', String(255), nullable=False),
    Column('hostname', String(255), nullable=False),
    Column('binary', String(255), nullable=False),
    Column('topic', String(255), nullable=False),
    Column('report_interval', Integer, nullable=False),
    *_times(),
    Column('deleted_at', UtcTime),
    Index('ix_service_engine_id', 'engine_id'),
)

sync_point = _table(
    'sync_point',
    Column('entity_id', String(36), primary_key=True),
    Column('traversal_id', String(36), primary_key=True),
    Column('is_update', Boolean, primary_key=True),
    Column('atomic_key', Integer, nullable=False),
    Column('stack_id', ForeignKey('stack.id'), nullable=False),
    Column('input_data', Json),
    Column('extra_data', Json),
    *_times(),
    Index('ix_sync_point_stack_id', 'stack_id'),
)

# The two tables of alarms were Heat's up to its version 9.
watch_rule = _table(
    'watch_rule',
    Column('id', Integer, primary_key=True),
    *_times(),
    Column('stack_id', ForeignKey('stack.id'), nullable=False),
    Column('name', String(255)),
    Column('rule', Secret),
    Column('state', String(255)),
    Column('last_evaluated', UtcTime),
    # The following columns are not Heat's.
    Column('due_at', UtcTime),  # the next evaluation; NULL: none
    Column('metric_name', String(255)),  # that of the rule
    Index('ix_watch_rule_stack_id', 'stack_id'),
    Index('ix_watch_rule_name', 'name'),
    Index('ix_watch_rule_due_at', 'due_at'),
    Index('ix_watch_rule_metric_name', 'metric_name'),
)

watch_data = _table(
    'watch_data',
    Column('id', Integer, primary_key=True),
    *_times(),
    Column('watch_rule_id', ForeignKey('watch_rule.id', ondelete='CASCADE'), nullable=False),
    Column('data', Json),
    Index('ix_watch_data_rule_created', 'watch_rule_id', 'created_at'),
)

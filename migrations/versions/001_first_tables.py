"""Create the tables of the first version.

The columns are repeated here instead of imported from the models: the models change, the tables
that this script creates do not.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import mysql

revision = '001'
down_revision = None


def upgrade():
    for create in TABLES:
        create()


def table(name, *columns):
    op.create_table(
        name, *columns, mysql_engine='InnoDB', mysql_charset='utf8mb4', mysql_collate='utf8mb4_bin'
    )


def json():
    return sa.Text().with_variant(mysql.LONGTEXT(), 'mysql', 'mariadb')


def raw_template_files():
    table(
        'raw_template_files',
        sa.Column('id', sa.Integer(), primary_key=True),
        sa.Column('files', json()),
        sa.Column('created_at', sa.DateTime()),
        sa.Column('updated_at', sa.DateTime()),
        sa.Column('content_hash', sa.String(64), unique=True),
    )


def resource_properties_data():
    table(
        'resource_properties_data',
        sa.Column('id', sa.Integer(), primary_key=True),
        sa.Column('data', json()),
        sa.Column('encrypted', sa.Boolean()),
        sa.Column('created_at', sa.DateTime()),
        sa.Column('updated_at', sa.DateTime()),
    )


def service():
    table(
        'service',
        sa.Column('id', sa.String(36), primary_key=True),
        sa.Column('engine_id', sa.String(36), nullable=False),
        sa.Column('host', sa.String(255), nullable=False),
        sa.Column('hostname', sa.String(255), nullable=False),
        sa.Column('binary', sa.String(255), nullable=False),
        sa.Column('topic', sa.String(255), nullable=False),
        sa.Column('report_interval', sa.Integer(), nullable=False),
        sa.Column('created_at', sa.DateTime()),
        sa.Column('updated_at', sa.DateTime()),
        sa.Column('deleted_at', sa.DateTime()),
    )
    op.create_index('ix_service_engine_id', 'service', ['engine_id'])


def software_config():
    table(
        'software_config',
        sa.Column('id', sa.String(36), primary_key=True),
        sa.Column('name', sa.String(255)),
        sa.Column('group', sa.String(255)),
        sa.Column('config', json()),
        sa.Column('tenant', sa.String(64), nullable=False),
        sa.Column('created_at', sa.DateTime()),
        sa.Column('updated_at', sa.DateTime()),
    )
    op.create_index('ix_software_config_tenant', 'software_config', ['tenant'])


def user_creds():
    table(
        'user_creds',
        sa.Column('id', sa.Integer(), primary_key=True),
        sa.Column('username', sa.String(255)),
        sa.Column('password', sa.String(255)),
        sa.Column('region_name', sa.String(255)),
        sa.Column('decrypt_method', sa.String(64)),
        sa.Column('tenant', sa.String(1024)),
        sa.Column('auth_url', sa.Text()),
        sa.Column('tenant_id', sa.String(256)),
        sa.Column('trust_id', sa.String(255)),
        sa.Column('trustor_user_id', sa.String(64)),
        sa.Column('created_at', sa.DateTime()),
        sa.Column('updated_at', sa.DateTime()),
    )


def raw_template():
    table(
        'raw_template',
        sa.Column('id', sa.Integer(), primary_key=True),
        sa.Column('template', json()),
        sa.Column('files', json()),
        sa.Column('files_id', sa.Integer(), sa.ForeignKey('raw_template_files.id')),
        sa.Column('environment', json()),
        sa.Column('created_at', sa.DateTime()),
        sa.Column('updated_at', sa.DateTime()),
        sa.Column('content_hash', sa.String(64), unique=True),
    )
    op.create_index('raw_tmpl_files_fkey_ref', 'raw_template', ['files_id'])


def software_deployment():
    table(
        'software_deployment',
        sa.Column('id', sa.String(36), primary_key=True),
        sa.Column('config_id', sa.String(36), sa.ForeignKey('software_config.id'), nullable=False),
        sa.Column('server_id', sa.String(36), nullable=False),
        sa.Column('input_values', json()),
        sa.Column('output_values', json()),
        sa.Column('tenant', sa.String(64), nullable=False),
        sa.Column('stack_user_project_id', sa.String(64)),
        sa.Column('updated_at', sa.DateTime()),
        sa.Column('created_at', sa.DateTime()),
        sa.Column('action', sa.String(255)),
        sa.Column('status', sa.String(255)),
        sa.Column('status_reason', sa.Text()),
    )
    op.create_index('ix_software_deployment_config_id', 'software_deployment', ['config_id'])
    op.create_index('ix_software_deployment_created_at', 'software_deployment', ['created_at'])
    op.create_index('ix_software_deployment_server_id', 'software_deployment', ['server_id'])
    op.create_index('ix_software_deployment_tenant', 'software_deployment', ['tenant'])


def stack():
    table(
        'stack',
        sa.Column('id', sa.String(36), primary_key=True),
        sa.Column('name', sa.String(255)),
        sa.Column(
            'raw_template_id', sa.Integer(), sa.ForeignKey('raw_template.id'), nullable=False
        ),
        sa.Column('prev_raw_template_id', sa.Integer(), sa.ForeignKey('raw_template.id')),
        sa.Column('username', sa.String(256)),
        sa.Column('tenant', sa.String(256)),
        sa.Column('user_creds_id', sa.Integer(), sa.ForeignKey('user_creds.id')),
        sa.Column('owner_id', sa.String(36)),
        sa.Column('parent_resource_name', sa.String(255)),
        sa.Column('timeout', sa.Integer()),
        sa.Column('disable_rollback', sa.Boolean(), nullable=False),
        sa.Column('stack_user_project_id', sa.String(64)),
        sa.Column('backup', sa.Boolean()),
        sa.Column('nested_depth', sa.Integer()),
        sa.Column('convergence', sa.Boolean()),
        sa.Column('current_traversal', sa.String(36)),
        sa.Column('current_deps', json()),
        sa.Column('updated_at', sa.DateTime()),
        sa.Column('created_at', sa.DateTime()),
        sa.Column('deleted_at', sa.DateTime()),
        sa.Column('action', sa.String(255)),
        sa.Column('status', sa.String(255)),
        sa.Column('status_reason', sa.Text()),
        sa.Column('outputs', json()),
        sa.Column('failures', json()),
        sa.Column('digest', sa.String(64)),
        sa.Column('plan', json()),
        sa.Column('live', sa.Boolean()),
        sa.UniqueConstraint('tenant', 'name', 'live', name='uniq_stack0tenant0name0live'),
    )
    op.create_index('ix_stack_deleted_at', 'stack', ['deleted_at'])
    op.create_index('ix_stack_listed', 'stack', ['tenant', 'deleted_at', 'created_at', 'id'])
    op.create_index('ix_stack_name', 'stack', ['name'], mysql_length=255)
    op.create_index('ix_stack_owner_id', 'stack', ['owner_id'])
    op.create_index('ix_stack_prev_raw_template_id', 'stack', ['prev_raw_template_id'])
    op.create_index('ix_stack_raw_template_id', 'stack', ['raw_template_id'])
    op.create_index('ix_stack_tenant', 'stack', ['tenant'], mysql_length=255)
    op.create_index('ix_stack_user_creds_id', 'stack', ['user_creds_id'])


def event():
    table(
        'event',
        sa.Column('id', sa.Integer(), primary_key=True),
        sa.Column('stack_id', sa.String(36), sa.ForeignKey('stack.id'), nullable=False),
        sa.Column('uuid', sa.String(36), unique=True),
        sa.Column('resource_action', sa.String(255)),
        sa.Column('resource_status', sa.String(255)),
        sa.Column('resource_name', sa.String(255)),
        sa.Column('physical_resource_id', sa.String(255)),
        sa.Column('resource_status_reason', sa.String(255)),
        sa.Column('resource_type', sa.String(255)),
        sa.Column('rsrc_prop_data_id', sa.Integer(), sa.ForeignKey('resource_properties_data.id')),
        sa.Column('resource_properties', sa.LargeBinary()),
        sa.Column('created_at', sa.DateTime()),
        sa.Column('updated_at', sa.DateTime()),
    )
    op.create_index('ev_rsrc_prop_data_ref', 'event', ['rsrc_prop_data_id'])
    op.create_index('ix_event_stack_id_id', 'event', ['stack_id', 'id'])


def resource():
    table(
        'resource',
        sa.Column('id', sa.Integer(), primary_key=True),
        sa.Column('uuid', sa.String(36), unique=True),
        sa.Column('name', sa.String(255)),
        sa.Column('nova_instance', sa.String(255)),
        sa.Column('rsrc_metadata', json()),
        sa.Column('stack_id', sa.String(36), sa.ForeignKey('stack.id'), nullable=False),
        sa.Column('root_stack_id', sa.String(36)),
        sa.Column('rsrc_prop_data_id', sa.Integer(), sa.ForeignKey('resource_properties_data.id')),
        sa.Column('attr_data_id', sa.Integer(), sa.ForeignKey('resource_properties_data.id')),
        sa.Column('updated_at', sa.DateTime()),
        sa.Column('properties_data', json()),
        sa.Column('properties_data_encrypted', sa.Boolean()),
        sa.Column('engine_id', sa.String(36)),
        sa.Column('atomic_key', sa.Integer()),
        sa.Column('needed_by', json()),
        sa.Column('requires', json()),
        sa.Column('replaces', sa.Integer()),
        sa.Column('replaced_by', sa.Integer()),
        sa.Column('current_template_id', sa.Integer(), sa.ForeignKey('raw_template.id')),
        sa.Column('created_at', sa.DateTime()),
        sa.Column('action', sa.String(255)),
        sa.Column('status', sa.String(255)),
        sa.Column('status_reason', sa.Text()),
    )
    op.create_index('ix_resource_current_template_id', 'resource', ['current_template_id'])
    op.create_index('ix_resource_nova_instance', 'resource', ['nova_instance'])
    op.create_index('ix_resource_root_stack_id', 'resource', ['root_stack_id'])
    op.create_index('ix_resource_stack_id', 'resource', ['stack_id'])
    op.create_index('rsrc_attr_data_ref', 'resource', ['attr_data_id'])
    op.create_index('rsrc_rsrc_prop_data_ref', 'resource', ['rsrc_prop_data_id'])


def snapshot():
    table(
        'snapshot',
        sa.Column('id', sa.String(36), primary_key=True),
        sa.Column('stack_id', sa.String(36), sa.ForeignKey('stack.id'), nullable=False),
        sa.Column('name', sa.String(255)),
        sa.Column('data', json()),
        sa.Column('tenant', sa.String(64), nullable=False),
        sa.Column('action', sa.String(255)),
        sa.Column('status', sa.String(255)),
        sa.Column('status_reason', sa.String(255)),
        sa.Column('created_at', sa.DateTime()),
        sa.Column('updated_at', sa.DateTime()),
    )
    op.create_index('ix_snapshot_stack_id', 'snapshot', ['stack_id'])
    op.create_index('ix_snapshot_tenant', 'snapshot', ['tenant'])


def stack_lock():
    table(
        'stack_lock',
        sa.Column('stack_id', sa.String(36), sa.ForeignKey('stack.id'), primary_key=True),
        sa.Column('engine_id', sa.String(36)),
        sa.Column('created_at', sa.DateTime()),
        sa.Column('updated_at', sa.DateTime()),
    )


def stack_tag():
    table(
        'stack_tag',
        sa.Column('id', sa.Integer(), primary_key=True),
        sa.Column('tag', sa.Unicode(80)),
        sa.Column('stack_id', sa.String(36), sa.ForeignKey('stack.id'), nullable=False),
        sa.Column('created_at', sa.DateTime()),
        sa.Column('updated_at', sa.DateTime()),
    )
    op.create_index('ix_stack_tag_stack_id_tag', 'stack_tag', ['stack_id', 'tag'])


def sync_point():
    table(
        'sync_point',
        sa.Column('entity_id', sa.String(36), primary_key=True),
        sa.Column('traversal_id', sa.String(36), primary_key=True),
        sa.Column('is_update', sa.Boolean(), primary_key=True),
        sa.Column('atomic_key', sa.Integer(), nullable=False),
        sa.Column('stack_id', sa.String(36), sa.ForeignKey('stack.id'), nullable=False),
        sa.Column('input_data', json()),
        sa.Column('extra_data', json()),
        sa.Column('created_at', sa.DateTime()),
        sa.Column('updated_at', sa.DateTime()),
    )
    op.create_index('ix_sync_point_stack_id', 'sync_point', ['stack_id'])


def resource_data():
    table(
        'resource_data',
        sa.Column('id', sa.Integer(), primary_key=True),
        sa.Column('key', sa.String(255)),
        sa.Column('value', sa.Text()),
        sa.Column('redact', sa.Boolean()),
        sa.Column('decrypt_method', sa.String(64)),
        sa.Column(
            'resource_id',
            sa.Integer(),
            sa.ForeignKey('resource.id', name='fk_resource_id', ondelete='CASCADE'),
            nullable=False,
        ),
        sa.Column('created_at', sa.DateTime()),
        sa.Column('updated_at', sa.DateTime()),
    )
    op.create_index('ix_resource_data_resource_id', 'resource_data', ['resource_id'])


def resource_snapshot():
    table(
        'resource_snapshot',
        sa.Column('id', sa.String(36), primary_key=True),
        sa.Column('resource_name', sa.String(255), nullable=False),
        sa.Column('snapshot_id', sa.String(36), sa.ForeignKey('snapshot.id'), nullable=False),
        sa.Column('data', json()),
        sa.Column('created_at', sa.DateTime()),
        sa.Column('updated_at', sa.DateTime()),
    )
    op.create_index('ix_resource_snapshot_snapshot_id', 'resource_snapshot', ['snapshot_id'])


# Tables in an order that satisfies the foreign keys.
TABLES = (
    raw_template_files,
    resource_properties_data,
    service,
    software_config,
    user_creds,
    raw_template,
    software_deployment,
    stack,
    event,
    resource,
    snapshot,
    stack_lock,
    stack_tag,
    sync_point,
    resource_data,
    resource_snapshot,
)

CREATE TABLE public.alembic_version (
    version_num character varying(32) NOT NULL
);
CREATE TABLE public.event (
    id integer NOT NULL,
    uuid character varying(36),
    stack_id character varying(36) NOT NULL,
    created_at timestamp without time zone,
    updated_at timestamp without time zone,
    resource_action character varying(255),
    resource_status character varying(255),
    resource_name character varying(255),
    physical_resource_id character varying(255),
    resource_status_reason character varying(255),
    resource_type character varying(255),
    resource_properties bytea,
    rsrc_prop_data_id integer
);
CREATE SEQUENCE public.event_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.event_id_seq OWNED BY public.event.id;
CREATE TABLE public.raw_template (
    id integer NOT NULL,
    created_at timestamp without time zone,
    updated_at timestamp without time zone,
    template text,
    files text,
    environment text,
    files_id integer
);
CREATE TABLE public.raw_template_files (
    id integer NOT NULL,
    files text,
    created_at timestamp without time zone,
    updated_at timestamp without time zone
);
CREATE SEQUENCE public.raw_template_files_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.raw_template_files_id_seq OWNED BY public.raw_template_files.id;
CREATE SEQUENCE public.raw_template_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.raw_template_id_seq OWNED BY public.raw_template.id;
CREATE TABLE public.resource (
    id integer NOT NULL,
    uuid character varying(36),
    nova_instance character varying(255),
    name character varying(255),
    created_at timestamp without time zone,
    updated_at timestamp without time zone,
    action character varying(255),
    status character varying(255),
    status_reason text,
    stack_id character varying(36) NOT NULL,
    rsrc_metadata text,
    properties_data text,
    engine_id character varying(36),
    atomic_key integer,
    needed_by text,
    requires text,
    replaces integer,
    replaced_by integer,
    current_template_id integer,
    properties_data_encrypted boolean,
    root_stack_id character varying(36),
    rsrc_prop_data_id integer,
    attr_data_id integer
);
CREATE TABLE public.resource_data (
    id integer NOT NULL,
    created_at timestamp without time zone,
    updated_at timestamp without time zone,
    key character varying(255),
    value text,
    redact boolean,
    decrypt_method character varying(64),
    resource_id integer NOT NULL
);
CREATE SEQUENCE public.resource_data_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.resource_data_id_seq OWNED BY public.resource_data.id;
CREATE SEQUENCE public.resource_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.resource_id_seq OWNED BY public.resource.id;
CREATE TABLE public.resource_properties_data (
    id integer NOT NULL,
    data text,
    encrypted boolean,
    created_at timestamp without time zone,
    updated_at timestamp without time zone
);
CREATE SEQUENCE public.resource_properties_data_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.resource_properties_data_id_seq OWNED BY public.resource_properties_data.id;
CREATE TABLE public.resource_snapshot (
    id character varying(36) NOT NULL,
    snapshot_id character varying(36) NOT NULL,
    resource_name character varying(255) NOT NULL,
    created_at timestamp without time zone,
    updated_at timestamp without time zone,
    data text
);
CREATE TABLE public.service (
    id character varying(36) NOT NULL,
    engine_id character varying(36) NOT NULL,
    host character varying(255) NOT NULL,
    hostname character varying(255) NOT NULL,
    "binary" character varying(255) NOT NULL,
    topic character varying(255) NOT NULL,
    report_interval integer NOT NULL,
    created_at timestamp without time zone,
    updated_at timestamp without time zone,
    deleted_at timestamp without time zone
);
CREATE TABLE public.snapshot (
    id character varying(36) NOT NULL,
    stack_id character varying(36) NOT NULL,
    name character varying(255),
    created_at timestamp without time zone,
    updated_at timestamp without time zone,
    status character varying(255),
    status_reason character varying(255),
    data text,
    tenant character varying(64) NOT NULL,
    action character varying(255)
);
CREATE TABLE public.software_config (
    id character varying(36) NOT NULL,
    created_at timestamp without time zone,
    updated_at timestamp without time zone,
    name character varying(255),
    "group" character varying(255),
    config text,
    tenant character varying(64) NOT NULL
);
CREATE TABLE public.software_deployment (
    id character varying(36) NOT NULL,
    created_at timestamp without time zone,
    updated_at timestamp without time zone,
    server_id character varying(36) NOT NULL,
    config_id character varying(36) NOT NULL,
    input_values text,
    output_values text,
    action character varying(255),
    status character varying(255),
    status_reason text,
    tenant character varying(64) NOT NULL,
    stack_user_project_id character varying(64)
);
CREATE TABLE public.stack (
    id character varying(36) NOT NULL,
    created_at timestamp without time zone,
    updated_at timestamp without time zone,
    deleted_at timestamp without time zone,
    name character varying(255),
    raw_template_id integer NOT NULL,
    prev_raw_template_id integer,
    user_creds_id integer,
    username character varying(256),
    owner_id character varying(36),
    action character varying(255),
    status character varying(255),
    status_reason text,
    timeout integer,
    tenant character varying(256),
    disable_rollback boolean NOT NULL,
    stack_user_project_id character varying(64),
    backup boolean,
    nested_depth integer,
    convergence boolean,
    current_traversal character varying(36),
    current_deps text,
    parent_resource_name character varying(255)
);
CREATE TABLE public.stack_lock (
    stack_id character varying(36) NOT NULL,
    created_at timestamp without time zone,
    updated_at timestamp without time zone,
    engine_id character varying(36)
);
CREATE TABLE public.stack_tag (
    id integer NOT NULL,
    created_at timestamp without time zone,
    updated_at timestamp without time zone,
    tag character varying(80),
    stack_id character varying(36) NOT NULL
);
CREATE SEQUENCE public.stack_tag_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.stack_tag_id_seq OWNED BY public.stack_tag.id;
CREATE TABLE public.sync_point (
    entity_id character varying(36) NOT NULL,
    traversal_id character varying(36) NOT NULL,
    is_update boolean NOT NULL,
    atomic_key integer NOT NULL,
    stack_id character varying(36) NOT NULL,
    input_data text,
    created_at timestamp without time zone,
    updated_at timestamp without time zone,
    extra_data text
);
CREATE TABLE public.user_creds (
    id integer NOT NULL,
    created_at timestamp without time zone,
    updated_at timestamp without time zone,
    username character varying(255),
    password character varying(255),
    region_name character varying(255),
    decrypt_method character varying(64),
    tenant character varying(1024),
    auth_url text,
    tenant_id character varying(256),
    trust_id character varying(255),
    trustor_user_id character varying(64)
);
CREATE SEQUENCE public.user_creds_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.user_creds_id_seq OWNED BY public.user_creds.id;
ALTER TABLE ONLY public.event ALTER COLUMN id SET DEFAULT nextval('public.event_id_seq'::regclass);
ALTER TABLE ONLY public.raw_template ALTER COLUMN id SET DEFAULT nextval('public.raw_template_id_seq'::regclass);
ALTER TABLE ONLY public.raw_template_files ALTER COLUMN id SET DEFAULT nextval('public.raw_template_files_id_seq'::regclass);
ALTER TABLE ONLY public.resource ALTER COLUMN id SET DEFAULT nextval('public.resource_id_seq'::regclass);
ALTER TABLE ONLY public.resource_data ALTER COLUMN id SET DEFAULT nextval('public.resource_data_id_seq'::regclass);
ALTER TABLE ONLY public.resource_properties_data ALTER COLUMN id SET DEFAULT nextval('public.resource_properties_data_id_seq'::regclass);
ALTER TABLE ONLY public.stack_tag ALTER COLUMN id SET DEFAULT nextval('public.stack_tag_id_seq'::regclass);
ALTER TABLE ONLY public.user_creds ALTER COLUMN id SET DEFAULT nextval('public.user_creds_id_seq'::regclass);
ALTER TABLE ONLY public.alembic_version
    ADD CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num);
ALTER TABLE ONLY public.event
    ADD CONSTRAINT event_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.event
    ADD CONSTRAINT event_uuid_key UNIQUE (uuid);
ALTER TABLE ONLY public.raw_template_files
    ADD CONSTRAINT raw_template_files_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.raw_template
    ADD CONSTRAINT raw_template_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.resource_data
    ADD CONSTRAINT resource_data_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.resource
    ADD CONSTRAINT resource_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.resource_properties_data
    ADD CONSTRAINT resource_properties_data_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.resource_snapshot
    ADD CONSTRAINT resource_snapshot_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.resource
    ADD CONSTRAINT resource_uuid_key UNIQUE (uuid);
ALTER TABLE ONLY public.service
    ADD CONSTRAINT service_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.snapshot
    ADD CONSTRAINT snapshot_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.software_config
    ADD CONSTRAINT software_config_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.software_deployment
    ADD CONSTRAINT software_deployment_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.stack_lock
    ADD CONSTRAINT stack_lock_pkey PRIMARY KEY (stack_id);
ALTER TABLE ONLY public.stack
    ADD CONSTRAINT stack_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.stack_tag
    ADD CONSTRAINT stack_tag_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.sync_point
    ADD CONSTRAINT sync_point_pkey PRIMARY KEY (entity_id, traversal_id, is_update);
ALTER TABLE ONLY public.user_creds
    ADD CONSTRAINT user_creds_pkey PRIMARY KEY (id);
CREATE INDEX ix_resource_root_stack_id ON public.resource USING btree (root_stack_id);
CREATE INDEX ix_resource_snapshot_snapshot_id ON public.resource_snapshot USING btree (snapshot_id);
CREATE INDEX ix_snapshot_tenant ON public.snapshot USING btree (tenant);
CREATE INDEX ix_software_config_tenant ON public.software_config USING btree (tenant);
CREATE INDEX ix_software_deployment_created_at ON public.software_deployment USING btree (created_at);
CREATE INDEX ix_software_deployment_server_id ON public.software_deployment USING btree (server_id);
CREATE INDEX ix_software_deployment_tenant ON public.software_deployment USING btree (tenant);
CREATE INDEX ix_stack_name ON public.stack USING btree (name);
CREATE INDEX ix_stack_owner_id ON public.stack USING btree (owner_id);
CREATE INDEX ix_stack_tenant ON public.stack USING btree (tenant);
ALTER TABLE ONLY public.event
    ADD CONSTRAINT ev_rsrc_prop_data_ref FOREIGN KEY (rsrc_prop_data_id) REFERENCES public.resource_properties_data(id);
ALTER TABLE ONLY public.event
    ADD CONSTRAINT event_stack_id_fkey FOREIGN KEY (stack_id) REFERENCES public.stack(id);
ALTER TABLE ONLY public.resource_data
    ADD CONSTRAINT fk_resource_id FOREIGN KEY (resource_id) REFERENCES public.resource(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.raw_template
    ADD CONSTRAINT raw_tmpl_files_fkey_ref FOREIGN KEY (files_id) REFERENCES public.raw_template_files(id);
ALTER TABLE ONLY public.resource
    ADD CONSTRAINT resource_current_template_id_fkey FOREIGN KEY (current_template_id) REFERENCES public.raw_template(id);
ALTER TABLE ONLY public.resource_snapshot
    ADD CONSTRAINT resource_snapshot_snapshot_id_fkey FOREIGN KEY (snapshot_id) REFERENCES public.snapshot(id);
ALTER TABLE ONLY public.resource
    ADD CONSTRAINT resource_stack_id_fkey FOREIGN KEY (stack_id) REFERENCES public.stack(id);
ALTER TABLE ONLY public.resource
    ADD CONSTRAINT rsrc_attr_data_ref FOREIGN KEY (attr_data_id) REFERENCES public.resource_properties_data(id);
ALTER TABLE ONLY public.resource
    ADD CONSTRAINT rsrc_rsrc_prop_data_ref FOREIGN KEY (rsrc_prop_data_id) REFERENCES public.resource_properties_data(id);
ALTER TABLE ONLY public.snapshot
    ADD CONSTRAINT snapshot_stack_id_fkey FOREIGN KEY (stack_id) REFERENCES public.stack(id);
ALTER TABLE ONLY public.software_deployment
    ADD CONSTRAINT software_deployment_config_id_fkey FOREIGN KEY (config_id) REFERENCES public.software_config(id);
ALTER TABLE ONLY public.stack_lock
    ADD CONSTRAINT stack_lock_stack_id_fkey FOREIGN KEY (stack_id) REFERENCES public.stack(id);
ALTER TABLE ONLY public.stack
    ADD CONSTRAINT stack_prev_raw_template_id_fkey FOREIGN KEY (prev_raw_template_id) REFERENCES public.raw_template(id);
ALTER TABLE ONLY public.stack
    ADD CONSTRAINT stack_raw_template_id_fkey FOREIGN KEY (raw_template_id) REFERENCES public.raw_template(id);
ALTER TABLE ONLY public.stack_tag
    ADD CONSTRAINT stack_tag_stack_id_fkey FOREIGN KEY (stack_id) REFERENCES public.stack(id);
ALTER TABLE ONLY public.stack
    ADD CONSTRAINT stack_user_creds_id_fkey FOREIGN KEY (user_creds_id) REFERENCES public.user_creds(id);
ALTER TABLE ONLY public.sync_point
    ADD CONSTRAINT sync_point_stack_id_fkey FOREIGN KEY (stack_id) REFERENCES public.stack(id);

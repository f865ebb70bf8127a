# The DevStack plug-in of heat_lite: `enable_plugin heat_lite URL` in the place of `enable_plugin heat`.
# DevStack sources this file once for each phase: plugin.sh stack|unstack|clean [PHASE].

HEAT_LITE_DIR=$DEST/heat_lite
HEAT_CONF=/etc/heat/heat.conf
HEAT_BIN_DIR=$(get_python_exec_prefix)

function install_heat_lite {
    # OpenStack's constraints name a cbor2 that does not refuse maps with colliding keys
    sed -i '/^cbor2===/d' "$REQUIREMENTS_DIR/upper-constraints.txt"
    setup_develop "$HEAT_LITE_DIR"
    setup_develop "$HEAT_LITE_DIR/aliases"
    setup_develop "$HEAT_LITE_DIR/aliases/openstack-heat"
}

function configure_heat_lite {
    local cfn=$SERVICE_PROTOCOL://$SERVICE_HOST/heat-api-cfn
    sudo install -d -o "$STACK_USER" /etc/heat
    cp -rL "$HEAT_LITE_DIR"/etc/heat/* /etc/heat/
    iniset_rpc_backend heat $HEAT_CONF
    iniset $HEAT_CONF database connection "$(database_connection_url heat)"
    iniset $HEAT_CONF DEFAULT auth_encryption_key "$(generate_hex_string 16)"
    iniset $HEAT_CONF DEFAULT debug "$ENABLE_DEBUG_LOG_LEVEL"
    iniset $HEAT_CONF DEFAULT heat_metadata_server_url "$cfn"
    iniset $HEAT_CONF DEFAULT heat_waitcondition_server_url "$cfn/v1/waitcondition"
    iniset $HEAT_CONF DEFAULT num_engine_workers "${HEAT_ENGINE_WORKERS:-2}"
    iniset $HEAT_CONF DEFAULT region_name_for_services "$REGION_NAME"
    configure_keystone_authtoken_middleware $HEAT_CONF heat
    configure_keystone_authtoken_middleware $HEAT_CONF heat ec2authtoken
    # without a project: a trust has one
    iniset $HEAT_CONF trustee auth_type password
    iniset $HEAT_CONF trustee auth_url "$KEYSTONE_SERVICE_URI"
    iniset $HEAT_CONF trustee username heat
    iniset $HEAT_CONF trustee password "$SERVICE_PASSWORD"
    iniset $HEAT_CONF trustee user_domain_id default
    setup_logging $HEAT_CONF
    write_uwsgi_config /etc/heat/heat-api-uwsgi.ini heat.wsgi.api:application /heat-api "" heat-api
    write_uwsgi_config /etc/heat/heat-api-cfn-uwsgi.ini heat.wsgi.cfn:application /heat-api-cfn "" \
        heat-api-cfn
    # each stream of events occupies a thread
    iniset /etc/heat/heat-api-uwsgi.ini uwsgi threads 8
}

function create_heat_lite_accounts {
    local url=$SERVICE_PROTOCOL://$SERVICE_HOST
    create_service_user heat admin
    get_or_create_service heat orchestration "Orchestration"
    get_or_create_endpoint orchestration "$REGION_NAME" "$url/heat-api/v1/\$(project_id)s"
    get_or_create_service heat-cfn cloudformation "Orchestration by CloudFormation"
    get_or_create_endpoint cloudformation "$REGION_NAME" "$url/heat-api-cfn/v1"
    get_or_create_role heat_stack_user
    iniset $HEAT_CONF DEFAULT stack_user_domain_id \
        "$(get_or_create_domain heat 'Users and projects of stacks')"
    get_or_create_user heat_domain_admin "$SERVICE_PASSWORD" heat
    get_or_add_user_domain_role admin heat_domain_admin heat
    iniset $HEAT_CONF DEFAULT stack_domain_admin heat_domain_admin
    iniset $HEAT_CONF DEFAULT stack_domain_admin_password "$SERVICE_PASSWORD"
}

function start_heat_lite {
    recreate_database heat
    "$HEAT_BIN_DIR/heat-manage" db_sync
    run_process h-eng "$HEAT_BIN_DIR/heat-engine --config-file=$HEAT_CONF"
    run_process h-api "$(which uwsgi) --ini /etc/heat/heat-api-uwsgi.ini"
    run_process h-api-cfn "$(which uwsgi) --ini /etc/heat/heat-api-cfn-uwsgi.ini"
}

function stop_heat_lite {
    stop_process h-api
    stop_process h-api-cfn
    stop_process h-eng
}

case "$1-$2" in
    stack-install) install_heat_lite ;;
    stack-post-config) configure_heat_lite; create_heat_lite_accounts ;;
    stack-extra) start_heat_lite ;;
    unstack-*) stop_heat_lite ;;
    clean-*) sudo rm -rf /etc/heat ;;
esac

#!/bin/sh
# Starts Keystone after its bootstrap, which changes nothing the second time.
set -eu
cat >/etc/keystone/keystone.conf <<CONF
[DEFAULT]
log_dir =
[database]
connection = mysql+pymysql://keystone:${KEYSTONE_DB_PASSWORD}@mariadb/keystone
[token]
provider = fernet
CONF
for number in $(seq 1 60); do
    keystone-manage db_sync && break
    sleep 2
done
install -d -o keystone -g keystone /etc/keystone/fernet-keys /etc/keystone/credential-keys
keystone-manage fernet_setup --keystone-user keystone --keystone-group keystone
keystone-manage credential_setup --keystone-user keystone --keystone-group keystone
keystone-manage bootstrap --bootstrap-password "$ADMIN_PASSWORD" --bootstrap-region-id RegionOne \
    --bootstrap-public-url http://keystone:5000/v3 --bootstrap-internal-url http://keystone:5000/v3
exec keystone-wsgi-public --port 5000

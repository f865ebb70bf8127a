#!/bin/sh
# Starts MariaDB; the first time it creates the databases and their users.
set -eu
install -d -o mysql -g mysql /run/mysqld
if [ ! -d /var/lib/mysql/mysql ]; then
    mariadb-install-db --user=mysql --datadir=/var/lib/mysql >/dev/null
fi
cat >/run/mysqld/init.sql <<SQL
CREATE DATABASE IF NOT EXISTS heat CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
CREATE DATABASE IF NOT EXISTS keystone;
CREATE USER IF NOT EXISTS 'heat'@'%' IDENTIFIED BY '${HEAT_DB_PASSWORD}';
CREATE USER IF NOT EXISTS 'keystone'@'%' IDENTIFIED BY '${KEYSTONE_DB_PASSWORD}';
GRANT ALL PRIVILEGES ON heat.* TO 'heat'@'%';
GRANT ALL PRIVILEGES ON keystone.* TO 'keystone'@'%';
SQL
exec mariadbd --user=mysql --bind-address=0.0.0.0 --init-file=/run/mysqld/init.sql

#!/bin/sh
# Starts RabbitMQ with one user.
set -eu
printf 'default_user = heat\ndefault_pass = %s\nloopback_users = none\n' "$RABBIT_PASSWORD" \
    >/etc/rabbitmq/rabbitmq.conf
install -d -o rabbitmq -g rabbitmq /var/lib/rabbitmq
exec rabbitmq-server

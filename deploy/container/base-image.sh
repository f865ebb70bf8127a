#!/bin/sh
# Makes a base image from Debian's packages alone, for machines that reach no image registry.
#
#   base-image.sh [NAME]        e.g. localhost/heat-lite-base:bookworm, the default
#
# It needs root, debootstrap and podman or docker (ENGINE).
set -eu
name=${1:-localhost/heat-lite-base:bookworm}
engine=${ENGINE:-podman}
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
debootstrap --variant=minbase --include=python3,python3-venv,ca-certificates bookworm "$root"
tar -C "$root" --exclude='./var/cache/apt/archives/*.deb' --exclude='./var/lib/apt/lists/*' \
    --exclude='./usr/share/doc/*' --exclude='./usr/share/man/*' -c . | "$engine" import - "$name"

"""The commands of ``heat-lite-manage`` that look after a database and after resource types."""

import collections
import os
from collections.abc import Mapping

from oslo_config.cfg import ConfigOpts

from heat_lite.authoring import offline_types
from heat_lite.db import former_properties, migration
from heat_lite.db.maintenance import backup as backup_file, verification
from heat_lite.operate.maintenance import containers, guidelines

container_orphans = containers.container_orphans


def backup(conf: ConfigOpts) -> None:
    """Write all rows of the database to a file, while engines run or not."""
    counts = backup_file.write(conf.command.file, migration.version(conf.database.connection))
    print(f'{conf.command.file}: {_summary(counts)}')


def restore(conf: ConfigOpts) -> None:
    """Insert the rows of a backup into an empty database, also one of another kind."""
    counts = backup_file.read(conf.command.file, migration.version(conf.database.connection))
    print(f'{conf.command.file}: {_summary(counts)} restored')


def _summary(counts: Mapping[str, int]) -> str:
    return f'{sum(counts.values())} rows, {counts.get("stack", 0)} of them stacks'


def verify(conf: ConfigOpts) -> int:
    """Check all invariants of the database, and print what to do. Return 1 with findings."""
    present, newest = migration.version(conf.database.connection), migration.newest()
    if present != newest:
        raise ValueError(f'The database is at revision {present}, not {newest}: run db_sync first.')
    keys = [conf.auth_encryption_key, *conf.heat_lite.former_encryption_keys]
    found = collections.defaultdict(list)
    for finding in verification.verify(keys):
        found[finding.check, finding.cure].append(finding)
    for (check, cure), findings in found.items():
        for finding in findings:
            print(f'{check}: {finding.row}: {finding.text}')
        if len(findings) >= verification.LIMIT:
            print(f'{check}: only the first {verification.LIMIT} are listed')
        print(f'  {cure}')
    checks = len(verification.INVARIANTS) + 1
    print(f'{checks} checks: {sum(map(len, found.values()))} findings')
    return 1 if found else 0


def migrate_properties_data(conf: ConfigOpts) -> int:
    """Move properties from the columns of old versions of Heat to where they belong now."""
    moved = former_properties.move()
    for number, reason in moved.unreadable:
        print(f'event {number}: its properties cannot be read: {reason}')
    print(f'Moved the properties of {moved.resources} resources and {moved.events} events.')
    return 1 if moved.unreadable else 0


def custom_guidelines(conf: ConfigOpts) -> int:
    """Check descriptions, names and defaults of resource types. Return 1 with findings."""
    command = conf.command
    for folder in command.plugin_dir:
        if not os.path.isdir(folder):
            raise ValueError(f'{folder}: there is no such folder')
    registry = offline_types.OfflineTypes(command.plugin_dir).registry
    names = command.type or registry.names()
    chosen = [name for name in names if not any(word in name for word in command.exclude)]
    count = 0
    for name in chosen:
        for finding in guidelines.check(name, registry.get(name)):
            count += 1
            print(f'{name}: {finding}')
    print(f'{len(chosen)} resource types: {count} findings')
    return 1 if count else 0

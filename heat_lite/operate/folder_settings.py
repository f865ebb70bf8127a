"""The database and the key of a data folder in the configuration: of a service, and of commands."""

from pathlib import Path

import sqlalchemy
from oslo_config.cfg import ConfigOpts

from heat_lite.conf import identity
from heat_lite.operate import data_folder
from heat_lite.startup import settings


def configure(conf: ConfigOpts, folder: Path) -> None:
    """Set the database and the key to those of the folder.

    A private key of a configuration file stays. The public default key still decrypts: an older
    database can contain secrets under it.
    """
    conf.set_override(
        'connection', f'sqlite:///{folder.resolve()}/{data_folder.DATABASE}', 'database'
    )
    conf.set_default('auth_encryption_key', data_folder.encryption_key(folder))
    if settings.encryption_key(conf) == identity.WELL_KNOWN_KEY:
        conf.set_override('auth_encryption_key', data_folder.encryption_key(folder))
    former = [*conf.heat_lite.former_encryption_keys, identity.WELL_KNOWN_KEY]
    conf.set_override('former_encryption_keys', former, 'heat_lite')


def folder_of(conf: ConfigOpts) -> Path | None:
    """Return the data folder that ``--data-dir`` or the URL of the database names, or None.

    Raises FolderError.
    """
    url = conf.database.connection
    file = Path(url and sqlalchemy.make_url(url).database or '')
    folder = Path(conf.data_dir or file.parent)
    if conf.data_dir and not (folder / data_folder.DATABASE).exists():
        raise data_folder.FolderError(
            f'{folder} has no {data_folder.DATABASE}: it is no folder of "heat-lite up"'
        )
    is_its_file = conf.data_dir or file.name == data_folder.DATABASE
    return folder if is_its_file and (folder / data_folder.KEY).exists() else None

"""Makes the WSGI application from the configuration and its file of pipelines."""

import logging
from pathlib import Path

import paste.deploy
from oslo_config import cfg

from heat_lite.api import configuration
from heat_lite.common import paths

LOG = logging.getLogger(__name__)

NAME = 'heat-api'


def load_app(conf, name=None):
    """The application ``name`` of the pipelines file; without a name the one that [paste_deploy] flavor chooses.

    ``messaging.setup`` must have been called before the first request.
    """
    name = name or '-'.join(part for part in (NAME, conf.paste_deploy.flavor) if part)
    file = pipelines(conf)
    LOG.debug('Loading %s from %s', name, file)
    return paste.deploy.loadapp(f'config:{file}', name=name, global_conf=configuration.offer(conf))


def pipelines(conf):
    """The file of the pipelines: the operator's, or the one that comes with the package."""
    wanted = conf.paste_deploy.api_paste_config
    found = wanted if Path(wanted).is_absolute() else conf.find_file(wanted)
    if found:
        return found
    if wanted != 'api-paste.ini':
        raise cfg.ConfigFilesNotFoundError([wanted])
    return str(paths.data('etc', wanted))

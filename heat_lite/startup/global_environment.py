"""The global environment: environment files of the operator that apply to all stacks.

The files are in ``environment_dir``. The templates that they map types to are in
``template_dir``.
"""

import logging
import pathlib
from pathlib import Path
from typing import TYPE_CHECKING

from heat_lite import conf as options, resources
from heat_lite.common import exception, installation
from heat_lite.engine.registry import Registry
from heat_lite.resources.base.template_resource import SUBSTITUTES
from heat_lite.startup import plugins
from heat_lite.template import reader
from heat_lite.template.resource_registry import TypeRegistry, is_template

if TYPE_CHECKING:
    from oslo_config.cfg import ConfigOpts

LOG = logging.getLogger(__name__)
SECTION = 'resource_registry'
KEYSTONE_BACKEND = (
    'keystone_backend = {} in [DEFAULT]: the client of Keystone is built in and cannot be '
    'replaced. Remove the option. A cloud without Keystone needs a cloud_backend (docs/plugins.md).'
)
#: the template of AWS::ElasticLoadBalancing::LoadBalancer unless the operator configures another
LOAD_BALANCER_TEMPLATE = 'AWS_ElasticLoadBalancing.template'


def build_registry(conf: 'ConfigOpts') -> Registry:
    """Return the registry of all types, including plug-ins, with the operator's mappings.

    Raises ConfigurationError for a ``cloud_backend`` that cannot be loaded, and for a
    ``keystone_backend`` other than that of Heat.
    """
    if conf.keystone_backend not in (None, '', options.service.HEAT_KEYSTONE_BACKEND):
        raise exception.ConfigurationError(KEYSTONE_BACKEND.format(conf.keystone_backend))
    mappings, texts = load(conf.environment_dir, conf.template_dir)
    _read_template(
        conf.loadbalancer_template or LOAD_BALANCER_TEMPLATE,
        pathlib.Path(conf.template_dir),
        texts,
        LOAD_BALANCER_TEMPLATE,
    )
    for target in (SUBSTITUTES[name][1] for name in SUBSTITUTES if name in texts):
        _read_template(target, pathlib.Path(conf.template_dir), texts)
    registry = plugins.install(resources.build_registry(mappings, texts), conf.plugin_dirs)
    if conf.cloud_backend not in (None, '', options.service.HEAT_CLOUD_BACKEND):
        registry.cloud_backend = plugins.load_cloud_backend(conf.cloud_backend)
    return registry


def load(
    environment_dir: str | Path, template_dir: str | Path
) -> tuple[TypeRegistry, dict[str, str]]:
    """Return (TypeRegistry, {template name: text}).

    A file that cannot be read is logged and skipped. If ``environment_dir`` does not exist, the
    environment of the package is used.
    """
    folder = pathlib.Path(environment_dir)
    if not folder.is_dir():
        folder = installation.data_path('etc', 'environment.d')
    entries: dict = {}
    for path in _files_of(folder):
        try:
            entries.update(
                reader.parse_environment(path.read_text(encoding='utf-8')).get(SECTION) or {}
            )
        except (OSError, ValueError) as error:
            LOG.error('Environment file %s is left out, since it cannot be read: %s', path, error)
    texts: dict[str, str] = {}
    for target in {value for value in entries.values() if is_template(value)}:
        _read_template(target, pathlib.Path(template_dir), texts)
    return TypeRegistry(entries, records=False), texts


def _files_of(folder: Path) -> list[Path]:
    """Return the files of a folder by their names: all but hidden ones, as Heat reads them."""
    return [path for path in sorted(folder.glob('[!.]*')) if path.is_file()]


def _read_template(
    target: str, folder: Path, texts: dict[str, str], name: str | None = None
) -> None:
    """Read a template into ``texts`` under ``name``, by default under ``target``.

    ``target``: a ``file://`` URL or a file name in ``folder``; the templates of the package are
    the fallback. Templates at other URLs are skipped: they are fetched when they are used.
    """
    path = (
        pathlib.Path(target.removeprefix('file://'))
        if target.startswith('file://')
        else folder / target
    )
    if '://' in target and not target.startswith('file://'):
        return
    packaged = installation.data_path('etc', 'templates', path.name)
    if not path.is_file() and packaged.is_file():
        path = packaged
    try:
        texts[name or target] = path.read_text(encoding='utf-8')
    except OSError as error:
        LOG.error(
            'Template %s cannot be read; the resource types mapped to it cannot be used: %s',
            path,
            error,
        )

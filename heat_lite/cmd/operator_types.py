"""What the operator says about type names for all stacks: environment files in ``environment_dir``, and the templates that they name."""

import logging
import pathlib

from heat_lite import resources
from heat_lite.cmd import plugins
from heat_lite.common import paths
from heat_lite.template import format
from heat_lite.template.registry import TypeRegistry, is_template

LOG = logging.getLogger(__name__)
SECTION = 'resource_registry'
#: what load balancers are made of, unless the operator names another template
BALANCER = 'AWS_ElasticLoadBalancing.template'


def registry(conf):
    """All types, those of plug-ins among them, as the operator's files map them."""
    mappings, texts = load(conf.environment_dir, conf.template_dir)
    _read(conf.loadbalancer_template or BALANCER, pathlib.Path(conf.template_dir), texts, BALANCER)
    return plugins.install(resources.build_registry(mappings, texts), conf.plugin_dirs)


def load(environment_dir, template_dir):
    """(TypeRegistry, {name of a template: its text}). A file that cannot be read is named in the log and left out.

    Without such a directory the environment that comes with the package counts.
    """
    folder = pathlib.Path(environment_dir)
    if not folder.is_dir():
        folder = paths.data('etc', 'environment.d')
    entries = {}
    for path in sorted(folder.glob('*.yaml')):
        try:
            entries.update(format.parse_environment(path.read_text(encoding='utf-8')).get(SECTION) or {})
        except (OSError, ValueError) as error:
            LOG.error('The environment file %s is left out: %s', path, error)
    texts = {}
    for target in {value for value in entries.values() if is_template(value)}:
        _read(target, pathlib.Path(template_dir), texts)
    return TypeRegistry(entries), texts


def _read(target, folder, texts, name=None):
    """A template by its ``file://`` URL or its name in the folder, or among those that come with the package; others are fetched when
    they are used."""
    path = pathlib.Path(target.removeprefix('file://')) if target.startswith('file://') else folder / target
    if '://' in target and not target.startswith('file://'):
        return
    if not path.is_file():
        path = next(filter(pathlib.Path.is_file, [paths.data('etc', 'templates', path.name)]), path)
    try:
        texts[name or target] = path.read_text(encoding='utf-8')
    except OSError as error:
        LOG.error('The template %s, which stands for a type, cannot be read: %s', path, error)

"""What is remembered of the cloud, and for how long."""

from oslo_config import cfg


def _cache(what, seconds):
    return [
        cfg.BoolOpt('caching', default=True, help=f'Whether {what} is remembered.'),
        cfg.IntOpt('expiration_time', default=seconds, help='Seconds for which it is remembered.'),
    ]


GROUPS = {
    'constraint_validation_cache': _cache('the outcome of checking a value against the cloud', 60),
    'service_extension_cache': _cache('the list of extensions of a service', 3600),
    'resource_finder_cache': _cache('the id found for a name', 3600),
}

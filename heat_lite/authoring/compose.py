"""The conversion of a compose file to a template: services, networks, volumes, secrets, configs."""

import os
import pathlib
import re
from collections.abc import Iterable, Mapping

from heat_lite.authoring import compose_build, compose_service, compose_values as values
from heat_lite.common.value_types import Value, Values, without_none

TYPE = 'HeatLite::Container::'
VERSION = '2021-04-16'
JOB_ENDS = 'service_completed_successfully'
#: what a job has not
NOT_OF_JOBS = (
    'ports',
    'restart',
    'health_check',
    'stop_signal',
    'stop_grace_period',
)
KNOWN = {'version', 'name', 'services', 'networks', 'volumes', 'secrets', 'configs'}
RANGE_KEYS = ('subnet', 'gateway', 'ip_range')
HOST_PATHS = 'paths of the host are used, which needs the option allow_host_paths'
PRIVILEGED = 'containers have rights on the host, which needs the option allow_privileged'


def _named(given: Values, **more: Value) -> Values:
    """Return the properties that networks and volumes have in common, and more."""
    return {
        'name': given.get('name'),
        'driver': given.get('driver'),
        'driver_options': given.get('driver_opts'),
        **more,
        'labels': values.mapping(given.get('labels')),
    }


class Conversion:
    """The template of a compose file, as ``compose_reader`` returns it.

    ``folder``: where the template will be, so that it finds its files. ``environ``: the variables
    of secrets and configs. ``problems`` name what is left out, ``notes`` what the author must
    look at.
    """

    def __init__(
        self,
        compose: Values,
        folder: str | pathlib.Path = '.',
        environ: Mapping[str, str] | None = None,
    ) -> None:
        self._compose, self._folder = compose, pathlib.Path(os.path.abspath(folder))
        self._environ = environ or {}
        self._services = {name: each or {} for name, each in (compose['services'] or {}).items()}
        self.problems: list[str] = []
        self.notes: list[str] = []
        self.resources: Values = {}

    def template(self) -> Values:
        """Return the template as a map."""
        for key in sorted(self._compose.keys() - KNOWN):
            if not key.startswith('x-'):
                self.cannot(key)
        self._networks()
        self._volumes()
        for kind, name in (('secrets', 'Secret'), ('configs', 'Config')):
            self._texts(kind, name)
        jobs = self._jobs()
        for name, service in self._services.items():
            try:
                self._service(name, service, name in jobs)
            except KeyError as error:
                raise ValueError(f'services.{name}: a map lacks the key {error}') from error
            except ValueError as error:
                raise ValueError(f'services.{name}: {error}') from error
            except (AttributeError, TypeError) as error:
                raise ValueError(
                    f'services.{name}: a part has another form in compose files'
                ) from error
        self._add_notes()
        return {
            'heat_template_version': VERSION,
            'description': 'Converted from a compose file.',
            'resources': self.resources,
        }

    def cannot(self, place: str, why: str = 'a template has no such thing') -> None:
        self.problems.append(f'{place}: left out, {why}')

    def report(
        self, place: str, given: Values | None, known: Iterable[str], ignored: Iterable[str] = ()
    ) -> None:
        """Name the keys that are not carried over."""
        for key in sorted((given or {}).keys() - {*known, *ignored}):
            if not str(key).startswith('x-'):
                self.cannot(f'{place}.{key}')

    def add(self, name: str, kind: str, properties: Values, **parts: Value) -> None:
        given = values.given(properties)
        body = {'type': f'{TYPE}{kind}', **parts}
        self.resources[name] = {**body, **({'properties': given} if given else {})}

    def url_of(self, path: str | pathlib.Path) -> str:
        """Return the name of a file, as the template refers to it."""
        return os.path.relpath(path, self._folder)

    def reference(self, section: str, name: str) -> Value:
        """Return the reference of a network or volume; the name of an external one."""
        declared = (self._compose.get(section) or {}).get(name) or {}
        if external := values.external(declared):
            return external if isinstance(external, str) else declared.get('name') or name
        return {'get_resource': f'{name}_{section[:-1]}'}

    # ------------------------------------------------------------ networks, volumes, texts

    def _networks(self) -> None:
        declared = self._compose.get('networks') or {}
        used = [
            values.names(each.get('networks')) or ['default']
            for each in self._services.values()
            if not each.get('network_mode')
        ]
        used_names = {each for some in used for each in some}
        for name in sorted(used_names - declared.keys() - {'default'}):
            self.cannot(f'networks.{name}', 'it is not declared')
        for name in sorted(used_names):
            self._network(name, declared.get(name) or {})

    def _network(self, name: str, given: Values) -> None:
        if values.external(given):
            return
        place, ipam = f'networks.{name}', given.get('ipam') or {}
        self.report(place, given, values.NETWORK_KEYS)
        self.report(f'{place}.ipam', ipam, {'config', 'driver'})
        ranges = ipam.get('config') or [{}]
        for each in ranges[1:]:
            self.cannot(f'{place}.ipam.config', f'a network has one subnet, and not {each}')
        for key in sorted(ranges[0].keys() - {*RANGE_KEYS}):
            self.cannot(f'{place}.ipam.config.{key}')
        self.add(
            f'{name}_network',
            'Network',
            _named(
                given,
                **{key: given.get(key) for key in ('internal', 'attachable', 'enable_ipv6')},
                **{key: ranges[0].get(key) for key in RANGE_KEYS},
            ),
        )

    def _volumes(self) -> None:
        declared = self._compose.get('volumes') or {}
        for name, given in declared.items():
            given = given or {}
            if values.external(given):
                continue
            self.report(f'volumes.{name}', given, values.VOLUME_KEYS)
            self.add(f'{name}_volume', 'Volume', _named(given))

    def _texts(self, section: str, kind: str) -> None:
        for name, given in (self._compose.get(section) or {}).items():
            given, place = given or {}, f'{section}.{name}'
            variable = given.get('environment')
            content: Value
            if 'file' in given:
                content = {'get_file': self.url_of(given['file'])}
            elif 'content' in given:
                content = given['content']
            elif variable is not None and variable in self._environ:
                content = self._environ[variable]
            else:
                self.cannot(place, 'give it by "file" or "content"')
                continue
            self.report(place, given, {'file', 'content', 'environment', 'name', 'labels'})
            self.add(f'{name}_{section[:-1]}', kind, {'content': content})

    # ------------------------------------------------------------ services

    def _jobs(self) -> set[str]:
        """Return the names of services whose end others wait for."""
        return {
            other
            for each in self._services.values()
            for other, condition in values.dependencies(each.get('depends_on')).items()
            if condition == JOB_ENDS
        }

    def _service(self, name: str, given: Values, is_job: bool) -> None:
        place = f'services.{name}'
        service = compose_service.Service(self, name, given)
        properties = service.properties()
        if given.get('build'):
            properties['image'] = self._build(name, given)
        elif not given.get('image'):
            raise ValueError('it has neither "image" nor "build"')
        elif given.get('platform'):
            self.cannot(f'{place}.platform', 'the engine chooses the platform of an image')
        needed = service.needed(self._services)
        parts = {'depends_on': needed} if needed else {}
        if is_job:
            for key in NOT_OF_JOBS:
                if properties.pop(key, None) not in (None, '', [], {}, 'no'):
                    self.cannot(f'{place}.{key}', 'others wait for its end, so it is a job')
            self.add(name, 'Job', properties, **parts)
            return
        count = service.replicas()
        if count == 1:
            self.add(name, 'Container', properties, **parts)
        else:
            self.resources[name] = self._group(place, given, properties, count, parts)

    def _group(
        self, place: str, given: Values, properties: Values, count: int, parts: Values
    ) -> Values:
        update = (given.get('deploy') or {}).get('update_config') or {}
        self.report(f'{place}.deploy.update_config', update, {'parallelism', 'delay', 'order'})
        batch = values.whole_number(update.get('parallelism', 1)) or count or 1
        pause = values.whole_seconds(update.get('delay')) or 0
        if properties.pop('name', None):
            self.cannot(f'{place}.container_name', 'there are several containers')
        if count > 1 and any('host_port' in each for each in properties.get('ports') or ()):
            self.cannot(
                f'{place}.ports', 'only one of several containers can have a port of the host'
            )
            properties['ports'] = [
                {key: each for key, each in port.items() if key != 'host_port'}
                for port in properties['ports']
            ]
        return {
            'type': 'OS::Heat::ResourceGroup',
            **parts,
            'properties': {
                'count': count,
                'resource_def': {
                    'type': f'{TYPE}Container',
                    'properties': values.given(properties),
                },
            },
            'update_policy': {'rolling_update': {'max_batch_size': batch, 'pause_time': pause}},
        }

    def _build(self, name: str, given: Values) -> Value:
        build, place = given['build'], f'services.{name}.build'
        build = build if isinstance(build, dict) else {'context': build}
        self.report(place, build, values.BUILD_KEYS, values.BUILD_IGNORED)
        folder, file = str(build.get('context', '.')), build.get('dockerfile') or 'Dockerfile'
        if re.match(r'\w+://|git@', folder):
            self.cannot(place, f'the context {folder} is not a folder of this machine')
            return given.get('image') or name
        try:
            files = compose_build.context(pathlib.Path(folder), file, self.url_of)
        except compose_build.ContextError as error:
            self.cannot(place, str(error))
            return given.get('image') or name
        if build.get('dockerfile_inline'):
            files[file] = build['dockerfile_inline']
        self.add(
            f'{name}_image',
            'Image',
            {
                'name': given.get('image'),
                'context': files,
                'dockerfile': build.get('dockerfile'),
                'build_args': self._arguments(build.get('args')),
                'target': build.get('target'),
                'platform': next(iter(values.names(build.get('platforms'))), given.get('platform')),
                'labels': values.mapping(build.get('labels')),
            },
        )
        return {'get_resource': f'{name}_image'}

    def _arguments(self, given: Value) -> Values:
        """Return arguments of a build; one without a value has that of the environment."""
        found = {
            name: self._environ.get(name) if value is None else value
            for name, value in values.mapping(given).items()
        }
        return without_none(found)

    def _add_notes(self) -> None:
        """Name what the operator has to allow."""
        containers = {name: values.container_of(each) for name, each in self.resources.items()}
        paths = [
            mount['host_path']
            for each in containers.values()
            for mount in each.get('volumes') or ()
            if 'host_path' in mount
        ]
        paths += [
            device['path_on_host']
            for each in containers.values()
            for device in each.get('devices') or ()
        ]
        if paths:
            self.notes.append(f'{HOST_PATHS}: {", ".join(dict.fromkeys(paths))}')
        strong = [name for name, each in containers.items() if values.is_privileged(each)]
        if strong:
            self.notes.append(f'{PRIVILEGED}: {", ".join(strong)}')

"""HeatLite::Container::Image."""

import base64
import binascii
import contextlib
import io
import re

from heat_lite.clients import errors
from heat_lite.common import container_labels, exception
from heat_lite.common.value_types import without_none
from heat_lite.resources.containers import archives, container_body
from heat_lite.resources.containers.engine_object import (
    ENDPOINT_PROPERTY,
    LABELS_PROPERTY,
    NAME,
    EngineObject,
    ThreadedCall,
)
from heat_lite.resources.containers.process import pull_error
from heat_lite.template.schema import (
    OURS,
    boolean,
    integer_attribute,
    list_,
    list_attribute,
    map_,
    string,
    text,
)

#: how Podman says that a layer of its cache is no longer there
LOST_LAYER = re.compile('Using cache.*(image|layer) not known', re.DOTALL)
#: characters of a reason that the output of a failed build may take
OUTPUT_LENGTH = 600
#: the name of an image without one
NAMELESS = '<none>:<none>'
FILE_KEYS = {'content', 'base64', 'mode'}
OCTAL = re.compile('0?[0-7]{3,4}')


class Image(EngineObject):
    """An image: pulled from a registry, built from files, or imported from an archive."""

    resource_type = 'HeatLite::Container::Image'
    since = OURS
    entity = 'images'
    noun = 'image'
    structured = ('context',)
    shown_at = {'name': 'RepoTags.0'}

    properties_schema = {
        'name': string(
            'Name and tag of the image, such as docker.io/library/nginx:1.27. An image to build '
            'or to import gets a generated name if it is omitted.'
        ),
        'docker_endpoint': ENDPOINT_PROPERTY,
        'pull_policy': string(
            'Policy that decides when the image is pulled.',
            default='if_not_present',
            allowed=['if_not_present', 'always', 'never'],
        ),
        'registry_auth': map_(
            'Credentials for the registry.',
            {
                'username': string('Name of the user.', required=True),
                'password': string('Password or token of the user.', required=True),
            },
        ),
        'platform': string('Platform of the image, such as linux/arm64.'),
        'context': map_(
            'Files to build the image from: paths and texts. The file that dockerfile names is '
            'among them. Instead of a text, a map has "content" or "base64", and "mode", such as '
            '"0755".'
        ),
        'dockerfile': string('Path of the file with the steps of the build.', default='Dockerfile'),
        'build_args': map_('Arguments of the build.', default={}),
        'target': string('Stage of the file at which the build ends.'),
        'archive': string('Archive (tar) of the file system of an image to import, in base64.'),
        'changes': list_(
            'Instructions for an imported image, such as CMD ["/bin/sh"].', default=[]
        ),
        'labels': LABELS_PROPERTY,
        'keep': boolean(
            'Whether the image stays when the resource is deleted. By default, pulled images stay.',
            update_allowed=True,
        ),
    }
    attributes_schema = {
        'id': text('Id of the image.', wire='Id'),
        'tags': list_attribute('Names of the image.', wire='RepoTags'),
        'digests': list_attribute('Digests of the image in registries.', wire='RepoDigests'),
        'size': integer_attribute('Size of the image in bytes.', wire='Size'),
        'architecture': text('Architecture of the image.', wire='Architecture'),
    }

    def validate(self):
        super().validate()
        given = [name for name in ('context', 'archive') if self.properties[name]]
        if len(given) > 1 or not given and not self.properties['name']:
            raise exception.StackValidationFailed(
                message=f'{self.name}: give "name" to pull an image, "context" to build one, or '
                '"archive" to import one'
            )
        if given == ['context'] and self.properties['dockerfile'] not in self.properties['context']:
            raise exception.StackValidationFailed(
                message=f'{self.name}: the context has no file "{self.properties["dockerfile"]}"; '
                'add it, or name the file in "dockerfile"'
            )

        for path, each in (self.properties['context'] or {}).items():
            given = each if isinstance(each, dict) else {'content': each}
            nested = any(isinstance(part, dict | list) for part in given.values())
            mode = container_body.text_of(given.get('mode')) or '0644'
            if nested or given.keys() - FILE_KEYS or not OCTAL.fullmatch(mode):
                raise exception.StackValidationFailed(
                    message=f'{self.name}: the file "{path}" in "context" is a text, or a map with '
                    '"content" or "base64", and "mode", an octal number such as "0644"'
                )

    def object_name(self):
        """Return the name with the tag."""
        name = self.data().get(NAME) or self.stored_property('name')
        if name is None:
            slug = re.sub(r'[^a-z0-9]+', '-', self.physical_resource_name().lower()).strip('-')
            return f'heat-lite/{slug}:latest'
        return name if ':' in name.rpartition('/')[2] or '@' in name else f'{name}:latest'

    @staticmethod
    def name_of(shown):
        return next(iter(shown.get('RepoTags') or ()), None)

    def handle_adopt(self, resource_data):
        super().handle_adopt(resource_data)
        self.resource_id_set(self.inspect()['Id'])  # an import may name the image

    def described(self, found):
        """Return the name and the labels that are given, where engines show others for them."""
        values, stored = super().described(found), self.stored_properties() or {}
        if stored.get('name') and self.find_existing() == found['Id']:
            values['name'] = stored['name']
        if not self._is_made():  # they are those of its author
            values['labels'] = stored.get('labels') or {}
        return values

    def live_properties(self):
        """Return the name; an image that a stack has made goes with its new owner, too."""
        labels = container_body.labels(self.inspect())
        keep = {'keep': False} if container_labels.PROJECT in labels else {}
        return {**super().live_properties(), **keep}

    def handle_create(self):
        if self.properties['context']:
            yield from self._build()
        elif self.properties['archive']:
            yield from self._import()
        elif self._wants_pull():
            yield from self._pull()
        found = yield from self.request('inspect_image', self.object_name())
        self.resource_id_set(found['Id'])
        if self._is_made():
            yield from self._remove_nameless()

    def handle_update(self, definition, tmpl_diff, prop_diff):
        return
        yield  # makes this handler a generator

    def _wants_pull(self):
        policy = self.properties['pull_policy']
        return policy == 'always' or policy != 'never' and self.find_existing() is None

    def _pull(self):
        given = self.properties['registry_auth']
        answer = yield from self.request_in_thread(
            'pull',
            self.object_name(),
            auth_config=dict(given) if given else None,
            platform=self.properties['platform'],
        )
        failed = pull_error(answer)
        if failed:
            raise errors.BadRequest(f'the image {self.object_name()} cannot be pulled: {failed}')

    def _build(self):
        """Generator: build the image; without the cache if another build or a delete has removed
        what was taken from it.
        """
        said = yield from self._output_of_build(nocache=False)
        if said and LOST_LAYER.search(said):
            said = yield from self._output_of_build(nocache=True)
        if said:
            raise errors.BadRequest(
                f'the build of {self.object_name()} failed: {said[-OUTPUT_LENGTH:]}'
            )

    def _output_of_build(self, nocache):
        """Generator: build the image; return what a failed build says, or None."""
        files = {path: _file(path, each) for path, each in self.properties['context'].items()}
        options = {
            'fileobj': io.BytesIO(archives.pack_files(files)),
            'custom_context': True,
            'tag': self.object_name(),
            'dockerfile': self.properties['dockerfile'],
            # an argument without a value is that of the file
            'buildargs': container_body.map_of_texts(without_none(self.properties['build_args'])),
            'target': self.properties['target'],
            'platform': self.properties['platform'],
            'labels': self.labels(),
            'rm': True,
            'forcerm': True,
            'nocache': nocache,
            'decode': True,
        }
        stream = self.container_engine().stream
        lines = yield from ThreadedCall(lambda: list(stream('build', **options))).wait()
        if any('error' in each for each in lines):
            return ''.join(each.get('stream') or each.get('error') or '' for each in lines)
        return None

    def _import(self):
        data = _decoded(self.properties['archive'], 'the archive')
        repository, _, tag = self.object_name().rpartition(':')
        label = f'LABEL {container_labels.OBJECT}={self.physical_resource_name()}'
        changes = [*map(container_body.text_of, self.properties['changes']), label]
        yield
        archives.import_archive(self.container_engine().call, data, repository, tag, changes)

    def find_existing(self):
        """Return the id of the image with the name: images are not distinguished further."""
        try:
            return self.container_engine().call('inspect_image', self.object_name())['Id']
        except errors.NotFound:
            return None

    def delete_object(self):
        if self._keeps():
            return
        # by name: the same image may have other names; but its replacement may have the name now
        shown = yield from self.request_if_found('inspect_image', self.object_name())
        is_named = shown is not None and shown['Id'] == self.resource_id
        name = self.object_name() if is_named else self.resource_id
        try:
            yield from self.request_if_present('remove_image', name)
        except errors.Conflict:
            if is_named:
                raise  # else: other names or containers need it
        if self._is_made():
            yield from self._remove_nameless()

    def _remove_nameless(self):
        """Generator: remove what builds of this resource have left without a name.

        The build of a service that was killed goes on, and of two builds one gets the name.
        """
        # Podman may still not be able to list them; the create does not depend on it
        for each in (yield from self.request_if_found('images', filters=self.own_filter())) or ():
            tags = [tag for tag in each.get('RepoTags') or () if tag != NAMELESS]
            if not tags and each['Id'] != self.resource_id:
                with contextlib.suppress(errors.Conflict):  # a container uses it
                    yield from self.request_if_present('remove_image', each['Id'])

    def _is_made(self):
        """Return whether the resource makes the image, and does not pull it."""
        return bool(self.stored_property('context') or self.stored_property('archive'))

    def _keeps(self):
        keep = self.stored_property('keep')
        return not self._is_made() if keep is None else keep

    def get_reference_id(self):
        """Return the name; the id of a built image with a given name, as the next one has it."""
        if self.resource_id is None:
            return super().get_reference_id()
        by_id = self._is_made() and self.stored_property('name')
        return self.resource_id if by_id else self.object_name()

    def resolve_attribute(self, name):
        found = self.show()
        return found and found.get(self.attributes_schema[name].wire)


def _file(path, given):
    """Return a file of a context (see ``archives.pack_files``). Raises Error for invalid base64."""
    if not isinstance(given, dict):
        given = {'content': given}
    content = container_body.text_of(given.get('content'))
    if given.get('base64') is not None:
        content = _decoded(given['base64'], f'the file "{path}"')
    return {'content': content, 'mode': container_body.text_of(given.get('mode'))}


def _decoded(text, what):
    try:
        # lines may be broken and indented; any other foreign character would be left out in silence
        return base64.b64decode(''.join(str(text).split()), validate=True)
    except (binascii.Error, ValueError) as error:
        raise exception.Error(f'{what} is not in base64: {error}') from error

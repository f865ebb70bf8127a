"""The types of Glance beside images: members, definitions of metadata, images of volumes."""

from heat_lite.clients import errors
from heat_lite.common import exception, status
from heat_lite.resources.base.cloud import CloudResource, Rest
from heat_lite.resources.base.named_object import DeletedFirst
from heat_lite.resources.openstack import glance
from heat_lite.template.schema import (
    OURS,
    boolean,
    description_property,
    list_,
    map_,
    name_property,
    parent,
    string,
    switch,
)

#: what a project answers to the offer of an image
ANSWERS = ['accepted', 'rejected', 'pending']


def _image_property(**options):
    return parent('glance.image', 'Image, by name or id.', **options)


class ImageMember(CloudResource):
    """A project that a shared image is offered to."""

    resource_type = 'OS::Glance::ImageMember'
    since = OURS
    rest = Rest('glance', '/images/{image}/members', None, id='member_id')
    observed_keys = {'project': 'member_id', 'status': 'status'}

    properties_schema = {
        'image': _image_property(),
        'project': string(
            'Project that gets the image, by name or id.',
            required=True,
            ref='keystone.project',
            wire='member',
        ),
        'status': string(
            'Answer to the offer. Without administrator rights, only the project itself gives it.',
            update_allowed=True,
            allowed=ANSWERS,
            sent=False,
        ),
    }
    attributes_schema = {'status': 'Whether the project has accepted the image.'}

    def normalize(self, found):
        """Return the member without its answer, unless the template gives one."""
        given = self.stored_properties().get('status')
        return {**found, 'status': found['status'] if given else None}

    def follow_up(self, action, diff):
        if diff.get('status'):
            yield from self.update_object({'status': diff['status']})

    def objects(self):
        """Return None: only shared images show members."""
        return None

    def find_existing(self):
        """Return the id of the project if it is a member."""
        members = self.client().list(self.collection(), 'members')
        wanted = self.stored_property('project')
        return next((wanted for each in members if each['member_id'] == wanted), None)


class ImageAcceptance(CloudResource):
    """The acceptance of an image that another project shares: lists show it from then on."""

    resource_type = 'OS::Glance::ImageAcceptance'
    since = OURS
    rest = Rest('glance', '/images/{image}/members', None, id='member_id')
    repeatable = True

    properties_schema = {
        'image': string('Id of the image.', required=True, sent=False),
        'status': string(
            'Answer to the offer.',
            default='accepted',
            update_allowed=True,
            allowed=ANSWERS,
        ),
        'member': string(
            'Project that answers, by name or id; by default that of the request. Another one'
            ' requires administrator rights.',
            ref='keystone.project',
            sent=False,
        ),
    }

    def _member(self):
        given = self.resource_id or self.properties['member']
        return given or self.stack.clients().session().get_project_id()

    def object_path(self):
        return f'{self.collection()}/{self._member()}'

    def create_object(self, values):
        yield from self.update_object(values)
        return {'member_id': self._member()}

    def delete_object(self):
        """Generator: leave the offer open, if there is one."""
        yield from self.delete_if_present(self._update, {'status': 'pending'})

    def objects(self):
        """Return None: lists contain accepted images only."""
        return None


#: keys that Glance adds to the parts of a namespace
ADDED = {'created_at', 'updated_at', 'self', 'schema'}


class MetadefNamespace(DeletedFirst):
    """A namespace of definitions of metadata, which interfaces offer for images and others."""

    resource_type = 'OS::Glance::MetadefNamespace'
    since = OURS
    rest = Rest('glance', '/metadefs/namespaces', None, id='namespace')

    properties_schema = {
        'name': name_property(update_allowed=False, max=80, wire='namespace'),
        'description': description_property(),
        'display_name': string('Name that interfaces show.', update_allowed=True, max=80),
        'objects': list_('Groups of definitions, as Glance describes them.', map_()),
        'properties': map_('Definitions by name, each as Glance describes it.'),
        'protected': switch('Whether only a change of this can delete it.', default=False),
        'resource_types': list_(
            'Types of objects that the definitions are for.',
            {
                'name': string('Type, for example OS::Glance::Image.', required=True),
                'prefix': string('Text before the names of the definitions.'),
                'properties_target': string('Part of the object that holds them.'),
            },
            wire='resource_type_associations',
        ),
        'tags': list_(
            'Tags that interfaces offer.', {'name': string('Tag.', required=True, max=80)}
        ),
        'visibility': string(
            'Who sees the definitions.',
            default='private',
            update_allowed=True,
            allowed=['private', 'public'],
        ),
    }

    def normalize(self, found):
        """Return the namespace without what Glance adds to its parts."""
        parts = {
            name: [{key: each[key] for key in each.keys() - ADDED if each[key]} for each in listed]
            for name in ('objects', 'resource_type_associations')
            if (listed := found.get(name))
        }
        return {**found, **parts}

    def changes(self, changed, diff):
        """Return all values that can change: Glance replaces them together."""
        names = ('display_name', 'description', 'visibility', 'protected')
        given = {name: self.properties[name] for name in names}
        return {
            'namespace': self.resource_id,
            **{name: value for name, value in given.items() if value is not None},
        }

    def find_existing(self):
        """Return the generated name, if there is a namespace of it."""
        if not self.has_generated_name():
            return super().find_existing()
        path = f'{self.collection()}/{self.physical_resource_name()}'
        return self.client().show(path)['namespace']

    def delete_object(self):
        if self.stored_property('protected'):
            values = {'namespace': self.resource_id, 'protected': False}
            yield from self.delete_if_present(self._update, values)
        yield from super().delete_object()


#: properties that the request to Cinder does not have
LATER = ('hidden', 'protected', 'tags', 'visibility')


class VolumeImage(glance.GlanceImage):
    """An image that is made of a volume."""

    resource_type = 'OS::Glance::VolumeImage'
    since = OURS
    required_service = 'cinder'
    rest = Rest('glance', '/images', None, ready=('active',), failed=('killed', 'deleted'))

    properties_schema = {
        'name': name_property(update_allowed=False),
        'volume': string('Volume, by name or id.', required=True, ref='cinder.volume', sent=False),
        'container_format': string('Container format of the image.', default='bare'),
        'disk_format': string('Disk format of the image.', default='raw'),
        'force': boolean('Whether a server may use the volume.', default=False),
        'hidden': glance.hidden_property(),
        'protected': boolean('Whether the image is protected from deletion.', update_allowed=True),
        'tags': list_('Tags of the image.', string(), update_allowed=True),
        'visibility': string(
            'Visibility of the image.',
            update_allowed=True,
            allowed=['public', 'private', 'community', 'shared'],
        ),
    }
    attributes_schema = {'checksum': 'Checksum of the image.', 'status': 'Status of the image.'}

    def create_object(self, values):
        """Generator: let Cinder make the image: it knows it at once, and fills it later."""
        names = ('container_format', 'disk_format', 'force')
        body = {'image_name': values['name'], **{name: values[name] for name in names}}
        path = f'/volumes/{self.properties["volume"]}/action'
        request = self.client('cinder').request_json
        body = {'os-volume_upload_image': body}
        made = (yield from self.call_with_retry(request, 'POST', path, body))[
            'os-volume_upload_image'
        ]
        return {'id': made['image_id'], 'status': 'queued'}

    def follow_up(self, action, diff):
        if action == status.CREATE:
            given = {name: diff[name] for name in LATER if name in diff}
            yield from self.update_object(self._changed(given))

    def handle_create(self):
        """Generator: tell why the image is gone: Cinder deletes what it could not fill."""
        try:
            yield from super().handle_create()
        except errors.NotFound as error:
            if self.resource_id is None:
                raise
            reason = (
                'Cinder could not upload the volume; "openstack volume message list" tells more'
            )
            raise exception.ResourceInError(
                resource_status='deleted', status_reason=reason
            ) from error

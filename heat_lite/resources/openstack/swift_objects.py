"""OS::Swift::Object, OS::Swift::Account and OS::Swift::TempURL."""

import hashlib
from urllib.parse import quote, urlsplit

from heat_lite.clients import errors
from heat_lite.resources.base.cloud import ServiceResource
from heat_lite.resources.base.property_rules import conflict, filled
from heat_lite.resources.openstack.swift import MetadataResource
from heat_lite.template.schema import (
    OURS,
    integer,
    integer_attribute,
    live_text,
    map_,
    name_property,
    string,
)

#: {property of an object: its header}, and those that Swift shows as they are
HEADERS = {
    'content_disposition': 'Content-Disposition',
    'content_encoding': 'Content-Encoding',
    'delete_after': 'X-Delete-After',
    'delete_at': 'X-Delete-At',
    'object_manifest': 'X-Object-Manifest',
}
SHOWN = ('content_disposition', 'content_encoding', 'delete_at', 'object_manifest')


def shown_values(head):
    """Return the properties in SHOWN that the headers of an object have."""
    found = {name: head[key] for name in SHOWN if (key := HEADERS[name].lower()) in head}
    return {**found, 'delete_at': int(found['delete_at'])} if 'delete_at' in found else found


class SwiftObject(MetadataResource):
    """An object: a text in a container. A create replaces an object of its name."""

    resource_type = 'OS::Swift::Object'
    since = OURS
    prefix = 'X-Object-Meta-'

    properties_schema = {
        'name': name_property(update_allowed=False),
        'container': string('Name of the container.', required=True),
        'content': string('Content of the object.', default='', update_allowed=True),
        'content_type': string(
            'MIME type of the content.', default='text/plain', update_allowed=True
        ),
        'content_disposition': string(
            'What a browser does with the object, for example "attachment".', update_allowed=True
        ),
        'content_encoding': string(
            'Encoding of the content, for example gzip.', update_allowed=True
        ),
        'copy_from': string(
            'Object whose content this one gets, as CONTAINER/OBJECT.', update_allowed=True
        ),
        'delete_after': integer(
            'Seconds from each change of the object after which Swift deletes it.',
            update_allowed=True,
            min=1,
        ),
        'delete_at': integer(
            'Time at which Swift deletes the object, in seconds since 1970.', update_allowed=True
        ),
        'metadata': map_('Metadata of the object.', default={}, update_allowed=True),
        'object_manifest': string(
            'Beginning of the names of the segments of a large object, as CONTAINER/PREFIX.',
            update_allowed=True,
        ),
    }
    property_rules = (
        conflict('content', 'copy_from', test=filled),
        conflict('content', 'object_manifest', test=filled),
        conflict('copy_from', 'object_manifest', test=filled),
        conflict('delete_after', 'delete_at', test=filled),
    )
    attributes_schema = {
        'etag': 'MD5 of the content.',
        'last_modified': 'Time of the last change.',
        'size': integer_attribute('Size of the content in bytes.'),
        'url': 'URL of the object.',
    }

    def path(self):
        return f'/{quote(self.resource_id)}'

    def handle_create(self):
        name = self.properties['name'] or self.physical_resource_name()
        self.resource_id_set(f'{self.properties["container"]}/{name}')
        yield from self._put()

    def handle_update(self, definition, tmpl_diff, prop_diff):
        yield from self._put()

    def _put(self):
        values = self.properties
        copied = values['copy_from']
        headers = {
            'Content-Type': values['content_type'],
            **self.labels(values['metadata']),
            **{key: str(values[name]) for name, key in HEADERS.items() if values[name]},
            **({'X-Copy-From': quote(copied)} if copied else {}),
        }
        content = values['content']
        yield from self.call_with_retry(
            self.client().request, 'PUT', self.path(), text=content, headers=headers
        )

    def delete_object(self):
        yield from self.delete_if_present(self.client().request, 'DELETE', self.path())

    def get_live_state(self, resource_properties):
        head, content = self.show(), self.stored_property('content') or ''
        same = head.get('etag') == hashlib.md5(content.encode(), usedforsecurity=False).hexdigest()
        stored = self.stored_properties()
        same = same or stored.get('copy_from') or stored.get('object_manifest')
        shown = shown_values(head)
        return {
            **{name: shown.get(name) for name in SHOWN if stored.get(name)},
            'content': content if same else f'(another content, with the MD5 {head.get("etag")})',
            'content_type': head.get('content-type'),
            'metadata': self.live_metadata(head),
        }

    def live_properties(self):
        """Return the properties of the object: a text, with its metadata."""
        container, _, name = self.resource_id.partition('/')
        head = self.show()
        labels = self.all_metadata(head)
        return {
            'container': container,
            'name': name,
            'content': self.client().get_object(container, name)[0],
            'content_type': head.get('content-type'),
            **shown_values(head),
            **({'metadata': labels} if labels else {}),
        }

    def resolve_attribute(self, name):
        if name == 'url':
            return f'{self.client().url.rstrip("/")}{self.path()}'
        head = self.show()
        value = head.get({'size': 'content-length'}.get(name, name.replace('_', '-')))
        return int(value) if name == 'size' and value else value


class SwiftAccount(MetadataResource):
    """The metadata of the account of the project. A delete removes them, and no object."""

    resource_type = 'OS::Swift::Account'
    since = OURS
    prefix = 'X-Account-Meta-'

    properties_schema = {
        'metadata': map_('Metadata of the account.', default={}, update_allowed=True),
        'quota_bytes': integer(
            'Size of all objects at most, in bytes. Requires the role of a reseller.',
            update_allowed=True,
            min=0,
        ),
        'temp_url_key': string(
            'Second key of temporary URLs; the service signs its own with the first.',
            update_allowed=True,
            min=1,
        ),
    }
    attributes_schema = {
        'bytes_used': integer_attribute('Size of all objects in bytes.'),
        'container_count': integer_attribute('Number of containers.'),
        'object_count': integer_attribute('Number of objects.'),
    }

    def path(self):
        return ''

    def handle_create(self):
        yield from self.post(self.headers_of(self.properties))
        self.resource_id_set(self._account())

    def _account(self):
        return urlsplit(self.client().url).path.rstrip('/').rpartition('/')[2]

    def live_properties(self):
        """Return the metadata and the quota; no reader sees the keys."""
        if self.resource_id != self._account():
            raise errors.NotFound(f'the account of the project is {self._account()}')
        labels = self.all_metadata(self.show())
        quota = labels.pop('quota-bytes', None)
        return {
            **({'metadata': labels} if labels else {}),
            **({'quota_bytes': int(quota)} if quota else {}),
        }

    def handle_update(self, definition, tmpl_diff, prop_diff):
        yield from self.post_changes(self.stored_properties(), self.properties)

    def delete_object(self):
        yield from self.post_changes(self.stored_properties(), {})

    def headers_of(self, values):
        quota, key = values.get('quota_bytes'), values.get('temp_url_key')
        return {
            **super().headers_of(values),
            **({} if quota is None else {f'{self.prefix}Quota-Bytes': str(quota)}),
            **({} if key is None else {f'{self.prefix}Temp-URL-Key-2': key}),
        }

    def get_live_state(self, resource_properties):
        head = self._head()
        quota = head.get(f'{self.prefix}quota-bytes'.lower())
        key = head.get(f'{self.prefix}temp-url-key-2'.lower())
        return {
            'metadata': self.live_metadata(head),
            'quota_bytes': int(quota) if quota and self.stored_property('quota_bytes') else None,
            'temp_url_key': key if self.stored_property('temp_url_key') else None,
        }

    def show(self):
        """Return the headers of the account without the keys of temporary URLs."""
        head = super().show()
        return head and {name: value for name, value in head.items() if 'temp-url-key' not in name}

    def resolve_attribute(self, name):
        return int(self.show().get(f'x-account-{name.replace("_", "-")}') or 0)


#: key in the data of the resource: the signed URL
URL = 'url'


class TempURL(ServiceResource):
    """A temporary URL: access to one object without a login.

    It is valid until its end, also after a delete of the resource.
    """

    resource_type = 'OS::Swift::TempURL'
    since = OURS
    default_client_name = 'swift'
    repeatable = True
    has_secret_value = True
    not_compared = 'Swift keeps nothing of a signed URL.'

    properties_schema = {
        'container': string('Name of the container.', required=True),
        'object': string('Name of the object, which need not exist yet.', required=True),
        'method': string(
            'Method of the requests that the URL allows.',
            default='GET',
            allowed=['GET', 'HEAD', 'PUT', 'POST', 'DELETE'],
        ),
        'digest': string(
            'Digest of the signature.', default='sha256', allowed=['sha1', 'sha256', 'sha512']
        ),
        'seconds': integer('Seconds for which the URL is valid.', default=86400, min=1),
    }
    attributes_schema = {'url': live_text('The signed URL.')}

    def handle_create(self):
        names = ('container', 'object', 'method', 'seconds', 'digest')
        values = (self.properties[name] for name in names)
        url = yield from self.call_with_retry(self.client().temp_url, *values)
        self.data_set(URL, url, redact=True)
        self.resource_id_set(self.record.uuid)

    def resolve_attribute(self, name):
        return self.data().get(URL)

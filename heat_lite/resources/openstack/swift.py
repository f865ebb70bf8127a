"""The resource types of Swift."""

import contextlib
from urllib.parse import quote, urlsplit

from heat_lite.clients import errors
from heat_lite.common import exception
from heat_lite.resources.base.cloud import ServiceResource
from heat_lite.template.schema import (
    boolean,
    integer_attribute,
    map_,
    map_attribute,
    name_property,
    string,
)

ACCESS_LISTS = ('X-Container-Read', 'X-Container-Write')
#: the beginning of headers with metadata
METADATA = 'X-Container-Meta-'


def shown_headers(resource, path):
    """Return the headers that Swift shows, by their names in lower case."""
    headers = resource.client().request('HEAD', path).headers
    # Swift answers in UTF-8, which requests reads as Latin-1
    return {
        key.lower(): value.encode('latin-1').decode(errors='replace')
        for key, value in headers.items()
    }


class SwiftContainer(ServiceResource):
    """A container of objects."""

    resource_type = 'OS::Swift::Container'
    default_client_name = 'swift'

    properties_schema = {
        'name': name_property(update_allowed=False),
        'PurgeOnDelete': boolean(
            'Whether a delete also deletes the objects. Otherwise only an empty container can'
            ' be deleted.',
            default=False,
            since='2015.1',
        ),
        'X-Account-Meta': map_('Metadata of the account.', default={}),
        'X-Container-Meta': map_('Metadata of the container.', default={}),
        'X-Container-Read': string('Access control list for reading objects.'),
        'X-Container-Write': string('Access control list for writing objects.'),
    }
    attributes_schema = {
        'BytesUsed': integer_attribute('Size of all objects in bytes.'),
        'DomainName': 'Host name in the URL of the container.',
        'HeadContainer': map_attribute('Headers of the container.'),
        'ObjectCount': integer_attribute('Number of objects.'),
        'RootURL': 'URL of the account.',
        'WebsiteURL': 'URL of the container.',
    }

    def handle_create(self):
        name = self.properties['name'] or self.physical_resource_name()
        yield from self.put(name, self._headers())
        labels = self.properties['X-Account-Meta']
        if labels:
            headers = {f'X-Account-Meta-{key}': str(value) for key, value in labels.items()}
            yield from self.call_with_retry(self.client().request, 'POST', '', headers=headers)

    def find_existing(self):
        """Return the generated name if an interrupted create has made the container, or None.

        Raises Interrupted for a name of the template: the container may belong to something else.
        """
        if self.stored_property('name'):
            return super().find_existing()
        name = self.physical_resource_name()
        self.client().request('HEAD', f'/{quote(name)}')
        return name

    def put(self, name, headers):
        """A generator: create the container with its headers."""
        yield from self.call_with_retry(
            self.client().request, 'PUT', f'/{quote(name)}', headers=headers
        )
        self.resource_id_set(name)

    def delete_object(self):
        with contextlib.suppress(errors.NotFound):
            objects = self._objects()
            if objects and not self.stored_property('PurgeOnDelete'):
                raise exception.NotSupported(feature='Deleting non-empty container')
            while objects:
                for each in objects:
                    yield from self.delete_if_present(
                        self.client().request, 'DELETE', f'{self._path()}/{quote(each["name"])}'
                    )
                objects = self._objects()
        yield from self.delete_if_present(self.client().request, 'DELETE', self._path())

    def _objects(self):
        return self.client().request_json('GET', self._path(), params={'format': 'json'}) or []

    def handle_check(self):
        self.require_object()
        self._shown_headers()

    def _headers(self):
        given = {
            name: self.properties[name]
            for name in ACCESS_LISTS
            if self.properties[name] is not None
        }
        labels = self.properties['X-Container-Meta'] or {}
        return {**given, **{f'{METADATA}{key}': str(value) for key, value in labels.items()}}

    def _path(self):
        return f'/{quote(self.resource_id)}'

    def _account_url(self):
        """Return the URL of the account of the stack, also to a reader of another project."""
        url, reader = self.client().url.rstrip('/'), self.stack.context.project_id
        return url.replace(reader, self.stack.tenant) if reader else url

    def _shown_headers(self):
        return shown_headers(self, self._account_url() + self._path())

    def show(self):
        if self.resource_id is None:
            return None
        headers = self._shown_headers()
        headers.pop('connection', None)
        return headers

    def live_properties(self):
        """Return the properties of the container, without the keys of its temporary URLs."""
        head = self.show()
        lists = {name: head[name.lower()] for name in ACCESS_LISTS if head.get(name.lower())}
        labels = {
            name.removeprefix(METADATA.lower()): value
            for name, value in head.items()
            if name.startswith(METADATA.lower()) and 'temp-url-key' not in name
        }
        return {'name': self.resource_id, **lists, **({METADATA[:-1]: labels} if labels else {})}

    def importable_state(self):
        """Return what Swift shows of the headers of the template, which no update changes."""
        head, live = self._shown_headers(), dict(self.stored_properties())
        live['name'] = live.get('name') and self.resource_id
        for name in live.keys() & {*ACCESS_LISTS}:
            live[name] = head.get(name.lower()) if live[name] is not None else None
        labels = live.get(METADATA[:-1]) or {}
        shown = {key: head.get(f'{METADATA}{key}'.lower()) for key in labels}
        same = all(str(labels[key]) == shown[key] for key in labels)
        return live if same else {**live, METADATA[:-1]: shown}

    def resolve_attribute(self, name):
        url = self._account_url()
        if name == 'RootURL':
            return url
        if name == 'DomainName':
            return urlsplit(url).hostname
        if name == 'WebsiteURL':
            return f'{url}{self._path()}'
        head = self.show()
        if name == 'HeadContainer':
            return head
        return head[
            {'ObjectCount': 'x-container-object-count', 'BytesUsed': 'x-container-bytes-used'}[name]
        ]

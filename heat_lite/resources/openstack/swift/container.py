"""OS::Swift::Container."""

import contextlib
from urllib.parse import quote, urlsplit

from heat_lite.clients import errors
from heat_lite.common import exception
from heat_lite.resources.cloud import ServiceResource
from heat_lite.template import support
from heat_lite.template.schema import boolean, integer_attribute, map_, map_attribute, string, text


class Container(ServiceResource):
    """A container for objects."""

    resource_type = 'OS::Swift::Container'
    default_client_name = 'swift'

    properties_schema = {
        'name': string('Its name. Without one, one is made up from those of the stack and of the resource.'),
        'PurgeOnDelete': boolean(
            'Whether what is in it is deleted with it; else only an empty one can be deleted.',
            default=False,
            support=support.since('2015.1'),
        ),
        'X-Account-Meta': map_('Labels of the whole account.', default={}),
        'X-Container-Meta': map_('Labels of the container.', default={}),
        'X-Container-Read': string('Who may read what is in it.'),
        'X-Container-Write': string('Who may change what is in it.'),
    }
    attributes_schema = {
        'BytesUsed': integer_attribute('How many bytes they have.'),
        'DomainName': text('The host of its address.'),
        'HeadContainer': map_attribute('All that the service says about it.'),
        'ObjectCount': integer_attribute('How many objects are in it.'),
        'RootURL': text('The address of the account.'),
        'WebsiteURL': text('Its address.'),
    }

    def handle_create(self):
        name = self.properties['name'] or self.physical_resource_name()
        yield from self.put(name, self._headers())
        labels = self.properties['X-Account-Meta']
        if labels:
            headers = {f'X-Account-Meta-{key}': str(value) for key, value in labels.items()}
            yield from self.ask(self.client().request, 'POST', '', headers=headers)

    def put(self, name, headers):
        """A generator: makes the container."""
        yield from self.ask(self.client().request, 'PUT', f'/{quote(name)}', headers=headers)
        self.resource_id_set(name)

    def handle_delete(self):
        if self.resource_id is None:
            return
        with contextlib.suppress(errors.NotFound):
            objects = self.client().ask('GET', self._path(), params={'format': 'json'}) or []
            if objects and not self.held('PurgeOnDelete'):
                raise exception.NotSupported(feature='Deleting non-empty container')
            while objects:
                for each in objects:
                    yield from self.take_away(self.client().request, 'DELETE', f'{self._path()}/{quote(each["name"])}')
                objects = self.client().ask('GET', self._path(), params={'format': 'json'}) or []
        yield from self.take_away(self.client().request, 'DELETE', self._path())

    def handle_check(self):
        self._head()

    def _headers(self):
        given = {name: self.properties[name] for name in ('X-Container-Read', 'X-Container-Write') if self.properties[name] is not None}
        labels = self.properties['X-Container-Meta'] or {}
        return {**given, **{f'X-Container-Meta-{key}': str(value) for key, value in labels.items()}}

    def _path(self):
        return f'/{quote(self.resource_id)}'

    def _head(self):
        return self.client().request('HEAD', self._path()).headers

    def show(self):
        if self.resource_id is None:
            return None
        return {key.lower(): value for key, value in self._head().items() if key.lower() != 'connection'}

    def resolve_attribute(self, name):
        url = self.client().url.rstrip('/')
        if name == 'RootURL':
            return url
        if name == 'DomainName':
            return urlsplit(url).hostname
        if name == 'WebsiteURL':
            return f'{url}{self._path()}'
        head = self.show()
        if name == 'HeadContainer':
            return head
        return head[{'ObjectCount': 'x-container-object-count', 'BytesUsed': 'x-container-bytes-used'}[name]]

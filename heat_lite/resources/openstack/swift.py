"""The resource types of Swift."""

import contextlib
from urllib.parse import quote, urlsplit

from heat_lite.clients import errors
from heat_lite.common import exception
from heat_lite.resources.base.cloud import ServiceResource
from heat_lite.resources.base.property_rules import conflict, refuse
from heat_lite.template.schema import (
    OURS,
    boolean,
    integer_attribute,
    map_,
    map_attribute,
    name_property,
    string,
)


class MetadataResource(ServiceResource):
    """An object of Swift with metadata in headers that begin with ``prefix``."""

    default_client_name = 'swift'
    repeatable = True
    prefix: str
    #: the property of the metadata
    metadata = 'metadata'

    def path(self):
        """Return the path below the account."""
        raise NotImplementedError

    def labels(self, values):
        """Return the headers of metadata."""
        return {f'{self.prefix}{key}': str(value) for key, value in (values or {}).items()}

    def show(self):
        return None if self.resource_id is None else self._head()

    def _head(self):
        headers = self.client().request('HEAD', self.account_url() + self.path()).headers
        # Swift answers in UTF-8, which requests reads as Latin-1
        return {
            key.lower(): value.encode('latin-1').decode(errors='replace')
            for key, value in headers.items()
        }

    handle_check = ServiceResource.check_shown

    def all_metadata(self, head):
        """Return the metadata that Swift shows, in lower case."""
        prefix = self.prefix.lower()
        return {
            key.removeprefix(prefix): value for key, value in head.items() if key.startswith(prefix)
        }

    def live_metadata(self, head):
        """Return the metadata of the template's keys as Swift shows them, which has no case."""
        stored = self.stored_property(self.metadata) or {}
        found = {key: head.get(f'{self.prefix}{key}'.lower()) for key in stored}
        return {key: stored[key] if str(stored[key]) == found[key] else found[key] for key in found}

    def account_url(self):
        """Return the URL of the account of the stack, also to a reader of another project."""
        url, reader = self.client().url.rstrip('/'), self.stack.context.project_id
        return url.replace(reader, self.stack.tenant) if reader else url

    def headers_of(self, values):
        """Return the headers that make these values of properties."""
        return self.labels(values.get(self.metadata))

    def post_changes(self, before, after):
        """Generator: send the headers of ``after``, and remove those that only ``before`` has."""
        new = self.headers_of(after)
        gone = self.headers_of(before).keys() - new.keys()
        removed = {f'X-Remove-{name.removeprefix("X-")}': 'x' for name in gone}
        yield from self.post({**removed, **new}, self.path())

    def post(self, headers, path=''):
        """Generator: set headers, by default those of the account."""
        yield from self.call_with_retry(self.client().request, 'POST', path, headers=headers)


#: header properties of a container that a change sets or removes
HEADERS = (
    'X-Container-Read',
    'X-Container-Write',
    'X-Container-Sync-To',
    'X-Container-Sync-Key',
    'X-History-Location',
    'X-Versions-Location',
)
VERSIONS, ACCOUNT_META = 'X-Versions-Enabled', 'X-Account-Meta'
#: headers that only the create sets
FIXED = ('X-Storage-Policy', 'X-Storage-Class')


class SwiftContainer(MetadataResource):
    """A container of objects."""

    resource_type = 'OS::Swift::Container'
    repeatable = False
    prefix = 'X-Container-Meta-'
    metadata = 'X-Container-Meta'

    properties_schema = {
        'name': name_property(update_allowed=False),
        'PurgeOnDelete': boolean(
            'Whether a delete also deletes the objects. Otherwise only an empty container can'
            ' be deleted.',
            default=False,
            update_allowed=True,
            since='2015.1',
        ),
        ACCOUNT_META: map_('Metadata of the account.', default={}, update_allowed=True),
        'X-Container-Meta': map_(
            'Metadata of the container. Some keys are settings: Quota-Bytes, Quota-Count,'
            ' Access-Control-Allow-Origin, Web-Index.',
            default={},
            update_allowed=True,
        ),
        'X-Container-Read': string('Access control list for reading objects.', update_allowed=True),
        'X-Container-Write': string(
            'Access control list for writing objects.', update_allowed=True
        ),
        'X-Container-Sync-Key': string(
            'Secret that both containers of a synchronization have.',
            update_allowed=True,
            since=OURS,
        ),
        'X-Container-Sync-To': string(
            'Container into which Swift copies all objects, as a URL or //realm/cluster/account/'
            'container.',
            update_allowed=True,
            since=OURS,
        ),
        'X-History-Location': string(
            'Container that keeps older versions of objects, and of deleted ones.',
            update_allowed=True,
            since=OURS,
        ),
        'X-Storage-Class': string('Storage class of the container, in Ceph.', since=OURS),
        'X-Storage-Policy': string('Storage policy of the container.', since=OURS),
        VERSIONS: boolean(
            'Whether Swift keeps all versions of objects.', update_allowed=True, since=OURS
        ),
        'X-Versions-Location': string(
            'Container that keeps older versions of objects. A delete restores the newest of them.',
            update_allowed=True,
            since=OURS,
        ),
    }
    property_rules: tuple = (
        refuse(
            'The name {name} of a container has a slash, which no container can have.',
            name=lambda value, read: '/' in (value or ''),
        ),
        conflict('X-History-Location', 'X-Versions-Location'),
        conflict(VERSIONS, 'X-History-Location'),
        conflict(VERSIONS, 'X-Versions-Location'),
    )
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
        fixed = {each: self.properties[each] for each in FIXED if self.properties[each]}
        yield from self.put(name, {**self.headers_of(self.properties), **fixed})
        yield from self._label_account(self.properties)

    def handle_update(self, definition, tmpl_diff, prop_diff):
        yield from self.post_changes(self.stored_properties(), self.properties)
        yield from self._label_account(prop_diff)

    def _label_account(self, values):
        labels = values.get(ACCOUNT_META)
        if labels:
            yield from self.post({f'{ACCOUNT_META}-{key}': str(labels[key]) for key in labels})

    def headers_of(self, values):
        kept = {name: values[name] for name in HEADERS if values.get(name) is not None}
        versions = values.get(VERSIONS)
        return {
            **kept,
            **super().headers_of(values),
            **({} if versions is None else {VERSIONS: str(versions)}),
        }

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
                    path, version = f'{self.path()}/{quote(each["name"])}', each.get('version_id')
                    query = {'version-id': version} if version else None
                    request = self.client().request
                    yield from self.delete_if_present(request, 'DELETE', path, params=query)
                objects = self._objects()
        yield from self.delete_if_present(self.client().request, 'DELETE', self.path())

    def _objects(self):
        query = {'format': 'json', 'versions': 'true'}
        return self.client().request_json('GET', self.path(), params=query) or []

    def path(self):
        return f'/{quote(self.resource_id)}'

    def show(self):
        head = super().show()
        return head and {name: value for name, value in head.items() if name != 'connection'}

    def live_properties(self):
        """Return the properties of the container, without the keys of its temporary URLs."""
        head = self.show()
        given = {name: head[name.lower()] for name in HEADERS if head.get(name.lower())}
        labels = {
            name: value
            for name, value in self.all_metadata(head).items()
            if 'temp-url-key' not in name
        }
        return {
            'name': self.resource_id,
            **given,
            **({self.metadata: labels} if labels else {}),
            **({VERSIONS: True} if _is_versioned(head) else {}),
        }

    def get_live_state(self, resource_properties):
        """Return what Swift shows of the headers of the template."""
        head, stored = self._head(), self.stored_properties()
        shown = {name: head.get(name.lower()) for name in HEADERS if stored.get(name) is not None}
        if stored.get(VERSIONS) is not None:
            shown[VERSIONS] = _is_versioned(head)
        name = stored.get('name') and self.resource_id
        return {**shown, 'name': name, self.metadata: self.live_metadata(head)}

    def resolve_attribute(self, name):
        url = self.account_url()
        if name == 'RootURL':
            return url
        if name == 'DomainName':
            return urlsplit(url).hostname
        if name == 'WebsiteURL':
            return f'{url}{self.path()}'
        head = self.show()
        if name == 'HeadContainer':
            return head
        return head[
            {'ObjectCount': 'x-container-object-count', 'BytesUsed': 'x-container-bytes-used'}[name]
        ]


def _is_versioned(head):
    return head.get(VERSIONS.lower(), '').lower() == 'true'

"""AWS::S3::Bucket."""

from heat_lite.resources.aws.ec2.base import tags
from heat_lite.resources.openstack.swift import SwiftContainer
from heat_lite.template.schema import map_, string

READ, WRITE = 'X-Container-Read', 'X-Container-Write'
#: access control entries of Swift: public access without a token, and every user with a token
PUBLIC, AUTHENTICATED = '.r:*', '*:*'


class S3Bucket(SwiftContainer):
    """A Swift container with the properties of S3."""

    resource_type = 'AWS::S3::Bucket'

    property_rules = ()
    properties_schema = {
        'AccessControl': string(
            'Canned access control list. Without one, the access rules of the project apply.',
            allowed=[
                'Private',
                'PublicRead',
                'PublicReadWrite',
                'AuthenticatedRead',
                'BucketOwnerRead',
                'BucketOwnerFullControl',
            ],
        ),
        'Tags': tags(),
        'WebsiteConfiguration': map_(
            'Configuration of the bucket as a website.',
            {
                'IndexDocument': string('Name of the index document.'),
                'ErrorDocument': string('Name of the error document.'),
            },
        ),
    }
    attributes_schema = {
        'DomainName': 'Host name of the URL of the container.',
        'WebsiteURL': 'URL of the container.',
    }

    def handle_create(self):
        yield from self.put(self.physical_resource_name(), {**self._acls(), **self._labels()})

    def _acls(self):
        control = self.properties['AccessControl']
        if control is None:
            return {}
        owner = f'{self.stack.runtime.project_id(self.stack.tenant)}:{self.context.user_id}'
        read = {
            'PublicRead': PUBLIC,
            'PublicReadWrite': PUBLIC,
            'AuthenticatedRead': AUTHENTICATED,
        }.get(control, owner)
        return {READ: read, WRITE: AUTHENTICATED if control == 'PublicReadWrite' else owner}

    def _labels(self):
        site = self.properties['WebsiteConfiguration'] or {}
        labels = {f'S3-Tag-{each["Key"]}': each['Value'] for each in self.properties['Tags'] or ()}
        labels |= {'Web-Index': site.get('IndexDocument'), 'Web-Error': site.get('ErrorDocument')}
        return {
            f'X-Container-Meta-{key}': value for key, value in labels.items() if value is not None
        }

    def get_live_state(self, resource_properties):
        return {}  # no property changes in place

    def importable_state(self):
        """Return the stored properties; None replaces those whose headers Swift shows otherwise."""
        head, live = self._head(), dict(self.stored_properties())
        for key, value in self._acls().items():
            # the user behind the project is the one that has created the bucket
            if head.get(key.lower(), '').split(':')[0] != value.split(':')[0]:
                live['AccessControl'] = None
        for key, value in self._labels().items():
            if head.get(key.lower()) != value:
                live['Tags' if 'S3-Tag' in key else 'WebsiteConfiguration'] = None
        return live

    def show(self):
        return None

    def stored_property(self, name):
        """Return False for PurgeOnDelete, as a bucket is never purged, and None for the name,
        which is generated.
        """
        known = {'PurgeOnDelete': False, 'name': None}
        return known[name] if name in known else super().stored_property(name)

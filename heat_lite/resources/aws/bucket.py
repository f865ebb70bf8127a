"""AWS::S3::Bucket."""

from heat_lite.resources.aws.ec2.base import tags
from heat_lite.resources.openstack.swift.container import Container
from heat_lite.template.constraints import AllowedValues
from heat_lite.template.schema import map_, string, text

READ, WRITE = 'X-Container-Read', 'X-Container-Write'
#: whoever has a token: nobody may write without one
ANYBODY, WITH_TOKEN = '.r:*', '*:*'


class Bucket(Container):
    """A container for objects, in the words of S3."""

    resource_type = 'AWS::S3::Bucket'

    properties_schema = {
        'AccessControl': string(
            'Who may read and change what is in it; nothing said: whoever may in the project.',
            constraints=[
                AllowedValues(
                    ['Private', 'PublicRead', 'PublicReadWrite', 'AuthenticatedRead', 'BucketOwnerRead', 'BucketOwnerFullControl']
                )
            ],
        ),
        'Tags': tags(),
        'WebsiteConfiguration': map_(
            'The pages of a website.',
            {'IndexDocument': string('The page that is shown first.'), 'ErrorDocument': string('The page that is shown for errors.')},
        ),
    }
    attributes_schema = {'DomainName': text('The host of its address.'), 'WebsiteURL': text('Its address.')}

    def handle_create(self):
        yield from self.put(self.physical_resource_name(), {**self._acls(), **self._labels()})

    def _acls(self):
        control = self.properties['AccessControl']
        if control is None:
            return {}
        owner = f'{self.context.project_id}:{self.context.user_id}'
        read = {'PublicRead': ANYBODY, 'PublicReadWrite': ANYBODY, 'AuthenticatedRead': WITH_TOKEN}.get(control, owner)
        return {READ: read, WRITE: WITH_TOKEN if control == 'PublicReadWrite' else owner}

    def _labels(self):
        site = self.properties['WebsiteConfiguration'] or {}
        labels = {f'S3-Tag-{each["Key"]}': each['Value'] for each in self.properties['Tags'] or ()}
        labels |= {'Web-Index': site.get('IndexDocument'), 'Web-Error': site.get('ErrorDocument')}
        return {f'X-Container-Meta-{key}': value for key, value in labels.items() if value is not None}

    def show(self):
        return None

    def held(self, name):
        """It is never purged."""
        return False if name == 'PurgeOnDelete' else super().held(name)

"""OS::Barbican::CertificateContainer."""

from heat_lite.resources.cloud import Rest
from heat_lite.resources.openstack.barbican.base import Container
from heat_lite.template import support
from heat_lite.template.schema import list_attribute, map_attribute, string, text


class CertificateContainer(Container):
    """A certificate and what belongs to it."""

    resource_type = 'OS::Barbican::CertificateContainer'
    support_status = support.since('6.0.0')
    rest = Rest('barbican', '/containers', None, ready=('ACTIVE',), id='container_ref')
    kind = 'certificate'
    entity = 'containers'

    properties_schema = {
        'name': string('Its name. Without one, one is made up from those of the stack and of the resource.'),
        'certificate_ref': string('The certificate.', ref='barbican.secret', sent=False),
        'intermediates_ref': string('The certificates between it and the authority.', ref='barbican.secret', sent=False),
        'private_key_passphrase_ref': string('What the private key is encrypted with.', ref='barbican.secret', sent=False),
        'private_key_ref': string('The private key.', ref='barbican.secret', sent=False),
    }
    attributes_schema = {
        'consumers': list_attribute('Who uses it.'),
        'container_ref': text('Its address.'),
        'secret_refs': map_attribute('The addresses of its secrets, by their names.'),
        'status': text('Its status.'),
    }

    def secrets(self):
        names = [name for name in self.properties_schema if name.endswith('_ref') and self.properties[name]]
        return {name.removesuffix('_ref'): self.properties[name] for name in names}

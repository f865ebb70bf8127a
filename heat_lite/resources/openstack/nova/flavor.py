"""OS::Nova::Flavor."""

from heat_lite.common import status
from heat_lite.resources.cloud import CloudResource, Rest
from heat_lite.template import support
from heat_lite.template.schema import boolean, boolean_attribute, integer, list_, map_, map_attribute, number, string


class Flavor(CloudResource):
    """A size of servers."""

    resource_type = 'OS::Nova::Flavor'
    support_status = support.since('2014.2')
    rest = Rest('nova', '/flavors', 'flavor')
    entity = 'flavors'

    properties_schema = {
        'name': string(
            'Its name. Without one, one is made up from those of the stack and of the resource.', support=support.since('7.0.0')
        ),
        'ram': integer('Memory in MiB.', required=True),
        'vcpus': integer('How many processors.', required=True),
        'disk': integer('The disk of the system in GiB.', default=0),
        'ephemeral': integer('A further disk that goes with the server, in GiB.', default=0, wire='OS-FLV-EXT-DATA:ephemeral'),
        'extra_specs': map_('What the scheduler looks at, by names.', update_allowed=True, sent=False),
        'flavorid': string('Its id; without one, one is made up.', support=support.since('7.0.0'), wire='id'),
        'is_public': boolean(
            'Whether all projects may use it.', default=True, support=support.since('6.0.0'), wire='os-flavor-access:is_public'
        ),
        'rxtx_factor': number('How much of the usual bandwidth.', default=1.0),
        'swap': integer('Space to swap to, in MiB.', default=0),
        'tenants': list_(
            'The projects that may use it, where not all may, by names or ids.',
            string(ref='keystone.project'),
            default=[],
            update_allowed=True,
            support=support.since('8.0.0'),
            sent=False,
        ),
    }
    attributes_schema = {
        'extra_specs': map_attribute('What the scheduler looks at, by names.', support=support.since('7.0.0')),
        'is_public': boolean_attribute(
            'Whether all projects may use it.', support=support.since('6.0.0'), wire='os-flavor-access:is_public'
        ),
    }

    def after(self, action, diff):
        new = action == status.CREATE
        if 'extra_specs' in diff:
            yield from self._specify({} if new else self.held('extra_specs') or {}, diff['extra_specs'] or {})
        if 'tenants' in diff and not self.properties['is_public']:
            yield from self._share(set() if new else set(self.held('tenants') or ()), set(diff['tenants'] or ()))

    def _specify(self, before, after):
        path = f'{self.object_path()}/os-extra_specs'
        for name in sorted(before.keys() - after.keys()):
            yield from self.take_away(self.client().delete, f'{path}/{name}')
        if after:
            yield from self.ask(self.client().create, path, 'extra_specs', {name: str(value) for name, value in after.items()})

    def _share(self, before, after):
        for verb, projects in (('removeTenantAccess', before - after), ('addTenantAccess', after - before)):
            for each in sorted(projects):
                yield from self.ask(self.client().ask, 'POST', f'{self.object_path()}/action', {verb: {'tenant': each}})

    def resolve_attribute(self, name):
        if name == 'extra_specs':
            return self.client().show(f'{self.object_path()}/os-extra_specs', 'extra_specs')
        return super().resolve_attribute(name)

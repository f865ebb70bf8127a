"""The facts about Heat's resource types, and those about ours in the same form.

``python -m tests.reference_types`` lists the types that differ.
"""

import json
import sys
from pathlib import Path

from heat_lite import resources
from heat_lite.template.constraints import AllowedValues, CustomConstraint

FACTS = json.loads((Path(__file__).parent / 'reference' / 'resource_types.json').read_text())[
    'types'
]
FLAGS = ('required', 'update_allowed', 'immutable', 'allow_conversion')
PLAIN = {'status': 'SUPPORTED'}
#: {type: properties that Heat requires, and that another one of ours may replace}
RELAXED = {
    'OS::Neutron::IPsecSiteConnection': {'peer_cidrs'},
    'OS::Neutron::MeteringRule': {'remote_ip_prefix'},
    'OS::Neutron::VPNService': {'subnet'},
    'OS::Octavia::LoadBalancer': {'vip_subnet'},
}
#: {type: properties by whose change Heat replaces the object, and that change in place here}
IN_PLACE = {
    'OS::Swift::Container': {
        'PurgeOnDelete',
        'X-Account-Meta',
        'X-Container-Meta',
        'X-Container-Read',
        'X-Container-Write',
    },
    'OS::Manila::Share': {'size'},
    'OS::Manila::ShareType': {'is_public', 'name'},
    'OS::Manila::SecurityService': {'type'},
    'OS::Glance::WebImage': {'min_disk', 'min_ram', 'name'},
    'OS::Barbican::GenericContainer': {'secrets'},
    'OS::Neutron::IPsecSiteConnection': {
        'dpd',
        'initiator',
        'mtu',
        'peer_address',
        'peer_cidrs',
        'peer_id',
        'psk',
    },
    'OS::Nova::Server': {'security_groups'},
    'OS::Octavia::PoolMember': {'monitor_address', 'monitor_port'},
}


def properties(schemata, relaxed=(), in_place=()):
    """Return the facts about properties; ``relaxed`` are those that count as required, and
    ``in_place`` those that no update changes.
    """
    facts = {name: _property(schema) for name, schema in heats(schemata).items()}
    for name in relaxed:
        facts[name]['required'] = True
    for name in in_place:
        del facts[name]['update_allowed']
    return facts


def heats(schemata):
    """Return the schemas without those that Heat does not have."""
    return {name: schema for name, schema in schemata.items() if not schema.support.is_ours}


def attributes(kind):
    schemata = heats(kind.all_attributes_schema())
    return {name: _attribute(schema) for name, schema in schemata.items()}


def support(status):
    facts = {'status': status.status}
    if status.version:
        facts['since'] = status.version
    if status.previous:
        facts['previous'] = support(status.previous)
    if status.substitute:
        facts.update(
            substitute=[status.substitute.resource_type],
            substitute_class=status.substitute.__name__,
        )
    return facts


def equal(name, kind):
    """Return whether the schemas and the support status of a type equal those of Heat's type."""
    wanted = FACTS[name]
    ours = (
        properties(kind.properties_schema, RELAXED.get(name, ()), IN_PLACE.get(name, ())),
        attributes(kind),
        support(kind.support_status),
        properties(kind.update_policy_schema),
    )
    return ours == (
        wanted['properties'],
        wanted['attributes'],
        wanted['support'],
        wanted.get('update_policy', {}),
    )


def _property(schema):
    facts = {'type': schema.type.title(), **{flag: True for flag in FLAGS if getattr(schema, flag)}}
    if schema.default is not None:
        facts['default'] = schema.default
    if not schema.implemented:
        facts['implemented'] = False
    if schema.constraints:
        facts['constraints'] = [_rule(each) for each in schema.constraints]
    if support(schema.support) != PLAIN:
        facts['support'] = support(schema.support)
    if schema.schema is not None and schema.type == 'list':
        facts['items'] = _property(schema.schema)
    elif schema.schema is not None:
        facts['keys'] = properties(schema.schema)
    return facts


def _attribute(schema):
    facts = {'type': schema.type.title() if schema.type else 'Unknown'}
    if schema.cache_mode != 'cache_local':
        facts['cache_mode'] = schema.cache_mode
    if support(schema.support) != PLAIN:
        facts['support'] = support(schema.support)
    return facts


def _rule(constraint):
    if isinstance(constraint, CustomConstraint):
        return {'custom': constraint.name}
    if getattr(constraint, 'ours', ()):
        heats = [each for each in constraint.allowed if each not in constraint.ours]
        return AllowedValues(heats).rule()
    return constraint.rule()


def main():
    registry = resources.build_registry()
    here = [name for name in FACTS if registry.knows(name)]
    same = [name for name in here if equal(name, registry.get(name))]
    print(
        f'types: {len(FACTS)}, here: {len(here)} ({len(here) / len(FACTS):.0%}), '
        f'of these with equal schemas: {len(same)}'
    )
    for title, names in (('different', set(here) - set(same)), ('missing', set(FACTS) - set(here))):
        for name in sorted(names):
            print(f'{title}: {name}')
    return 0 if len(same) == len(here) else 1


if __name__ == '__main__':
    sys.exit(main())

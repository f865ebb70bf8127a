"""Strategies of hostile requests, generated from the table of routes.

A path, query or body may contain @stack@, @id@, @config@, @deployment@, @snapshot@ and @new@: the
sender puts the names and ids of living objects, and a new name, in their places.
"""

import re
from typing import NamedTuple

from hypothesis import strategies as st

from heat_lite import operations
from heat_lite.resources import type_table
from heat_lite.template import versions
from tests.attacks.fuzz import probes, values
from tests.attacks.fuzz.templates import (
    environments,
    hot,
    names,
    template_texts,
    templates,
)
from tests.attacks.fuzz.values import mostly

JSON = 'application/json'


class Attack(NamedTuple):
    """A request; ``path`` is below the URL of the project and has the query."""

    method: str
    path: str
    headers: dict
    body: bytes


ROUTES = [(each.method, each.path.removeprefix('{tenant_id}')) for each in operations.OPERATIONS]
METHODS = [
    'GET',
    'HEAD',
    'POST',
    'PUT',
    'PATCH',
    'DELETE',
    'OPTIONS',
    'TRACE',
    'CONNECT',
    'PROPFIND',
    'get',
    'X' * 50,
]
QUERIES = (
    'limit marker sort_keys sort_dir filters tags tags_any not_tags not_tags_any show_deleted'
    ' show_nested show_hidden global_tenant with_count nested_depth with_detail with_attr name id'
    ' support_status resolve_outputs force template_type with_condition_func with_description'
    ' resource_name type status action ignore_errors server_id version owner_id username tenant'
    ' stack_name stack_action stack_status disable_rollback timeout_mins parent'
    ' physical_resource_id resource_action resource_status resource_type stack_owner'
    ' stack_status_reason stack_user_project_id'
).split()
GOOD_QUERY_VALUES = [
    'true',
    'false',
    '1',
    '0',
    'asc',
    'desc',
    'name',
    'created_at',
    'id',
    'stack_name',
    'status',
    'action',
    'resource_name',
    'resource_type',
    'event_time',
    'updated_at',
    'creation_time',
    'hot',
    'cfn',
    '99001',
    'COMPLETE',
    'CREATE',
    'SUPPORTED',
    'OS::*',
    '@id@',
    '@snapshot@',
    '@config@',
]
PLACES = {
    'stack_name': ['@stack@'],
    'stack_id': ['@id@'],
    'resource_name': ['r', 'handle', 'group', 'scaling', 'policy', 'random'],
    'snapshot_id': ['@snapshot@'],
    'config_id': ['@config@'],
    'deployment_id': ['@deployment@'],
    'output_key': ['o'],
    'server_id': ['a', '@id@'],
    'type_name': sorted(type_table.TYPES),
    'template_version': [
        f'{key}.{name}' for key, table in versions.TABLE.items() for name in table
    ],
    'stack_name:arn:*': ['arn:openstack:heat::demo:stacks/@stack@/@id@', 'arn:'],
}


def quote(text):
    """Return a text percent-encoded, except for the places that the sender fills."""
    parts = re.split(r'(@[a-z]+@)', text)
    encoded = (
        part
        if index % 2
        else ''.join(f'%{each:02x}' for each in part.encode('utf-8', 'surrogatepass'))
        for index, part in enumerate(parts)
    )
    return ''.join(encoded)[:3500]


queries = st.lists(
    st.tuples(
        st.sampled_from(QUERIES) | values.keys,
        st.sampled_from(GOOD_QUERY_VALUES) | values.texts,
    ),
    max_size=4,
).map(lambda pairs: '&'.join(f'{quote(name)}={quote(value)}' for name, value in pairs))
#: of query strings that no client encodes so
RAW_QUERIES = [
    '%',
    '%zz',
    '=',
    '&' * 50,
    'a' * 3000,
    'limit',
    'limit=',
    'limit=1;limit=2',
    '%ff=%ff',
    'a[]=1',
]


@st.composite
def paths(draw, path):
    """A route with its gaps filled, now and then by hostile texts; and a query."""

    def fill(match):
        text = draw(mostly(st.sampled_from(PLACES.get(match[1], ['x'])), values.texts))
        return quote(text) or '%20'

    filled = re.sub(r'{([^}]+)}', fill, path)
    query = draw(mostly(queries, st.sampled_from(RAW_QUERIES)))
    return f'{filled}?{query}' if query else filled


# --------------------------------------------------------------- bodies

text_or_value = mostly(values.texts)
content = {
    'template': mostly(templates | template_texts | hot),
    'environment': environments,
    'parameters': mostly(st.dictionaries(names, values.values, max_size=3)),
    'files': mostly(
        st.dictionaries(st.just('f.yaml') | names, template_texts | text_or_value, max_size=2)
    ),
    'environment_files': mostly(st.lists(names, max_size=2)),
    'tags': st.sampled_from(['a', 'a,b', 'é']) | text_or_value,
    'timeout_mins': st.sampled_from([0, 1, 60, '5']) | values.numbers | values.scalars,
    'disable_rollback': mostly(st.booleans()),
}
#: keys of single features, keys that only engines may use, and keys of no meaning
RARE_KEYS = (
    'template_url files_container adopt_stack_data clear_parameters existing converge on_replace'
    ' protected on_behalf_of owner_id nested_depth user_creds_id stack_user_project_id'
    ' parent_resource_name template_id show_nested event_sinks no_such_key context password'
    ' trust_id roles is_admin tenant project_id current_traversal username adopted force id'
    ' status action'
).split()
rare = st.dictionaries(
    st.sampled_from(RARE_KEYS) | values.keys,
    values.values | st.sampled_from(['f.yaml', 'allow', 'refuse', True, 'http://127.0.0.1:1/']),
    max_size=2,
)
adopted = (
    st.fixed_dictionaries(
        {},
        optional={
            'template': templates,
            'environment': environments,
            'resources': mostly(
                st.dictionaries(
                    names,
                    mostly(
                        st.dictionaries(
                            st.sampled_from(
                                'name status action metadata resource_data resource_id type'.split()
                            ),
                            values.values,
                        )
                    ),
                    max_size=2,
                )
            ),
            'name': values.scalars,
            'id': values.scalars,
            'action': values.scalars,
            'status': values.scalars,
            'files': values.values,
            'project_id': values.scalars,
            'stack_user_project_id': values.scalars,
            'tags': values.values,
        },
    )
    .map(values.encode)
    .map(bytes.decode)
)
stack_names = mostly(
    st.text('abcdef', min_size=2, max_size=6) | st.sampled_from(['@stack@', 'a' * 255]),
    text_or_value,
)


def _stack_bodies(required):
    """Bodies with a template and few other keys, with all, with some, and adoptions."""
    parts = ('environment', 'parameters', 'files')
    focused = st.fixed_dictionaries(
        {'template': content['template'], **required},
        optional={name: content[name] for name in parts},
    )
    whole = st.fixed_dictionaries({**content, **required})
    partial = st.fixed_dictionaries({}, optional={**content, **required})
    adopting = st.fixed_dictionaries({'adopt_stack_data': mostly(adopted), **required})
    kinds = st.sampled_from([*6 * [focused], whole, partial, adopting])
    return st.builds(
        lambda body, more: {**body, **more},
        kinds.flatmap(lambda kind: kind),
        mostly(st.just({}), rare),
    )


named_bodies = _stack_bodies({'stack_name': stack_names})
update_bodies = _stack_bodies({})
input_definitions = st.dictionaries(
    st.sampled_from('name type default description replace_on_change value error_output'.split()),
    values.scalars | st.sampled_from(['String', 'Number', 'Json', 'a']),
)
config_bodies = st.fixed_dictionaries(
    {},
    optional={
        **dict.fromkeys(['name', 'group'], text_or_value),
        'config': mostly(values.texts | values.maps),
        **dict.fromkeys(
            ['inputs', 'outputs'], mostly(st.lists(mostly(input_definitions), max_size=2))
        ),
        'options': mostly(values.maps),
        'no_such_key': values.values,
    },
)
deployment_bodies = st.fixed_dictionaries(
    {},
    optional={
        'config_id': mostly(st.just('@config@')),
        'server_id': mostly(st.just('a') | values.texts),
        'action': mostly(st.sampled_from(['CREATE', 'UPDATE', 'INIT']) | values.texts),
        'status': mostly(st.sampled_from(['IN_PROGRESS', 'COMPLETE', 'FAILED']) | values.texts),
        'status_reason': mostly(values.texts),
        **dict.fromkeys(['input_values', 'output_values'], mostly(values.maps)),
        'stack_user_project_id': mostly(st.none() | values.texts),
        'updated_at': values.values,
    },
)
ACTIONS = (
    'suspend resume check retry protect unprotect cancel_update cancel_without_rollback'.split()
)
action_bodies = st.dictionaries(
    st.sampled_from(ACTIONS) | values.keys, values.values, min_size=1, max_size=1
) | st.dictionaries(st.sampled_from(ACTIONS), values.values, max_size=2)
signal_bodies = values.maps | st.dictionaries(
    st.sampled_from(
        'status reason data id Status Reason Data UniqueId deploy_status_code deploy_stdout'
        ' deploy_stderr deploy_status_code unset_hook current alarm metadata alarm_id'
        ' adjustment_type scaling_adjustment min_adjustment_step'.split()
    ),
    values.values | st.sampled_from(['SUCCESS', 'FAILURE', 'alarm', 'pre-create', 'ok']),
    max_size=4,
)
health_bodies = st.fixed_dictionaries(
    {},
    optional={
        'mark_unhealthy': mostly(st.booleans() | values.texts),
        'resource_status_reason': mostly(values.texts),
    },
)
BODIES = {
    'validate': update_bodies,
    'stacks': named_bodies,
    'preview': named_bodies | update_bodies,
    '{stack_id}': update_bodies,
    'snapshots': st.fixed_dictionaries({}, optional={'name': text_or_value}),
    'actions': action_bodies,
    'signal': signal_bodies,
    '{resource_name}': health_bodies,
    'software_configs': config_bodies,
    'software_deployments': deployment_bodies,
    '{deployment_id}': deployment_bodies,
}
HEADERS = st.fixed_dictionaries(
    {},
    optional={
        'Content-Type': st.sampled_from(
            [
                JSON,
                'application/json; charset=utf-16',
                'text/plain',
                'application/xml',
                '',
                'x',
                'JSON',
                'multipart/form-data',
                'application/x-www-form-urlencoded',
                'a/' + 'b' * 5000,
            ]
        ),
        'Accept': st.sampled_from(
            [
                '',
                '*/*',
                'text/html',
                'x',
                'application/vnd.openstack.orchestration-v1',
                'application/vnd.openstack.orchestration-v9',
                'a;q=x,,;q=-1',
                ',' * 500,
                '*/*;q=1e999',
            ]
        ),
        'Accept-Language': st.sampled_from(['xx', 'de;q=9', '*', ',,']),
        'Accept-Encoding': st.sampled_from(['gzip;q=x', 'identity;q=0', '*']),
        'X-Openstack-Request-Id': st.sampled_from(['x', 'req-' + 'a' * 500, 'req-é']),
        'X-Auth-Token': st.sampled_from(['x', 'é']),
        'X-Roles': st.just('admin'),
        'X-Forwarded-Proto': st.sampled_from(['https', 'x']),
        'Forwarded': st.sampled_from(['proto=;host=', 'for="[::1', ';;;']),
        'If-Match': st.just('"x"'),
        'Range': st.sampled_from(['bytes=9-1', 'x']),
        'Expect': st.just('x'),
        'X-Heat-Lite-Stack-Depth': st.sampled_from(['-1', '9' * 5000, 'x', '٣']),
        'Access-Control-Request-Method': st.just('BREW'),
    },
)
headers = mostly(st.just({}), HEADERS).map(lambda given: {'Content-Type': JSON, **given})


def _bodies_of(path):
    parts = path.rsplit('/', 1)[-1]
    own = BODIES.get(parts)
    if own is None:
        return values.bodies(values.maps)
    return mostly(values.bodies(mostly(own)), st.sampled_from(values.RAW))


def _to_route(method, path):
    empty = method in ('GET', 'DELETE')
    bodies = mostly(st.just(b''), st.sampled_from(values.RAW)) if empty else _bodies_of(path)
    return st.builds(Attack, st.just(method), paths(path), headers, bodies)


#: the requests that read or change templates are most of the attack surface: they come more often
OFTEN = ['/stacks', '/stacks/preview', '/validate', '/stacks/{stack_name}/{stack_id}']
WEIGHTED = [
    *ROUTES,
    *4 * [('POST', path) for path in OFTEN[:3]],
    *2 * [('POST', '/software_configs'), ('POST', '/software_deployments')],
    *2 * [row for row in ROUTES if row[0] in ('PUT', 'PATCH') and '{stack_id}' in row[1]],
    *2 * [row for row in ROUTES if row[1].endswith(('/signal', '/actions', '{resource_name}'))],
    *2 * [('GET', '/stacks'), ('GET', '/stacks/{stack_name}/{stack_id}')],
]
to_routes = st.sampled_from(WEIGHTED).flatmap(lambda row: _to_route(*row))
to_anything = st.builds(
    Attack,
    st.sampled_from(METHODS),
    st.sampled_from(sorted({path for _, path in ROUTES})).flatmap(paths)
    | values.texts.map(lambda text: '/' + quote(text)),
    headers,
    st.just(b'') | values.bodies(values.maps) | st.sampled_from(values.RAW),
)
to_holes = st.builds(
    lambda probe: Attack(probe[0], probe[1], {'Content-Type': JSON}, values.encode(probe[2])),
    probes.with_template | probes.with_template | probes.without_template,
) | st.builds(
    lambda path, text: Attack('GET', path.replace(probes.HOLE, quote(text) or '%20'), {}, b''),
    st.sampled_from(probes.QUERIES),
    values.texts,
)
attacks = mostly(to_routes | to_holes, to_anything)

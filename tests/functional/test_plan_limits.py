"""A plan of a create that a limit forbids by then."""

import pytest

from heat_lite.common import exception
from tests import databases, engines


def test_plan_of_a_create_beyond_a_limit_is_refused(tmp_path):
    given = {'heat_template_version': '2021-04-16', 'resources': {}}
    body = {'template': given, 'params': {}, 'files': {}, 'args': {}}
    with (
        databases.migrated('sqlite', tmp_path) as url,
        engines.running(url, max_stacks_per_tenant=1) as driver,
    ):
        client, context = driver.client, driver.context
        made = client.preview_stack(context, stack_name='planned', **body, store=True)
        planned = {**body, 'stack_name': None, 'template': None, 'plan': made['plan']['id']}
        other = driver.create(given, 'other')
        with pytest.raises(exception.PlanOutdated, match='maximum stacks per tenant, 1'):
            client.create_stack(context, **planned)
        driver.delete(other)
        stack = driver.wait(client.create_stack(context, **planned))
        assert driver.state(stack) == 'CREATE_COMPLETE'

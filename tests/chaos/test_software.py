"""Software deployments of a stack that three engines walk, one of which is killed."""

import pytest
import sqlalchemy

from heat_lite.db import models
from tests.chaos import clusters, engine_processes

#: so many deployments are ready at once that each engine gets some
WIDTH = 60
TEMPLATE = {
    'heat_template_version': '2021-04-16',
    'resources': {
        'config': {
            'type': 'OS::Heat::SoftwareConfig',
            'properties': {'config': '#!/bin/sh', 'outputs': [{'name': 'out'}]},
        },
        **{
            f'd{number}': {
                'type': 'OS::Heat::SoftwareDeployment',
                'properties': {
                    'config': {'get_resource': 'config'},
                    'server': f'server{number}',
                    'signal_transport': 'HEAT_SIGNAL',
                },
            }
            for number in range(WIDTH)
        },
    },
    'outputs': {f'o{n}': {'value': {'get_attr': [f'd{n}', 'out']}} for n in range(WIDTH)},
}


def holders(cluster):
    """Return the engines that hold rows of resources at work."""
    resource = models.resource.c
    query = sqlalchemy.select(resource.engine_id, sqlalchemy.func.count()).where(
        resource.engine_id.is_not(None), resource.status == 'IN_PROGRESS'
    )
    with engine_processes.connect(cluster.database) as connection:
        return dict(connection.execute(query.group_by(resource.engine_id)).all())


def deployments(cluster, status):
    """Return the number of deployments with a status; a server gets one only when it is stored."""
    deployment = models.software_deployment.c
    query = sqlalchemy.select(sqlalchemy.func.count()).where(deployment.status == status)
    with engine_processes.connect(cluster.database) as connection:
        return connection.execute(query).scalar()


def signal(cluster, path, numbers):
    for number in numbers:
        body = {'out': f'of {number}', 'deploy_status_code': 0}
        answer = cluster.request('POST', f'{path}/resources/d{number}/signal', body)
        assert answer.status_code == 200, answer.text


@pytest.mark.parametrize('backend', ['mysql', 'postgresql'])
def test_deployments_of_three_engines_get_their_signals(tmp_path, backend):
    with clusters.running_on_shared_servers(
        backend, tmp_path, engines=3, options='convergence_engine = true'
    ) as cluster:
        cluster.create('stack', TEMPLATE)
        clusters.wait_for(lambda: deployments(cluster, 'IN_PROGRESS') == WIDTH)
        assert len(holders(cluster)) > 1, cluster.service.logs()
        path = cluster.path('stack')
        signal(cluster, path, range(0, WIDTH, 2))
        # as in Heat, a signal is answered before it is handled
        clusters.wait_for(lambda: deployments(cluster, 'COMPLETE') == WIDTH / 2)
        cluster.kill(cluster.engines[0])
        signal(cluster, path, range(1, WIDTH, 2))
        states = cluster.wait(['stack'])
        assert states == {'stack': 'CREATE_COMPLETE'}, cluster.failure_reasons()
        outputs = cluster.request('GET', path).json()['stack']['outputs']
        found = {each['output_key']: each['output_value'] for each in outputs}
        assert found == {f'o{number}': f'of {number}' for number in range(WIDTH)}
        assert not cluster.violations()

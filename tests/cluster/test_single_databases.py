"""One PostgreSQL or MariaDB whose connections end, which restarts, and which is killed."""

import pytest

from tests.cluster import clients, faults, on


@on(('postgresql', 'lock'))
@pytest.mark.parametrize('group', ['database', 'engine', 'silent API'])
def test_promises_are_kept_on_postgresql_after_faults_of(site, group):
    clients.require_kept_after(site, faults.GROUPS[group])


@on(('mysql', 'convergence'))
def test_promises_are_kept_on_mariadb_after_faults_of_the_database(site):
    clients.require_kept_after(site, faults.GROUPS['database'])

import pytest


def on(*shapes):
    """Run a test on sites of these databases and walks, those of a site in one process."""
    sites = [pytest.param(each, marks=pytest.mark.xdist_group('-'.join(each))) for each in shapes]
    return pytest.mark.parametrize('site', sites, indirect=True, ids='-'.join, scope='module')

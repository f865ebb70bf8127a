"""The table from the names of Terraform to ours: our names exist, and its counts are true."""

import re

from heat_lite import resources
from heat_lite.clients.finders import FINDERS
from heat_lite.clients.service_catalog import SERVICES
from heat_lite.resources.openstack.lookup import PATH
from tests.pages import ROOT

TEXT = (ROOT / 'docs' / 'guide' / 'terraform_names.md').read_text()
MISSING, NO_OBJECT = '–', 'no object'


def rows(heading):
    """Return the cells of the rows of a table: the name, what is here, the note."""
    section = TEXT.partition(f'## {heading}\n')[2].partition('\n## ')[0]
    lines = [line for line in section.splitlines() if line[:1] == '|'][2:]
    return [re.split(r'\s*\|\s*', line)[1:-1] for line in lines]


def test_types_of_the_table_exist():
    names = set(resources.build_registry().names())
    for heading in ('Resources', 'What only other tools have'):
        for kind, here, reason in rows(heading):
            assert here not in (MISSING, NO_OBJECT) or reason, f'{kind}: why not?'
            assert set(re.findall(r'`(.+?)`', here)) <= names, kind


def test_lookups_of_the_table_exist():
    for kind, here, reason in rows('Data sources'):
        given = dict(re.findall(r'`(\w+): (.+?)`', here))
        assert given or here == MISSING and reason, kind
        assert given.get('kind', 'nova.flavor') in FINDERS, kind
        assert given.get('service', 'nova') in SERVICES, kind
        assert re.fullmatch(PATH, given.get('path', '/a')), kind
        assert ('service' in given) == ('path' in given), kind


def test_counts_of_the_page_are_those_of_its_table():
    told = re.search(
        r'Of the (\d+) resources a template can manage (\d+)\. .* are (\d+) kinds of objects; a '
        r'template can manage (\d+) of them, (\d+) %',
        re.sub(r'\s+', ' ', TEXT),
    )
    of_terraform = rows('Resources')
    kinds = [each for each in rows('What only other tools have') if each[1] != NO_OBJECT]
    there = [each for each in of_terraform if each[1] != MISSING]
    both = [*there, *(each for each in kinds if each[1] != MISSING)]
    total = len(of_terraform) + len(kinds)
    counts = [len(of_terraform), len(there), total, len(both), round(100 * len(both) / total)]
    assert list(map(int, told.groups())) == counts

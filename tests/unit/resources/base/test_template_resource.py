"""heat_lite.resources.base.template_resource: the cache of parsed templates."""

from heat_lite.resources.base.template_resource import fetch_template


def template(description):
    return f'heat_template_version: 2021-04-16\ndescription: "{description}"\n'


def test_template_that_was_parsed_is_not_parsed_again():
    files = {'a.yaml': template('parsed once')}
    assert fetch_template(files, 'a.yaml') is fetch_template(dict(files), 'a.yaml')


def test_parsed_templates_are_limited_in_length():
    files = {'a.yaml': template('evicted')}
    first = fetch_template(files, 'a.yaml')
    for number in range(5):
        fetch_template({'b.yaml': template(f'{number} ' + 'x' * 1_000_000)}, 'b.yaml')
    assert fetch_template(files, 'a.yaml') is not first
    assert fetch_template(files, 'a.yaml') == first

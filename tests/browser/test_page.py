"""The web page in a real browser: what a person does with it, and what must not happen in it."""

import json
import re
import time
import urllib.parse

import pytest

from tests import databases, identity, ports
from tests.browser import conftest
from tests.functional import shapes
from tests.functional.test_stack_lifecycle_rest import settled
from tests.timeouts import WAIT_SECONDS

TEST = 'OS::Heat::TestResource'
SHOP = """
heat_template_version: 2021-04-16
description: A small shop
parameter_groups:
- label: Size
  parameters: [count]
parameters:
  count:
    type: number
    label: Number of servers
    default: 2
    constraints: [{range: {min: 1, max: 9}}]
  plan: {type: string, default: small, constraints: [{allowed_values: [small, large]}]}
  secret: {type: string, hidden: true, default: abcdefgh}
resources:
  network: {type: OS::Heat::TestResource, properties: {value: a, wait_secs: 0}}
  password: {type: OS::Heat::RandomString, properties: {length: 12}}
  database: {type: OS::Heat::TestResource, depends_on: [network, password]}
  servers:
    type: OS::Heat::ResourceGroup
    depends_on: network
    properties:
      count: {get_param: count}
      resource_def: {type: OS::Heat::TestResource, properties: {value: {get_param: plan}}}
  balancer: {type: OS::Heat::TestResource, depends_on: [servers, database]}
outputs:
  password: {value: {get_attr: [password, value]}}
  address: {value: {get_attr: [balancer, output]}, description: Where the shop is}
"""
BROKEN = {
    'heat_template_version': '2021-04-16',
    'resources': {
        'before': {'type': TEST},
        'handle': {'type': 'OS::Heat::WaitConditionHandle'},
        'ready': {
            'type': 'OS::Heat::WaitCondition',
            'depends_on': 'before',
            'properties': {'handle': {'get_resource': 'handle'}, 'timeout': 1},
        },
        'after': {'type': TEST, 'depends_on': 'ready'},
    },
}
#: milliseconds from ``window.began`` to the frame with the rows of a table
PAINTED = """new Promise(done => {
  const look = () => document.querySelectorAll('.rows tbody tr').length > 10
    ? requestAnimationFrame(() => done(performance.now() - window.began)) : setTimeout(look, 5);
  look();
})"""
#: whether a view has its content; the editor is in a shadow root
SHOWN = """() => document.querySelector('.editor-root')
  || document.querySelector('.panel').textContent.length > 12"""
#: the tabs of a stack, the graph aside
TABS = ('resources', 'timeline', 'events', 'outputs', 'template', 'history', 'snapshots', 'drift')
MARKUP = '<img src=x onerror=alert(1)><script>alert(2)</script>"\'&{{7*7}}\u202eabc'


@pytest.fixture(scope='module')
def axe():
    file = conftest.ROOT / 'ui' / 'node_modules' / 'axe-core' / 'axe.min.js'
    if not file.exists():
        databases.skip_or_fail('axe-core is not installed: run "make ui"')
    return file.read_text()


def serious_findings(window, axe):
    window.page.evaluate(axe)
    found = window.page.evaluate('axe.run(document, {resultTypes: ["violations"]})')
    return [
        f'{each["id"]}: {each["nodes"][0]["html"][:200]} {each["nodes"][0]["failureSummary"][:300]}'
        for each in found['violations']
        if each['impact'] in ('serious', 'critical')
    ]


def walk_the_graph(page):
    """Go through the graph by the keyboard alone; the place is told to screen readers."""
    page.get_by_role('application').focus()
    told = page.locator('.graph-panel p[role=status]')
    seen = []
    for key in ('ArrowDown', 'ArrowDown', 'ArrowRight', 'ArrowUp', 'ArrowLeft'):
        page.keyboard.press(key)
        told.filter(has_text='CREATE_COMPLETE').wait_for(state='attached')
        seen.append(told.text_content())
    assert len(set(seen)) > 1, seen


def test_stack_is_created_and_its_graph_turns_green(window, tmp_path):
    page = window.open('stacks')
    page.get_by_role('link', name='New stack').click()
    file = tmp_path / 'shop.yaml'
    file.write_text(SHOP)
    page.get_by_label('Upload files').set_input_files(file)
    page.get_by_label('Name of the stack').fill('shop')
    page.get_by_label('Number of servers').fill('3')
    page.get_by_text('The template is valid').wait_for()
    window.picture('create')
    page.get_by_role('button', name='Preview').click()
    page.get_by_text('to create').wait_for()
    page.get_by_text('(known after apply: balancer.output)').wait_for()
    window.picture('create-preview')
    page.get_by_role('button', name='Create the stack').click()
    window.wait_for_tones({'complete': 5})
    page.get_by_role('button', name='Open nested').click()
    window.wait_for_tones({'complete': 8})
    window.picture('graph')
    walk_the_graph(page)
    page.get_by_role('link', name='outputs').click()
    page.get_by_text('Where the shop is').wait_for()
    assert page.get_by_role('button', name='Show the value').count() == 1


def test_history_shows_differences_and_leads_back(window, service):
    def template(value):
        start = 'heat_template_version: 2021-04-16\nresources:\n  a:\n'
        return f'{start}    type: {TEST}\n    properties:\n      {value}\n'

    body = {'stack_name': 'past', 'template': template('value: one'), 'message': '<b>first</b>'}
    made = service.ask('POST', '/stacks', body).json()['stack']
    path = f'/stacks/past/{made["id"]}'
    settled(service, path)
    changed = {'template': template('value: two'), 'tags': 'x', 'message': 'a better value'}
    assert service.ask('PATCH', path, changed).status_code == 202
    settled(service, path)
    page = window.open(f'stacks/past/{made["id"]}/history')
    page.get_by_text('<b>first</b>').wait_for()
    page.get_by_role('button', name='Differences').click()
    page.locator('.lines ins', has_text='value: two').wait_for()
    page.locator('.lines del', has_text='value: one').wait_for()
    page.locator('.properties', has_text='tags').wait_for()
    window.picture('history')
    page.get_by_role('button', name='Apply').click()
    page.get_by_text('1 to update').wait_for()
    page.get_by_label('Why').fill('the way back')
    window.picture('history-apply')
    page.get_by_role('button', name='Update the stack').click()
    page.get_by_text('the way back').wait_for()
    stack = settled(service, path)
    assert (stack['stack_status'], stack['tags']) == ('UPDATE_COMPLETE', [])


def test_hidden_parameter_of_each_type_is_covered_while_it_is_typed(window, service):
    page = window.open('create')
    kinds = {'word': 'string', 'size': 'number', 'data': 'json', 'many': 'comma_delimited_list'}
    parameters = {name: {'type': kind, 'hidden': True} for name, kind in kinds.items()}
    parameters['mode'] = {'type': 'boolean', 'hidden': True, 'default': True}
    length = {'get_param': ['data', 'length']}
    password = {'type': 'OS::Heat::RandomString', 'properties': {'length': length}}
    template = {
        'heat_template_version': '2021-04-16',
        'parameters': parameters,
        'resources': {'password': password},
        'outputs': {'it': {'value': {'get_attr': ['password', 'value']}}},
    }
    file = {'name': 'it.json', 'mimeType': 'text/plain', 'buffer': json.dumps(template).encode()}
    page.get_by_label('Upload files').set_input_files(files=[file])
    page.get_by_label('Name of the stack').fill('covered')
    for name, value in (('word', 'a'), ('size', '7'), ('data', '{"length": 9}'), ('many', 'a,b')):
        field = page.locator(f'#parameter-{name}')
        assert field.get_attribute('type') == 'password', name
        field.fill(value)
    assert page.locator('#parameter-mode').input_value() == ''
    page.get_by_text('The template is valid').wait_for()
    page.get_by_role('button', name='Preview').click()
    page.get_by_role('button', name='Create the stack').click()
    window.wait_for_tones({'complete': 1})
    stack_id = re.search('[0-9a-f-]{36}', page.url)[0]
    shown = service.ask('GET', f'/stacks/covered/{stack_id}').json()
    outputs = shown['stack']['outputs']
    assert len(outputs[0]['output_value']) == 9


def test_newcomer_is_led_from_a_mistake_to_a_repair(window):
    page = window.open('create')
    page.get_by_text('The example works as it is').wait_for()
    preview = page.get_by_role('button', name='Preview')
    preview.click()  # without a name the browser tells what is missing
    name = page.get_by_label('Name of the stack')
    assert name.evaluate('field => field === document.activeElement && !field.validity.valid')
    name.fill('newcomer')
    failing = {'type': TEST, 'properties': {'value': 'a', 'fail': True}}
    text = json.dumps({'heat_template_version': '2021-04-16', 'resources': {'server': failing}})
    file = {'name': 'template.json', 'mimeType': 'text/plain', 'buffer': text.encode()}
    page.get_by_label('Upload files').set_input_files(files=[file])
    page.get_by_text('The template is valid').wait_for()
    preview.click()
    page.get_by_role('button', name='Create the stack').click()
    card = page.get_by_role('region', name='Failure')
    card.get_by_text('Test Resource failed server').wait_for()
    window.picture('newcomer-failure')
    card.get_by_role('link', name='Correct the template').click()
    editor = page.get_by_role('textbox', name='Text of template')
    editor.get_by_text('true', exact=True).dblclick()
    page.keyboard.type('false')
    page.get_by_text('The template is valid').wait_for()
    preview.click()
    diff = page.get_by_role('dialog')
    diff.get_by_text('1 to replace').wait_for()
    # of all properties only what differs
    assert diff.locator('tbody th').all_text_contents() == ['fail']
    page.get_by_role('button', name='Update the stack').click()
    page.get_by_text('update complete').first.wait_for()
    card.wait_for(state='detached')


def test_failure_is_explained_and_a_retry_repairs_it(window, make):
    path = make('broken', BROKEN)
    page = window.open(path)
    card = page.get_by_role('region', name='Failure')
    card.get_by_text('0 of 1 received').first.wait_for()
    assert card.get_by_role('button', name='ready', exact=True).count() == 1
    window.wait_for_tones({'complete': 2, 'failed': 1, 'none': 1})
    window.picture('failure')
    card.get_by_role('link', name='place in the template').click()
    page.locator('.cm-lintRange-error').first.wait_for()
    page.get_by_role('link', name='resources').click()
    page.get_by_role('button', name='handle', exact=True).click()
    page.get_by_role('button', name='Signal…').click()
    page.get_by_role('button', name='Send').click()
    page.get_by_role('dialog').wait_for(state='detached')
    page.get_by_role('link', name='graph').click()
    card.get_by_role('button', name='Retry').click()
    window.wait_for_tones({'complete': 4})
    card.wait_for(state='detached')


def test_update_shows_its_changes_before_it_starts(window, make):
    template = SHOP.replace('description: A small shop', 'description: A shop')
    path = make('shop-two', template)
    page = window.open(path, 'update')
    page.get_by_label('Number of servers').fill('3')
    editor = page.get_by_role('textbox', name='Text of template')
    editor.get_by_text('12', exact=True).dblclick()
    page.keyboard.type('20')
    page.get_by_text('The template is valid').wait_for()
    page.get_by_role('button', name='Preview').click()
    diff = page.get_by_role('dialog')
    diff.get_by_text('1 to replace').wait_for()
    assert diff.locator('.replace .before').first.text_content() == '12'
    assert diff.locator('.replace .after').first.text_content() == '20'
    stack = diff.locator('section').filter(has_text='Parameters')
    assert stack.locator('th, td.before, td.after').all_text_contents() == ['count', '2', '3']
    window.picture('update-preview')
    page.get_by_role('button', name='Update the stack').click()
    page.get_by_text('update complete').first.wait_for()
    page.get_by_role('link', name='timeline').click()
    page.get_by_role('button', name='password').first.wait_for()
    page.get_by_role(
        'img', name=re.compile(r'calling [\d.]+ m?s; on the critical path')
    ).first.wait_for()
    page.get_by_label('Only the critical path').check()
    page.get_by_role('button', name='network').wait_for(state='detached')
    window.picture('timeline')


def test_update_with_emptied_fields_sends_them(window, service, make):
    template = f"""
heat_template_version: 2021-04-16
parameters: {{note: {{type: string, default: a note, label: Note}}}}
resources: {{r: {{type: {TEST}, properties: {{value: {{get_param: note}}}}}}}}
"""
    path = make('emptied', template, tags='web')
    page = window.open(path, 'update')
    page.get_by_label('Note').fill('')
    page.get_by_text('Options').click()
    page.get_by_label('Tags').fill('')
    page.get_by_role('button', name='Preview').click()
    page.get_by_role('button', name='Update the stack').click()
    page.get_by_text('update complete').first.wait_for()
    stack = service.ask('GET', f'/{path}').json()['stack']
    assert (stack['parameters']['note'], stack['tags']) == ('', [])


def test_update_after_that_of_another_user_is_refused(window, service, make):
    path = make('shop-shared', SHOP)
    page = window.open(path, 'update')
    page.get_by_label('Number of servers').fill('3')
    page.get_by_text('The template is valid').wait_for()
    assert service.ask('PATCH', f'/{path}', {'tags': 'other'}).status_code == 202
    page.get_by_role('button', name='Preview').click()
    page.get_by_role('button', name='Update the stack').click()
    page.get_by_text('it was changed meanwhile').wait_for()


def test_timeline_tells_calls_from_waits_of_both_kinds(window, make):
    slow = {'type': TEST, 'properties': {'action_wait_secs': {'create': 3}}}
    template = {
        'heat_template_version': '2021-04-16',
        'resources': {'slow': slow, 'after': {**slow, 'depends_on': 'slow'}},
    }
    page = window.open(make('phases', template, wait=False), 'timeline')
    page.get_by_text('calling and waiting').wait_for()  # as long as the end is not known
    page.get_by_role('img', name='waiting for the cloud').nth(1).wait_for()
    bar = page.get_by_role('img').last
    name = bar.get_attribute('aria-label')
    assert re.match(r'waiting for other resources [345]\.\d s, calling [\d.]+ m?s, waiting', name)
    widths = bar.locator('.phase').evaluate_all('all => all.map((each) => each.offsetWidth)')
    assert widths[0] > 100 and widths[-1] > 100
    assert page.get_by_text('calling and waiting').count() == 0
    window.picture('timeline-phases')


def test_mistake_is_shown_at_its_place_while_one_types(window):
    page = window.open('create')
    page.get_by_text('The template is valid').wait_for()
    editor = page.get_by_role('textbox', name='Text of template')
    editor.get_by_text('OS::Heat::RandomString').click()
    page.keyboard.press('End')
    page.keyboard.type('X')
    page.get_by_text('Did you mean "OS::Heat::RandomString"?').first.wait_for()
    page.locator('.cm-lintRange-error').first.wait_for()
    assert page.get_by_role('button', name='template:15:11').count() == 1


@pytest.mark.parametrize(
    ('line', 'word', 'text'),
    [
        ('parameters: {p: {type: strin}}', 'strin', 'Invalid type (strin)'),
        ('outputs: {p: 1, p: 2}', 'p', 'Map keys must be unique'),
    ],
)
def test_mark_covers_the_faulty_word_and_the_place_is_told_once(window, line, word, text):
    page = window.open('create')
    template = f'heat_template_version: 2021-04-16\n{line}\n'
    file = {'name': 'it.yaml', 'mimeType': 'text/plain', 'buffer': template.encode()}
    page.get_by_label('Upload files').set_input_files(files=[file])
    finding = page.get_by_role('listitem').filter(has_text=text)
    finding.wait_for()
    assert 'at line' not in finding.text_content()
    page.locator('.cm-lintRange-error').get_by_text(word, exact=True).wait_for()


def confirm(page, button, word=None):
    """Confirm the open dialog by its button; type the word that it asks for."""
    dialog = page.get_by_role('dialog')
    if word is not None:
        assert dialog.get_by_role('button', name=button).is_disabled()
        dialog.get_by_role('textbox').fill(word)
    dialog.get_by_role('button', name=button).click()


def choose(page, verb):
    page.get_by_label('More actions').click()
    page.get_by_role('button', name=verb, exact=True).click()


def test_verbs_act_on_a_stack(window, make):
    template = SHOP.replace('description: A small shop', 'description: Verbs')
    page = window.open(make('verbs', template))
    for verb, state in (('Check', 'check'), ('Suspend', 'suspend'), ('Resume', 'resume')):
        choose(page, verb)
        page.get_by_text(f'{state} complete').first.wait_for()
    choose(page, 'Snapshots')
    page.get_by_label('Name of the new snapshot').fill('before')
    page.get_by_role('button', name='Take a snapshot').click()
    page.get_by_role('button', name='Restore…').click()
    confirm(page, 'Restore')
    page.get_by_text('restore complete').first.wait_for()
    page.get_by_role('button', name='Delete…').last.click()
    confirm(page, 'Delete')
    page.get_by_text('There is no snapshot').wait_for()
    page.get_by_role('link', name='drift').click()
    page.get_by_role('button', name='Compare with the cloud').click()
    page.get_by_text('Nothing was changed by others').wait_for()
    choose(page, 'Protect')
    choose(page, 'Delete…')
    confirm(page, 'Delete', 'verbs')
    page.get_by_role('dialog').get_by_text('protected').wait_for()
    page.get_by_role('button', name='Keep as it is').click()
    choose(page, 'Unprotect')
    choose(page, 'Abandon…')
    confirm(page, 'Abandon', 'verbs')
    document = page.get_by_label('Document of the abandoned stack').input_value()
    assert json.loads(document)['name'] == 'verbs'
    page.get_by_label('Close').click()
    page.get_by_role('heading', name='Stacks').wait_for()


def test_several_stacks_are_deleted_after_a_word(window, make):
    for number in range(3):
        make(f'many-{number}', BROKEN if number == 2 else SHOP)
    page = window.open('stacks')
    # all stacks of the project are searched, not only those that a list begins with
    with page.expect_request(lambda request: 'limit=5000' in request.url):
        page.get_by_label('Filter by name').fill('many-')
    with page.expect_request(lambda request: 'status=FAILED' in request.url):
        page.get_by_role('button', name='Failed').click()
    page.get_by_label('Select many-2').wait_for()
    page.get_by_label('Select many-0').wait_for(state='detached')
    page.get_by_role('button', name='All').click()
    for number in range(3):
        page.get_by_label(f'Select many-{number}').check()
    page.get_by_role('button', name='Delete 3…').click()
    confirm(page, 'Delete', 'delete 3 stacks')
    page.get_by_text('No stack matches these filters').wait_for()


def test_draft_is_kept_over_a_reload_links_and_back(window):
    page = window.open('create')
    page.get_by_text('The template is valid').wait_for()
    file = {'name': 'shelf.yaml', 'mimeType': 'text/plain', 'buffer': SHOP.encode()}
    page.get_by_label('Upload files').set_input_files(files=[file])
    name, count = page.get_by_label('Name of the stack'), page.get_by_label('Number of servers')
    assert name.input_value() == 'shelf'  # that of the file
    count.fill('7')
    page.get_by_label('secret').fill('planted-secret')
    for leave in (page.reload, lambda: window.open('types'), page.go_back):
        leave()
        if '/types' in page.url:
            continue
        page.get_by_text('This is your draft').wait_for()
        assert (name.input_value(), count.input_value()) == ('shelf', '7')
        page.get_by_role('textbox', name='Text of template').get_by_text('A small shop').wait_for()
        assert 'planted-secret' not in page.evaluate('JSON.stringify(sessionStorage)')
    assert window.questions == 1
    window.open('stacks').get_by_role('link', name='new stack shelf').click()
    page.get_by_role('button', name='Discard the draft').click()
    page.get_by_text('A password and a message with it').wait_for()
    assert page.evaluate('sessionStorage.length') == 0


def test_rollback_shows_its_cause_and_keeps_the_text(window, service, make):
    text = json.dumps(
        {
            'heat_template_version': '2021-04-16',
            'resources': {
                'group': {
                    'type': 'OS::Heat::ResourceGroup',
                    'properties': {
                        'count': 2,
                        # both have begun when the first one fails
                        'resource_def': {
                            'type': TEST,
                            'properties': {'action_wait_secs': {'update': 1}, 'value': 'old'},
                        },
                    },
                }
            },
        },
        indent=1,
    )
    path = make('undone', text, disable_rollback=False)
    page = window.open(path, 'update')
    editor = page.get_by_role('textbox', name='Text of template')
    editor.get_by_text('"old"').dblclick()
    page.keyboard.type('new')  # only an update of the value takes its second
    page.keyboard.press('End')
    page.keyboard.type(', "fail": true')
    page.get_by_text('The template is valid').wait_for()
    page.get_by_role('button', name='Preview').click()
    # the list of events as it is when the update begins arrives after all events of the stream
    held = []
    page.route(
        re.compile(r'/events\?.*sort_dir=desc'),
        lambda route: held.append((route, route.fetch().json()['events'])),
        times=1,
    )
    page.get_by_role('button', name='Update the stack').click()
    while not (held and conftest.status_of(service, f'/{path}') == 'ROLLBACK_COMPLETE'):
        page.wait_for_timeout(50)
    route, events = held.pop()
    texts = [each['resource_status_reason'] for each in events]
    begin = texts.index('Stack UPDATE started') if 'Stack UPDATE started' in texts else 0
    route.fulfill(json={'events': events[begin:]})
    card = page.get_by_role('region', name='Failure')
    card.get_by_text('Update failed and was rolled back').wait_for()
    card.get_by_text('2 ×').wait_for()
    for member in ('group/0', 'group/1'):
        card.get_by_role('button', name=member, exact=True).wait_for()
    card.get_by_text('resource_def of group').first.wait_for()
    window.picture('rollback')
    card.get_by_role('link', name='Correct the template').click()
    page.get_by_text('This is the text of the update that failed').wait_for()
    editor.get_by_text('"fail"').wait_for()


def test_stack_that_is_not_there_shows_that_alone(window, service, make):
    path = make('brief', BROKEN)
    page = window.open('stacks', 'brief', 'events')
    page.wait_for_url(f'**/{path}/events')
    assert service.ask('DELETE', f'/{path}').status_code == 204
    page.get_by_text('The stack was deleted').wait_for()
    assert page.get_by_role('navigation').count() == 1 and page.get_by_role('table').count() == 0
    for place in ('stacks/brief', f'{path}1/template', 'stacks/none/update'):
        window.open(place)
        # what the tab asked for may be refused before the stack itself
        page.get_by_role('link', name='All stacks').wait_for()
        assert page.get_by_role('alert').count() == 1
        assert page.get_by_role('main').get_by_role('link').all_text_contents() == ['All stacks']


def test_text_of_the_author_is_shown_and_edited(window, service, make):
    text = SHOP.replace('resources:', '# what it is made of\nresources:')
    path = make('texts', text)
    page = window.open(path, 'template')
    page.get_by_text('# what it is made of').wait_for()
    with page.expect_download() as download:
        page.get_by_role('button', name='Download').click()
    assert download.value.path().read_text() == text
    page.get_by_role('link', name='Edit').click()
    page.get_by_role('textbox', name='Text of template').get_by_text('# what it').click()
    page.keyboard.press('End')
    page.keyboard.type(' today')
    page.get_by_text('The template is valid').wait_for()
    page.get_by_role('button', name='Preview').click()
    page.get_by_text('Nothing would change but the text').wait_for()
    page.get_by_role('button', name='Update the stack').click()
    page.get_by_text('update complete').first.wait_for()
    stored = service.ask('GET', f'/{path}/template_text').json()['template_text']
    assert stored == text.replace('made of', 'made of today')


def test_equal_members_are_folded_and_found(window, make):
    resources = {f'leaf{number}': {'type': TEST} for number in range(20)}
    path = make('folds', {'heat_template_version': '2021-04-16', 'resources': resources})
    page = window.open(path)
    canvas = page.locator('.canvas')
    window.wait_for_tones({'complete': 20})
    assert canvas.get_attribute('data-nodes') == '1'
    page.get_by_label('Search the graph').fill('leaf1')
    page.get_by_text('11 of 20').wait_for()
    page.get_by_role('application').focus()
    page.keyboard.press('ArrowDown')
    page.keyboard.press('Enter')
    page.locator('.canvas[data-nodes="20"]').wait_for()
    page.get_by_label('Search the graph').press('Enter')
    page.get_by_role('complementary').get_by_role('heading', name='leaf1', exact=True).wait_for()
    page.get_by_role('button', name='Fold equal').click()
    page.locator('.canvas[data-nodes="1"]').wait_for()


def test_tables_are_ordered_and_exported(window, make):
    names = ['c', '=b', 'a']
    template = {
        'heat_template_version': '2021-04-16',
        'resources': {n: {'type': TEST} for n in names},
    }
    page = window.open(make('ordered', template), 'resources')
    page.get_by_role('button', name='Resource', exact=True).click()
    page.get_by_role('columnheader', name='Resource').and_(
        page.locator('[aria-sort=ascending]')
    ).wait_for()
    page.locator('.rows td.name').nth(2).wait_for()
    shown = page.locator('.rows td.name').all_text_contents()
    assert shown == ['=b', 'a', 'c']
    with page.expect_download() as download:
        page.get_by_role('button', name='Export').click()
    lines = download.value.path().read_text().splitlines()
    assert lines[0] == 'Path,Resource,Status,Type,Physical id,Changed'
    assert [line.split(',')[1] for line in lines[1:]] == ["'=b", 'a', 'c']


def test_service_shows_limits_and_documentation(window):
    page = window.open('service')
    page.get_by_label('Used of max_stacks_per_tenant').wait_for()
    page.get_by_role('cell', name='up').wait_for()
    page.get_by_role('link', name='Limits', exact=True).click()
    page.get_by_role('heading', name='Limits').wait_for()
    page.get_by_role('link', name='Documentation').click()
    page.get_by_role('article').get_by_role('link', name='First stack').click()
    page.get_by_role('article').get_by_role('heading').first.wait_for()


def test_cancel_and_forced_delete_end_a_stack(window, make):
    slow = json.loads(json.dumps(BROKEN).replace('"timeout": 1', '"timeout": 600'))
    assert slow != BROKEN
    page = window.open(make('slow', slow, wait=False))
    page.get_by_role('button', name='Cancel…').click()
    confirm(page, 'Cancel the action')
    page.get_by_text('create failed').first.wait_for()
    choose(page, 'Delete with force…')
    confirm(page, 'Delete with force', 'slow')
    page.get_by_text('The stack was deleted').wait_for()


def test_editor_shows_what_the_linter_finds_and_completes_keys(window):
    page = window.open('create')
    page.get_by_text('The template is valid').wait_for()
    text = (
        'heat_template_version: 2021-04-16\nresources:\n  one:\n    type: OS::Heat::RandomString\n'
        '    properties:\n      lenght: 3\n      '
    )
    file = {'name': 'template.yaml', 'mimeType': 'text/plain', 'buffer': text.encode()}
    page.get_by_label('Upload files').set_input_files(files=[file])
    finding = page.locator('ul.findings li.error', has_text='lenght')
    finding.wait_for()
    page.get_by_role('button', name='template:6:7').click()  # the cursor is in that line
    page.locator('.cm-editor.cm-focused').wait_for()
    page.keyboard.press('ArrowDown')
    page.keyboard.press('End')
    page.keyboard.press('Control+Space')
    page.locator('.cm-tooltip-autocomplete li', has_text='character_classes').wait_for()


def test_api_is_described_by_the_page(window):
    page = window.open('stacks')
    page.get_by_role('link', name='API', exact=True).click()
    page.get_by_label('Filter requests').fill('drift')
    page.get_by_role('link', name='GET /stacks/{stack_name}/{stack_id}/drift').click()
    detail = page.get_by_label('Description')
    detail.get_by_text('nested_depth').wait_for()
    assert 'actions:check' in detail.inner_text()
    detail.get_by_text('304').wait_for()
    page.get_by_label('Filter requests').fill('')
    page.get_by_role('link', name='POST /stacks', exact=True).click()
    detail.get_by_text('template_url').wait_for()
    assert page.evaluate('fetch("/openapi.json").then((each) => each.status)') == 200


def test_focus_returns_from_the_menu_its_dialogs_and_a_resource(window, make):
    page = window.open(make('focus', SHOP.replace('A small shop', 'Focus')), 'resources')
    menu = page.get_by_label('More actions')
    has_focus = 'each => each === document.activeElement'
    menu.press('Enter')
    page.get_by_role('button', name='Check').press('Escape')
    assert menu.evaluate(has_focus)
    menu.press('Enter')
    page.get_by_role('button', name='Delete…').press('Enter')
    page.get_by_role('dialog').get_by_role('textbox').press('Escape')
    page.get_by_role('dialog').wait_for(state='detached')
    assert menu.evaluate(has_focus)
    resource = page.get_by_role('button', name='database', exact=True)
    resource.press('Enter')
    detail = page.get_by_role('complementary', name='Resource database')
    detail.wait_for()
    resource.press('Escape')
    detail.wait_for(state='detached')


def test_failure_in_a_module_leads_to_its_file_and_is_drawn(window, make):
    failing = {'type': TEST, 'properties': {'fail': True}}
    module = {'heat_template_version': '2021-04-16', 'resources': {'db': failing}}
    template = {**BROKEN, 'resources': {'module': {'type': 'db.yaml'}}}
    text = f'# the text of its author\n{json.dumps(module)}'
    page = window.open(make('in-module', template, files={'db.yaml': text}))
    card = page.get_by_role('region', name='Failure')
    card.get_by_role('button', name='module/db').click()
    page.locator('.canvas[data-nodes="2"]').wait_for()  # the nested stack is opened
    card.get_by_role('link', name='place in db.yaml').click()
    page.get_by_text('the text of its author').wait_for()
    assert page.locator('.cm-lintRange-error').text_content() == '"db"'


def test_event_of_a_nested_stack_leads_to_its_resource(window, make):
    page = window.open(make('nested-events', SHOP.replace('A small shop', 'Events')), 'events')
    row = page.get_by_role('row').filter(has_text='Stack CREATE completed')
    row.get_by_role('button', name='servers', exact=True).click()
    page.get_by_role('complementary', name='Resource servers').wait_for()


def test_button_without_an_answer_is_not_said_to_be_tried_again(window):
    page = window.open('create')
    page.get_by_label('Name of the stack').fill('away')
    page.get_by_text('The template is valid').wait_for()
    page.route('**/stacks/preview', lambda route: route.abort())
    page.get_by_role('button', name='Preview').click()
    page.get_by_text('Try again when it is back').wait_for()


def test_hostile_names_stay_text(window, make):
    template = {
        'heat_template_version': '2021-04-16',
        'description': MARKUP,
        'parameter_groups': [{'label': MARKUP, 'description': MARKUP, 'parameters': [MARKUP]}],
        'parameters': {
            MARKUP: {'type': 'string', 'default': MARKUP, 'label': MARKUP, 'description': MARKUP}
        },
        'resources': {
            'bad': {'type': TEST, 'properties': {'value': MARKUP}, 'metadata': {MARKUP: MARKUP}},
            MARKUP.replace('/', '|'): {'type': TEST, 'properties': {'value': MARKUP}},
        },
        'outputs': {MARKUP: {'value': MARKUP, 'description': MARKUP}},
    }
    path = make('hostile', template, tags='<b>x</b>')
    page = window.open('stacks')
    page.get_by_text('<b>x</b>').wait_for()
    for tab in ('graph', 'resources', 'timeline', 'events', 'outputs', 'template', 'drift'):
        window.open(path, tab)
        page.get_by_role('region', name=tab, exact=True).wait_for()
        page.wait_for_function(SHOWN)
        assert page.locator('img[src], script:not([src])').count() == 0
    window.open(f'{path}/resources?resource=bad')
    page.get_by_role('complementary').get_by_text('onerror').first.wait_for()
    window.picture('hostile')
    window.open(path, 'update')
    page.get_by_text('onerror').first.wait_for()
    page.get_by_role('button', name='Preview').click()
    page.get_by_role('dialog').get_by_role('button', name='Back').wait_for()
    assert page.locator('img[src], script:not([src])').count() == 0
    for part in ('a"><img src=x onerror=alert(1)>', '%00', '\u202e'):
        window.open('stacks', urllib.parse.quote(part), urllib.parse.quote(part))
        page.get_by_role('alert').first.wait_for()


def test_names_without_visible_letters_are_seen(window, make):
    names = ['\u202eevil', '\u200b\u200d\ufeff', 'İıſ', '__proto__', 'r' * 255]
    template = {
        'heat_template_version': '2021-04-16',
        'resources': {name: {'type': TEST} for name in names},
        'outputs': {name: {'value': name} for name in names},
    }
    path = make('s' * 255, template, tags='\u202egat')
    for tab in ('resources', 'events', 'outputs'):
        page = window.open(path, tab)
        region = page.get_by_role('region', name=tab, exact=True)
        for text in ('·evil', '···', 'İıſ', '__proto__', 'r' * 255):
            region.get_by_text(text, exact=True).first.wait_for()
        page.get_by_text('·gat', exact=True).wait_for()
        assert page.evaluate('document.documentElement.scrollWidth') <= conftest.DESKTOP['width']
    window.open(f'{path}/resources?resource=__proto__')
    page.get_by_role('complementary').get_by_role('heading', name='__proto__').wait_for()


def test_thousand_resources_are_painted_at_once(window, make, record_property):
    resources = {
        f'r{number}': {'type': TEST, 'properties': {'value': f'{{get_attr: [r{number - 10}]}}'}}
        | ({'depends_on': f'r{number - 10}'} if number >= 10 else {})
        for number in range(1000)
    }
    path = make('large', {'heat_template_version': '2021-04-16', 'resources': resources})
    page = window.open('service')
    page.get_by_role('heading', name='Engines').wait_for()
    page.evaluate('window.began = performance.now()')
    page.evaluate(f'location.hash = "#/demo/{path}/resources"')
    took = page.evaluate(PAINTED)
    record_property('milliseconds', took)
    print(f'1000 resources painted after {took:.0f} ms')
    assert page.locator('.rows tbody tr').count() < 100
    page.get_by_role('link', name='graph').click()
    window.wait_for_tones({'complete': 1000})
    window.picture('large')
    if conftest.is_at_rest():
        assert took < 1500


#: a place of each view that reads something of its own
VIEWS = {
    'stacks': 'There is no stack in this project yet',
    'create': 'The template is valid',
    'types': 'OS::Heat::RandomString',
    'service': 'template size',
    'api': 'GET /stacks',
    'docs': 'you want to',
}


def test_each_view_returns_after_an_outage(chromium, tmp_path):
    port = ports.reserve()
    service = shapes.Service('embedded', f'http://127.0.0.1:{port}/v1', 'demo', tmp_path)
    command = (shapes.BIN / 'heat-lite', 'up', '--port', port, '--data-dir', tmp_path / 'data')
    first = shapes.start(service, 'up', *command)
    with shapes.running(service):
        windows = {view: conftest.Window(chromium, f'http://127.0.0.1:{port}') for view in VIEWS}
        other = conftest.Window(chromium, f'http://127.0.0.1:{port}')
        window = windows['stacks']
        page = window.open('stacks')
        page.get_by_text(VIEWS['stacks']).wait_for()
        other.open('stacks').get_by_text(VIEWS['stacks']).wait_for()
        for view in VIEWS:
            windows[view].open('stacks').get_by_text(VIEWS['stacks']).wait_for()
        shapes.stop(first)
        page.get_by_role('alert').wait_for()
        for view in VIEWS:  # opened while the service is away
            windows[view].page.evaluate('view => { location.hash = `#/demo/${view}` }', view)
        other.page.evaluate('location.hash = "#/demo/stacks/later"')
        other.page.get_by_role('alert').wait_for()
        shapes.start(service, 'up', *command)
        shapes.wait_until_ready(service)
        for view, text in VIEWS.items():
            windows[view].page.get_by_text(text).first.wait_for()
            windows[view].page.get_by_role('alert').wait_for(state='detached')
        template = {'heat_template_version': '2021-04-16', 'resources': {'a': {'type': TEST}}}
        body = {'stack_name': 'later', 'template': template}
        assert service.ask('POST', '/stacks', body).status_code == 201
        page.get_by_role('link', name='later').wait_for()
        for each in (*windows.values(), other):
            each.close()


def test_page_continues_after_the_network_of_the_browser_was_away(window, make):
    page = window.open('stacks')
    page.get_by_role('link', name='New stack').wait_for()
    page.context.set_offline(True)
    try:
        make('meanwhile', {'heat_template_version': '2021-04-16'})
        time.sleep(1)  # longer than an event takes to the page
        assert not page.get_by_role('link', name='meanwhile').is_visible()
    finally:
        page.context.set_offline(False)
    page.get_by_role('link', name='meanwhile').wait_for()
    assert page.get_by_role('link', name='meanwhile').count() == 1


def test_failed_stack_is_retried_by_the_keyboard_alone(window, service, make):
    path = make('keys', BROKEN)
    page = window.open('stacks')
    page.get_by_role('link', name='keys', exact=True).wait_for()
    press_until(page, 'keys')
    page.keyboard.press('Enter')
    page.get_by_role('button', name='Retry').first.wait_for()
    press_until(page, 'Retry')
    page.keyboard.press('Enter')
    end = time.monotonic() + WAIT_SECONDS
    while conftest.status_of(service, f'/{path}') == 'CREATE_FAILED':
        assert time.monotonic() < end
        time.sleep(0.1)


def press_until(page, text):
    """Press the tabulator until an element with this text has the focus."""
    for _ in range(60):
        page.keyboard.press('Tab')
        if page.evaluate('document.activeElement.textContent').strip() == text:
            return
    raise AssertionError(f'no press of the tabulator reaches {text}')


@pytest.mark.parametrize('scheme', ['light', 'dark'])
@pytest.mark.parametrize('size', ['desktop', 'phone'])
def test_views_are_accessible(chromium, service, make, axe, scheme, size):
    name = f'seen-{scheme}-{size}'
    path = make(name, BROKEN, tags='web,prod')
    viewport = {'desktop': conftest.DESKTOP, 'phone': conftest.PHONE}[size]
    site = service.url.removesuffix('/v1')
    window = conftest.Window(chromium, site, viewport=viewport, color_scheme=scheme)
    views = {
        'stacks': ['stacks'],
        'failed': [f'{path}/graph?resource=ready'],
        **{tab: [path, tab] for tab in TABS},
        'compose': ['create'],
        'type': ['types', 'OS::Heat::RandomString'],
        'service': ['service'],
        'docs': ['docs', 'guide', 'index.md'],
        'api': ['api', 'stacks_create'],
    }
    ready = {
        'stacks': name,
        'failed': 'What',
        'compose': 'The template is valid',
        'type': 'Properties',
        'api': 'Answers',
        'service': 'Stacks at work',
        'docs': 'ten minutes',
    }
    findings = {}
    for view, parts in views.items():
        page = window.open(*parts)
        page.get_by_text(ready.get(view, '')).first.wait_for()
        if view in TABS:
            page.wait_for_function(SHOWN)
        width = page.evaluate('document.documentElement.scrollWidth')
        assert width <= viewport['width'], view
        found = serious_findings(window, axe)
        findings |= {view: found} if found else {}
        window.picture(f'{view}-{size}-{scheme}')
    window.close()
    assert findings == {}, json.dumps(findings, indent=1)


def test_login_by_keystone_stays_in_the_tab(chromium, tmp_path):
    more = '\n[heat_lite]\nweb_page = true\nweb_page_auth_url = {auth_url}\n'
    with shapes.split(tmp_path, 'page', 'mysql', keystone=True, more=more) as service:
        site = service.url.removesuffix('/v1')
        service.keystone.allowed_origin = site
        window = conftest.Window(chromium, site)
        window.allowed.append(service.auth_url)
        page = window.page
        page.goto(f'{site}/ui/')
        page.get_by_label('User').fill('demo')
        page.get_by_label('Password', exact=True).fill('wrong')
        page.get_by_label('Project', exact=True).fill('demo')
        page.get_by_role('button', name='Log in').click()
        page.get_by_text('Keystone refuses the login').wait_for()
        window.picture('login')
        page.get_by_label('Password', exact=True).fill('secret')
        page.get_by_role('button', name='Log in').click()
        page.get_by_text('There is no stack in this project yet').wait_for()
        assert page.evaluate('localStorage.length + sessionStorage.length') == 0
        assert 'secret' not in page.url and page.context.cookies() == []
        service.keystone.users['demo']['other_projects'] = ['second']
        page.get_by_role('link', name='New stack').click()
        page.get_by_role('button', name='Log out').click()
        page.get_by_label('User').fill('demo')
        page.get_by_label('Password', exact=True).fill('secret')
        page.get_by_label('Project', exact=True).fill('demo')
        page.get_by_role('button', name='Log in').click()
        page.get_by_role('button', name='Log out').wait_for()
        page.get_by_label('Project', exact=True).select_option('second')
        page.get_by_text('There is no stack in this project yet').wait_for()
        assert identity.ident('second') in page.url
        page.reload()
        page.get_by_role('button', name='Log in').wait_for()
        window.close()


def test_link_with_the_token_logs_in_and_leaves_no_token_in_the_address(chromium, tmp_path):
    port, data = ports.reserve(), tmp_path / 'data'
    service = shapes.Service('embedded', f'http://127.0.0.1:{port}/v1', 'default', tmp_path)
    words = ('up', '--port', port, '--data-dir', data, '--require-token')
    process = shapes.start(service, 'up', shapes.BIN / 'heat-lite', *words)
    try:
        end = time.monotonic() + WAIT_SECONDS
        while 'web page: ' not in service.logs() and time.monotonic() < end:
            time.sleep(0.05)
        token = (data / 'token').read_text().strip()
        window = conftest.Window(chromium, f'http://127.0.0.1:{port}')
        window.page.goto(f'{window.site}/ui/#token={token}')
        window.page.get_by_text('There is no stack in this project yet').wait_for()
        assert token not in window.page.url and window.page.url.endswith('#/default/stacks')
        window.close()
    finally:
        shapes.stop(process)

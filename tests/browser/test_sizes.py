"""The web page with large graphs, long names and texts that turn their direction."""

from tests.browser import conftest

TEST = 'OS::Heat::TestResource'
TURNED = 'a\u202eb'
PHONE = {'viewport': conftest.PHONE, 'has_touch': True, 'is_mobile': True}
#: what the drawing of a graph looks like
DRAWING = """() => {
  const graph = document.querySelector('.canvas')._cyreg.cy
  const box = graph.elements().renderedBoundingBox({includeLabels: false})
  const node = graph.getElementById(graph.nodes().last().id())
  return {zoom: graph.zoom(), left: box.x1, right: graph.width() - box.x2,
          top: box.y1, bottom: graph.height() - box.y2, border: node.numericStyle('border-width')}
}"""


def template_of(names, **more):
    resources = {name: {'type': TEST} for name in names}
    return {'heat_template_version': '2021-04-16', 'resources': resources, **more}


def test_wide_graph_fits_and_is_seen(chromium, service, make):
    template = template_of(['root'])
    template['resources'].update(
        (f'leaf{number}', {'type': TEST, 'depends_on': 'root'}) for number in range(300)
    )
    path = make('wide', template)
    for options in ({}, PHONE):
        window = conftest.Window(chromium, service.url.removesuffix('/v1'), **options)
        page = window.open(path)
        window.wait_for_tones({'complete': 301})
        page.get_by_role('application').focus()
        for key in ('ArrowDown', 'ArrowDown', 'Enter'):  # the leaves are folded to one node
            page.keyboard.press(key)
        page.locator('.canvas[data-nodes="301"]').wait_for()
        drawing = page.evaluate(DRAWING)
        assert drawing['zoom'] > 0.12
        assert drawing['border'] == (0 if drawing['zoom'] < 0.3 else 1.5)
        assert min(drawing[side] for side in ('left', 'right', 'top', 'bottom')) >= 0
        window.picture(f'wide-{len(options)}')
        page.get_by_role('button', name='Zoom in').click(click_count=9, delay=20)
        assert page.evaluate(DRAWING)['border'] == 1.5
        window.close()


def test_graph_of_wide_layers_is_read_on_a_phone(chromium, service, make):
    template = template_of([f'net{number}' for number in range(24)])
    for number in range(24):
        needs = [f'net{number}', f'net{number * 7 % 24}']
        template['resources'][f'server{number}'] = {'type': TEST, 'depends_on': needs}
    path = make('layers', template)
    for options in ({}, PHONE):
        window = conftest.Window(chromium, service.url.removesuffix('/v1'), **options)
        page = window.open(path)
        window.wait_for_tones({'complete': 48})
        drawing = page.evaluate(DRAWING)
        assert drawing['zoom'] >= 0.69
        assert min(drawing[side] for side in ('left', 'right', 'top')) >= 0
        window.picture(f'layers-{len(options)}')
        page.get_by_role('button', name='Fit the graph').click()
        assert page.evaluate(DRAWING)['bottom'] >= 0
        window.close()


def test_names_of_stacks_have_the_width_of_a_phone(chromium, service, make):
    name = 'the-name-of-a-stack-with-a-number-1'
    make(name, template_of(['r']))
    window = conftest.Window(chromium, service.url.removesuffix('/v1'), **PHONE)
    row = window.open('stacks').get_by_role('row').filter(has_text=name)
    link, status = row.get_by_role('link').bounding_box(), row.locator('.status').bounding_box()
    assert link['height'] < 30 and link['y'] + link['height'] <= status['y']
    window.close()


def test_long_names_leave_room_on_a_phone(chromium, service, make):
    name = 'long-' * 51
    path = make(name, template_of(['r' * 255]))
    window = conftest.Window(chromium, service.url.removesuffix('/v1'), **PHONE)
    page = window.open('stacks')
    link = page.get_by_role('link', name=name)
    assert link.bounding_box()['height'] < 70
    page = window.open(path, 'resources')
    status = page.get_by_role('region', name='Resources', exact=True).get_by_text('create complete')
    assert status.bounding_box()['x'] + status.bounding_box()['width'] <= conftest.PHONE['width']
    window.open(path, 'drift')
    box = page.get_by_role('link', name='drift').bounding_box()
    assert 0 <= box['x'] and box['x'] + box['width'] <= conftest.PHONE['width']
    window.close()


def test_texts_keep_their_direction(window, make):
    outputs = {
        'turned': {'value': f'{TURNED}\nsecond', 'description': TURNED},
        'map': {'value': {TURNED: TURNED}},
    }
    path = make('turned', template_of([TURNED], outputs=outputs))
    page = window.open(path, 'outputs')
    page.get_by_text('a·b\nsecond', exact=True).wait_for()
    for tab in ('outputs', 'resources', 'timeline', 'events'):
        page = window.open(path, tab)
        page.get_by_role('region', name=tab, exact=True).get_by_text('a·b').first.wait_for()
        assert '\u202e' not in page.locator('main').inner_text()


def test_form_of_long_and_turned_parameters_fits_a_phone(chromium, service, make):
    names = ['p' * 255, TURNED]
    parameters = {
        name: {'type': 'string', 'default': name, 'description': f'{name} text'} for name in names
    }
    path = make('form', template_of(['a'], parameters=parameters))
    window = conftest.Window(chromium, service.url.removesuffix('/v1'), **PHONE)
    page = window.open(path, 'update')
    for text in ('a·b', 'a·b text', 'The parameter "a·b" is never used (unused-parameter)'):
        page.get_by_text(text).first.wait_for()
    assert page.evaluate('document.documentElement.scrollWidth') <= conftest.PHONE['width']
    page.get_by_role('button', name='Preview').click()
    page.get_by_role('dialog').get_by_role('button', name='Back').wait_for()
    window.close()

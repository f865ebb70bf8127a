"""The web page with large graphs."""

from tests.browser import conftest

TEST = 'OS::Heat::TestResource'
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
        drawing = page.evaluate(DRAWING)
        assert drawing['zoom'] > 0.12
        assert drawing['border'] == (0 if drawing['zoom'] < 0.3 else 1.5)
        assert min(drawing[side] for side in ('left', 'right', 'top', 'bottom')) >= 0
        window.picture(f'wide-{len(options)}')
        page.get_by_role('button', name='Zoom in').click(click_count=9, delay=20)
        assert page.evaluate(DRAWING)['border'] == 1.5
        window.close()

from heat_lite.cli.display import resource_tree


def row(name, status, stack='s', nested=None, required_by=(), physical='1'):
    links = [{'rel': 'stack', 'href': f'http://h/v1/p/stacks/n/{stack}'}]
    if nested:
        links.append({'rel': 'nested', 'href': f'http://h/v1/p/stacks/n-x/{nested}'})
    return {
        'resource_name': name,
        'resource_type': 'T',
        'resource_status': status,
        'resource_status_reason': f'reason of {name}',
        'physical_resource_id': physical,
        'required_by': list(required_by),
        'links': links,
    }


def test_members_of_nested_stacks_follow_their_resource():
    tree = resource_tree.ResourceTree()
    rows = [
        row('c', 'CREATE_COMPLETE', 'n1'),
        row('z', 'CREATE_COMPLETE'),
        row('b', 'CREATE_COMPLETE', nested='n1'),
        row('10', 'CREATE_COMPLETE', 'n1'),
        row('9', 'CREATE_COMPLETE', 'n1'),
    ]
    tree.update(rows, 0)
    assert list(tree.members) == ['b', 'b/c', 'b/9', 'b/10', 'z']
    assert tree.members['b/c'].depth == 1


def test_nested_stack_is_left_out_until_its_resource_has_the_link():
    tree = resource_tree.ResourceTree()
    leaf = {**row('leaf', 'CREATE_FAILED', 'n1'), 'parent_resource': 'b'}
    tree.update([row('b', 'CREATE_IN_PROGRESS'), leaf], 0)
    assert list(tree.members) == ['b']
    tree.update([row('b', 'CREATE_FAILED', nested='n1'), leaf], 1)
    assert list(tree.members) == ['b', 'b/leaf']
    assert [each.path for each in tree.causes()] == ['b/leaf']


def test_nested_stack_that_is_followed_itself_is_listed():
    tree = resource_tree.ResourceTree()
    rows = [{**row(name, 'CREATE_COMPLETE', 'n1'), 'parent_resource': 'b'} for name in 'ab']
    tree.update(rows, 0)
    assert list(tree.members) == ['a', 'b']


def test_rows_without_links_are_listed():
    tree = resource_tree.ResourceTree()
    tree.update([{'resource_name': 'a', 'resource_status': 'CREATE_COMPLETE'}], 0)
    assert list(tree.members) == ['a']


def test_update_returns_changes_and_measures_durations():
    tree = resource_tree.ResourceTree()
    assert [each.path for each in tree.update([row('a', 'CREATE_IN_PROGRESS')], 1)] == ['a']
    assert tree.update([row('a', 'CREATE_IN_PROGRESS', physical='2')], 2) == []
    assert tree.members['a'].seconds(4) == 3
    assert len(tree.update([row('a', 'CREATE_COMPLETE')], 5)) == 1
    assert tree.members['a'].seconds(9) == 4


def test_first_list_is_the_state_before_the_action():
    tree = resource_tree.ResourceTree()
    rows = [row('a', 'CREATE_COMPLETE'), row('b', 'UPDATE_IN_PROGRESS')]
    assert tree.update(rows, 0, is_first=True) == []
    assert not tree.members['a'].touched and tree.members['b'].seconds(3) == 3


def test_missing_member_is_deleted():
    tree = resource_tree.ResourceTree()
    tree.update([row('a', 'CREATE_COMPLETE')], 0)
    assert [each.status for each in tree.update([], 1)] == ['DELETE_COMPLETE']
    assert tree.update([], 2) == []


def test_replaced_member_is_a_change():
    tree = resource_tree.ResourceTree()
    tree.update([row('a', 'CREATE_COMPLETE')], 0, is_first=True)
    assert len(tree.update([row('a', 'CREATE_COMPLETE', physical='2')], 1)) == 1


def test_failure_for_another_reason_is_a_change():
    tree = resource_tree.ResourceTree()
    failed = row('a', 'CHECK_FAILED')
    tree.update([failed], 0, is_first=True)
    assert not tree.update([failed], 1)
    again = {**failed, 'resource_status_reason': 'another'}
    assert [each.reason for each in tree.update([again], 2)] == ['another']
    assert [each.reason for each in tree.causes()] == ['another']


def test_causes_are_the_innermost_failures_even_after_a_rollback():
    tree = resource_tree.ResourceTree()
    outer = [row('n', 'CREATE_FAILED', nested='n1'), row('x', 'CREATE_COMPLETE')]
    tree.update([*outer, row('a', 'CREATE_FAILED', 'n1')], 0)
    tree.update([row('x', 'DELETE_IN_PROGRESS')], 1)
    assert [(each.path, each.reason) for each in tree.causes()] == [('n/a', 'reason of a')]


def event(name, stack='s', physical='1'):
    links = [{'rel': 'stack', 'href': f'http://h/v1/p/stacks/n/{stack}'}]
    return {'resource_name': name, 'links': links, 'physical_resource_id': physical}


def test_path_of_an_event_is_that_of_its_resource_even_after_its_delete():
    tree = resource_tree.ResourceTree()
    tree.update([row('g', 'CREATE_COMPLETE', nested='n1'), row('1', 'CREATE_COMPLETE', 'n1')], 0)
    tree.update([], 1)
    assert tree.path_of(event('1', 'n1')) == 'g/1' and tree.path_of(event('x')) == 'x'
    assert tree.path_of(event('app-g', 'n1', physical='n1')) == 'g'


def test_event_of_a_stack_that_was_never_listed_keeps_its_name():
    assert resource_tree.ResourceTree().path_of(event('r', 'n2')) == 'r'


def test_vanished_members_keep_their_places():
    def rows(*kept):
        all_rows = [
            row('one', 'DELETE_IN_PROGRESS', nested='n1'),
            row('a', 'DELETE_IN_PROGRESS', 'n1'),
            row('b', 'DELETE_IN_PROGRESS', 'n1'),
            row('two', 'DELETE_IN_PROGRESS', nested='n2'),
            row('c', 'DELETE_IN_PROGRESS', 'n2'),
            row('x', 'DELETE_IN_PROGRESS'),
        ]
        return [each for each in all_rows if each['resource_name'] in kept]

    tree = resource_tree.ResourceTree()
    order = ['one', 'one/a', 'one/b', 'two', 'two/c', 'x']
    for kept in ('one a b two c x', 'one b two c x', 'one two x', 'x', ''):
        tree.update(rows(*kept.split()), 1)
        assert list(tree.members) == order

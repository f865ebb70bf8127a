"""For all tests: nothing depends on an embedded service that the user of this machine runs."""

import pytest


@pytest.fixture(scope='session', autouse=True)
def data_folder(tmp_path_factory):
    with pytest.MonkeyPatch.context() as context:
        context.setenv('HEAT_LITE_DATA_DIR', str(tmp_path_factory.mktemp('data')))
        yield

"""Faults of all kinds, mixed and at once: of the database, of an engine, of an API.

HEAT_LITE_FAULTS is the number of faults of each database and walk, without which nothing runs;
HEAT_LITE_FAULT_SECONDS ends a run that takes longer, HEAT_LITE_CLIENTS is the number of clients.
"""

import os
import time

import pytest

from tests.cluster import clients, faults, on

FAULTS = int(os.environ.get('HEAT_LITE_FAULTS', '0'))
SECONDS = float(os.environ.get('HEAT_LITE_FAULT_SECONDS', '3600'))
SHAPES = [
    (kind, walk) for kind in ('galera', 'postgresql', 'mysql') for walk in ('lock', 'convergence')
]


@pytest.mark.skipif(not FAULTS, reason='HEAT_LITE_FAULTS is not set')
@pytest.mark.timeout(SECONDS + 1200)
@on(*SHAPES)
def test_promises_are_kept_after_mixed_faults(site):
    suffered = faults.Faults(site)
    with clients.Load(site) as ledger:
        begun = time.monotonic()
        suffered.suffer_many(FAULTS, begun + SECONDS)
        seconds = time.monotonic() - begun
    print(f'{sum(suffered.count.values())} faults in {seconds:.0f} s: {suffered.count}')
    ledger.require_kept(site)

"""What this service says in other words than the recorded texts, with the reasons.

Each difference is a regular expression for a part of a recorded text, and what stands there instead
(as of ``re.sub``). Everything around the part is as recorded.
"""

import re

DIFFERENCES = (
    # The description of a constraint does not tell which value violates what: the text goes on.
    (r'(is invalid: too long!)$', r'\1 Length (3) is out of range (max: 1)'),
    (r'(Invalid default a \(must be b)\)$', r'\1. "a" is not an allowed value ["b"])'),
    # A bound that is not set is left out.
    (r'\(min: None, max', '(max'),
    (r', max: None\)', ')'),
)


def in_own_words(recorded):
    """Return the text of this service for a recorded one."""
    for pattern, ours in DIFFERENCES:
        recorded = re.sub(pattern, ours, recorded)
    return recorded

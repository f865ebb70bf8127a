"""What this service says in other words than the recorded texts, with the reasons.

Each difference is a regular expression for a part of a recorded text, and what stands there instead
(as of ``re.sub``). Everything around the part is as recorded.
"""

import re

DIFFERENCES = (
    # The description of a constraint does not tell which value violates what: the text goes on.
    (r'(is invalid: too long!)$', r'\1 Length (3) is out of range (max: 1)'),
    (r'(Invalid default a \(must be b)\)$', r'\1. "a" is not an allowed value ["b"])'),
    # The recorded text is that of a parameter without a value, too.
    (r'(The Parameter \(.*\) was not provided\.)$', r'\1 The template does not declare it.'),
    # The recorded text does not tell what is wrong.
    (r'(\(in unknown\) is incorrect\.)$', r'\1 No parameter has this name.'),
    (r'(OS::stack_name.* No parameter has this name\.)$', r'\1 Did you mean "AWS::StackName"?'),
    (r'(\(in unknown\) is incorrect\.)$', r'\1 No parameter or resource has this name.'),
    # What to write is not told.
    (
        r'(Template (format version not found|version was not provided))\.?$',
        r'\1. Begin the template with "heat_template_version: 2021-04-16".',
    ),
    (
        r'(Template version was not provided)$',
        r'\1. The value of "heat_template_version" is a text, such as "2021-04-16".',
    ),
    # A number where a text is expected: the remedy is not told.
    (
        r'( must be (a list of strings|list or string|string or list|string(.or.boolean)?))$',
        r'\1. Write 5 in quotes.',
    ),
    (r'( type must be (list or string|string(_or_boolean)?))$', r'\1. Write 1 in quotes.'),
    # The cycle is told in words, without the names of Heat's classes.
    (r'\{Value "R": \{Value "R"\}\}', '"R" needs "R"'),
    # A suggestion follows.
    (r'(: \["create"\] is not an allowed value \[.*\])$', r'\1. Did you mean "CREATE"?'),
    # A bound that is not set is left out.
    (r'\(min: None, max', '(max'),
    (r', max: None\)', ')'),
)


def texts(recorded):
    """Return the texts of this service that a recorded one allows: itself, and in other words."""
    allowed = {recorded}
    for pattern, ours in DIFFERENCES:
        allowed |= {re.sub(pattern, ours, text) for text in allowed}
    return allowed

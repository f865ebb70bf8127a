"""What this service says in other words than the recorded texts, with the reasons.

Each difference is a regular expression for a part of a recorded text, and what stands there instead
(as of ``re.sub``). Everything around the part is as recorded.
"""

import ast
import json
import re

#: the words for types of Python
KINDS = {
    'dict': 'a map',
    'int': 'a number',
    'list': 'a list',
    'NoneType': 'null',
    'str': 'a text',
}


def _kind(found):
    """Return the text before a type, and the word for the type."""
    return found[1] + KINDS[found[2]]


def _json(found):
    """Return the text before a value, and the value as JSON."""
    return found[1] + json.dumps(ast.literal_eval(found[2]))


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
    (
        r'(reference "None" \(in \w+\.Properties\.\w+\) is incorrect\.)$',
        r'\1 A resource is named by a text, known before it exists.',
    ),
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
    (r'\{\w+ "(\w)": \{\w+ "\1"\}\}', r'"\1" needs "\1"'),
    # Types and values are those of the language, not those of Python.
    (r"(Found )a \[?(?:<class ')?(\w+)(?:'>)?\]?(?= instead)", _kind),
    (r"(; got )<class '(\w+)'>$", _kind),
    (
        r"(string)(?:: )'(\w+)' object has no attribute 'split'$",
        lambda found: f'{found[1]}, not {KINDS[found[2]]}',
    ),
    (
        r"is type <class '(\w+)'> instead of a dict$",
        lambda found: f'is {KINDS[found[1]]} instead of a map',
    ),
    (r"([:.] )('\w+'|\[.*\])(?= is a)", _json),
    (r'((?:; got|is invalid:|strings not|map or list not) )([\[{].*[\]}]|None|True)$', _json),
    (r'()"([\[{].*[\]}])"(?= is not a|$)', _json),
    (r"""()"('[^"]*')"(?= is not a)""", _json),
    (r"Duplicate names \{'(.*)'\}", r'Duplicate names "\1"'),
    (r'(called with )(\{.*\})$', _json),
    (r'(reference )"(None)"', lambda found: f'{found[1]}"null"'),
    (r'types are: \((.*)\)$', lambda found: f'types are: {found[1].replace(chr(39), "")}'),
    (r'(Invalid hook type )"(\[.*?\])"', _json),
    (r"invalid literal for int\(\) with base 10: '(.*)'", r'"\1" is not a number'),
    (r"could not convert string to float: '(.*)'", r'"\1" is not a number'),
    (r"(Parameter 'p' is invalid: )int\(\) argument .*", r'\1[1] is not a number'),
    (
        r"^int\(\) argument .*'(NoneType|list)'$",
        'Incorrect index to "str_split" should be: "str_split" : [ ",", "apples,pears", <index>]',
    ),
    (r'^must be str or None, not int$', 'The delimiter of "str_split" must be a string, not 5'),
    (r"(^|: )'(zz|[MNaz])'$", r'\1"Fn::FindInMap" finds no key "\2"'),
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

"""OS::Heat::RandomString."""

import random
import secrets
import string as letters

from heat_lite.common import exception
from heat_lite.engine.resource.resource import Resource
from heat_lite.template.schema import integer, list_, live_text, string

CLASSES = {
    'lettersdigits': letters.ascii_letters + letters.digits,
    'letters': letters.ascii_letters,
    'lowercase': letters.ascii_lowercase,
    'uppercase': letters.ascii_uppercase,
    'digits': letters.digits,
    'hexdigits': letters.digits + 'ABCDEF',
    'octdigits': letters.octdigits,
}
LONGEST = 512


class RandomString(Resource):
    """A random string, generated once, for passwords and secrets."""

    resource_type = 'OS::Heat::RandomString'
    has_secret_value = True
    since = '2014.1'
    local = True
    validates_properties_only = True

    properties_schema = {
        'length': integer('Length of the string.', default=32, min=1, max=LONGEST),
        'sequence': string(
            'Class of the characters.',
            allowed=list(CLASSES),
            history='hidden 5.0.0, deprecated 2014.2',
        ),
        'character_classes': list_(
            'Character classes, each with a minimum number of characters.',
            {
                'class': string(
                    'Name of the character class.',
                    default='lettersdigits',
                    allowed=list(CLASSES),
                ),
                'min': integer(
                    'Minimum number of characters from the class.',
                    default=1,
                    min=1,
                    max=LONGEST,
                ),
            },
            default=[{'class': 'lettersdigits', 'min': 1}],
        ),
        'character_sequences': list_(
            'Character sequences, each with a minimum number of characters.',
            {
                'sequence': string('Characters of the sequence.', required=True),
                'min': integer(
                    'Minimum number of characters from the sequence.',
                    default=1,
                    min=1,
                    max=LONGEST,
                ),
            },
        ),
        'salt': string('Any value; a new value generates a new string.'),
    }
    attributes_schema = {'value': live_text('The random string.')}

    def validate(self):
        super().validate()
        alphabets = self._alphabets()
        if not alphabets or not all(characters for characters, _ in alphabets):
            raise exception.StackValidationFailed(
                'character_classes and character_sequences have no characters to choose from'
            )
        required = sum(minimum for _, minimum in alphabets)
        if required > self.properties['length']:
            raise exception.StackValidationFailed(
                'Length property cannot be smaller than combined character class and character '
                'sequence minimums'
            )

    def handle_create(self):
        self.data_set('value', self._generate(), redact=True)
        self.resource_id_set(self.physical_resource_name())

    def get_reference_id(self):
        """Return the random string, as in Heat."""
        return (
            super().get_reference_id()
            if self.resource_id is None
            else self.record.data.get('value')
        )

    def resolve_attribute(self, name):
        return self.record.data.get('value')

    def _alphabets(self):
        """Return ``(characters, minimum number)`` of each class and sequence."""
        sequences = self.properties['character_sequences'] or ()
        alphabets = [(each['sequence'], each['min']) for each in sequences]
        old = self.properties['sequence']
        if old:
            return [*alphabets, (CLASSES[old], 1)]
        classes = self.properties['character_classes'] or ()
        return alphabets + [(CLASSES[each['class']], each['min']) for each in classes]

    def _generate(self):
        alphabets = self._alphabets()
        chosen = [
            secrets.choice(alphabet) for alphabet, minimum in alphabets for _ in range(minimum)
        ]
        pool = ''.join(alphabet for alphabet, _ in alphabets)
        chosen.extend(secrets.choice(pool) for _ in range(self.properties['length'] - len(chosen)))
        random.SystemRandom().shuffle(chosen)
        return ''.join(chosen)

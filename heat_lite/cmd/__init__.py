"""The programs."""

import warnings

# Libraries print it when a program imports them, and a user cannot change it.
warnings.filterwarnings('ignore', r'\s*Eventlet is deprecated')

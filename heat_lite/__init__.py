"""heat_lite: an orchestration service that speaks OpenStack Heat's language."""

import warnings

# Libraries print it when a program imports them, and a user cannot change it.
warnings.filterwarnings('ignore', r'\s*Eventlet is deprecated')

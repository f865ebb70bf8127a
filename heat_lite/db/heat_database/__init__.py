"""The database of OpenStack Heat, read and given back."""

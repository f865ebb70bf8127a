"""Types that stand for objects of the key manager service."""

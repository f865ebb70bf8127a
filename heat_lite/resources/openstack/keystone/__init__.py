"""Types that stand for objects of the identity service."""

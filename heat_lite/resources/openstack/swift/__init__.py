"""Types that stand for objects of the object service."""

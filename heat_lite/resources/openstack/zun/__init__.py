"""Types that stand for objects of the container service."""

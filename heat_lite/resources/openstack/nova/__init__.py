"""Types that stand for objects of the compute service."""

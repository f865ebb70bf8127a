"""Types that stand for objects of the volume service."""

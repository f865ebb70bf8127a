"""Types that stand for objects of the container infrastructure service."""

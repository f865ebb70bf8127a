"""Types that stand for objects of the workflow service."""

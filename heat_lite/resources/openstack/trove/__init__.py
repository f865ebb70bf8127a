"""Types that stand for objects of the database service."""

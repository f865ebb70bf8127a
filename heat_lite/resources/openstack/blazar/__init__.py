"""Types that stand for objects of the reservation service."""

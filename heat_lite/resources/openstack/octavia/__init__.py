"""Types that stand for objects of the load balancing service."""

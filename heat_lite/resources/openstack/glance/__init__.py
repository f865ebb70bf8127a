"""Types that stand for objects of the image service."""

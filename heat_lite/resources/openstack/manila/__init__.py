"""Types that stand for objects of the shared file system service."""

"""What a program tells about itself: its page of health and metrics."""

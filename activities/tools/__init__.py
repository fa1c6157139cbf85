"""What tool nodes do, over the sources that this worker offers."""

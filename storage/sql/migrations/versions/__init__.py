"""One file a version; what was released is never changed."""

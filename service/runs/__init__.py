"""Starting, showing and deleting runs."""

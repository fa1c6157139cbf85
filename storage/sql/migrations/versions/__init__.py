"""The migrations, one file a version; a released version is never changed."""

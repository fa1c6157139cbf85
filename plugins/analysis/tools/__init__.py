"""The functions of the tools of the plugin, which do I/O."""

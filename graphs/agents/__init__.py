"""The agents: each in a file of its own, with everything that there is to say of it, named in `listing`."""

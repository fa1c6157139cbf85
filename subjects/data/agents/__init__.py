"""The agents that split questions, write and repair SQL, and write answers."""

"""Deep checks of `elcano doctor`: which hosts a run would ask, how they answer, and the state of the service."""

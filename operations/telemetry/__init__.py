"""What an operator sees: traces, metrics, structured logs, and the deep checks of `elcano doctor`."""

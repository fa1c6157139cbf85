"""Observability for operators: traces, metrics, structured logs, and the deep checks of `elcano doctor`."""

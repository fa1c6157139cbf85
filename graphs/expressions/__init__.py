"""Expressions by which graphs read the state: JMESPath that cannot fail, within bounds of work and of weight."""

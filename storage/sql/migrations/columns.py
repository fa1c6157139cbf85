"""Columns as migrations make them: these never change, whatever becomes of the types of the code's own tables."""

import sqlalchemy as sa


def make_id_column(name: str, *, key: bool = False, nullable: bool = False) -> sa.Column[str]:
    """A column of ids, which every database compares by their code points."""
    kind = sa.String().with_variant(sa.String(collation="C"), "postgresql")
    return sa.Column(name, kind, primary_key=key, nullable=nullable)


def make_text_column(name: str) -> sa.Column[str]:
    """A column of texts."""
    return sa.Column(name, sa.Text(), nullable=False)


def make_integer_column(name: str, *, key: bool = False) -> sa.Column[int]:
    """A column of whole numbers."""
    return sa.Column(name, sa.Integer(), primary_key=key, nullable=False)


def make_count_column(name: str, *, nullable: bool = False) -> sa.Column[int]:
    """A column of whole numbers that may become large, such as tokens."""
    return sa.Column(name, sa.BigInteger(), nullable=nullable)


def make_double_column(name: str, *, nullable: bool = False) -> sa.Column[float]:
    """A column of numbers, such as times in seconds since the epoch."""
    return sa.Column(name, sa.Double(), nullable=nullable)

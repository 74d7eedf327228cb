"""The record on disk: tables, queries and migrations. Only here sqlalchemy; no decision about a case is made here."""

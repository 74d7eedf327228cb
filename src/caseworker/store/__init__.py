"""The store: tables, queries and migrations. SQLAlchemy is imported only here; makes no decision about a case."""

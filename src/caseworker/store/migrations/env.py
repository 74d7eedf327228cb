"""Alembic's entry point: it migrates the connection it is handed, inside the transaction that one is in."""

from alembic import context

from caseworker.store.message_tables import messages

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=messages.metadata,
    render_as_batch=True,  # SQLite can't alter a table: Alembic copies it
)
with context.begin_transaction():
    context.run_migrations()

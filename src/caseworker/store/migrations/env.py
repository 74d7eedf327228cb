"""Alembic's entry point: migrates the given connection, inside its open transaction."""

from alembic import context

from caseworker.store.message_tables import messages

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=messages.metadata,
    render_as_batch=True,  # SQLite can't alter a table: Alembic copies it
)
with context.begin_transaction():
    context.run_migrations()

"""Single questions about comments on a forge: what a mention wants, a digest of a discussion, chat, directives."""

"""The SQL of the view `bug_conversations`, for people: one row per message to a bug case and per post of it.

The program does not read it. Part of migration 0001, so it does not change once that is released.
"""

from typing import Final

_VIEW: Final = """
CREATE VIEW bug_conversations AS
SELECT m.case_id AS bug_id,
    CASE WHEN m.surface = 'case' THEN 'system' WHEN m.standing = 'owner' THEN 'developer' ELSE m.standing END
        AS sender_type,
    m.author AS sender_id,
    CASE
        WHEN m.id = (SELECT min(f.id) FROM messages AS f WHERE f.case_id = m.case_id) THEN 'bug_report'
        WHEN m.kind IN ('words', 'answer') AND m.standing = 'reporter' THEN 'reporter_reply'
        WHEN m.kind IN ('words', 'answer') AND m.standing = 'other' THEN 'other_reply'
        WHEN m.kind IN ('words', 'answer') THEN 'dev_reply'
        WHEN m.kind = 'takeover' THEN 'dev_takeover'
        WHEN m.kind = 'fix_ready' THEN 'pr_created'
        WHEN m.surface = 'case' THEN 'status_update'
        ELSE m.kind
    END AS message_type,
    m.text AS message_text,
    m.received_at AS created_at
FROM messages AS m JOIN cases AS c ON c.id = m.case_id WHERE c.kind = 'bug'
UNION ALL
SELECT r.case_id, 'bot', 'caseworker',
    CASE WHEN {body_undelivered} = {true} AND {body_place} = '' THEN 'undelivered_' ELSE '' END || {body_type},
    {body_text},
    r.at
FROM record AS r JOIN cases AS c ON c.id = r.case_id WHERE c.kind = 'bug' AND r.kind = 'posted'
UNION ALL
SELECT c.id, 'bot', 'caseworker', 'unsaid_' || {post_type}, '', c.changed_at
FROM cases AS c, {outbox} AS post
WHERE c.kind = 'bug' AND NOT EXISTS (
    SELECT 1 FROM record AS r WHERE r.case_id = c.id AND r.kind = 'posted' AND {body_about} = {post_about}
    AND {body_audience} = {post_audience} AND {body_number} = {post_number}
)
"""
_TYPE: Final = """
    CASE {about}
        WHEN 'question' THEN 'clarification_request'
        WHEN 'open_question' THEN 'clarification_request'
        WHEN 'findings' THEN 'investigation_result'
        WHEN 'taken_over' THEN 'dev_takeover'
        WHEN 'asked_to_close' THEN 'closure_details_requested'
        WHEN 'resolved' THEN 'resolved'
        ELSE 'status_update'
    END"""
_FIELD: Final = {"sqlite": "json_extract({}, '$.{}')", "postgresql": "({} ->> '{}')"}
"""A field of a document, by dialect."""
_TRUE: Final = {"sqlite": "1", "postgresql": "'true'"}
_OUTBOX: Final = {
    "sqlite": "json_each(c.snapshot, '$.outbox')",
    "postgresql": "json_array_elements(c.snapshot -> 'outbox')",
}


def create_view(dialect: str) -> str:
    def fields(prefix: str, document: str, *names: str) -> dict[str, str]:
        return {f"{prefix}_{name}": _FIELD[dialect].format(document, name) for name in names}

    body = fields("body", "r.body", "about", "audience", "number", "text", "place", "undelivered")
    post = fields("post", "post.value", "about", "audience", "number")
    return _VIEW.format(
        **body,
        **post,
        body_type=_TYPE.format(about=body["body_about"]),
        post_type=_TYPE.format(about=post["post_about"]),
        true=_TRUE[dialect],
        outbox=_OUTBOX[dialect],
    )

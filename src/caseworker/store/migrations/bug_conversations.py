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
    CASE {about}
        WHEN 'question' THEN 'clarification_request'
        WHEN 'open_question' THEN 'clarification_request'
        WHEN 'findings' THEN 'investigation_result'
        WHEN 'taken_over' THEN 'dev_takeover'
        WHEN 'asked_to_close' THEN 'closure_details_requested'
        WHEN 'resolved' THEN 'resolved'
        ELSE 'status_update'
    END,
    {text},
    r.at
FROM record AS r JOIN cases AS c ON c.id = r.case_id WHERE c.kind = 'bug' AND r.kind = 'posted'
"""
_FIELD: Final = {"sqlite": "json_extract(r.body, '$.{}')", "postgresql": "r.body ->> '{}'"}
"""A field of a record entry, by dialect."""


def create_view(dialect: str) -> str:
    field = _FIELD[dialect]
    return _VIEW.format(about=field.format("about"), text=field.format("text"))

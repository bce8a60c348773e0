//! For the tests of a purge: a run of another vendor's agent that says one thing in every column that holds text.

use rusqlite::Connection;

/// Takes all of it away, as no purge does.
pub(super) const CLEAR: &str = "
    DELETE FROM action_decisions; DELETE FROM questions; DELETE FROM agent_requests; DELETE FROM tool_calls;
    DELETE FROM messages; DELETE FROM agent_runs;";

/// The rows of session 1.
pub(super) fn add(conn: &Connection, said: &str) {
    for sql in [
        "INSERT INTO agent_runs VALUES (1, ?1, ?1, json_array(?1), ?1, ?1, 1, json_array(?1), ?1, 'auto', 'ask', 0, 1, 'human',
           json_object('a', ?1), json_object('a', ?1), ?1, ?1, 1, json_object('a', ?1), ?1, ?1, 1, 1, ?1, ?1,
           json_object('a', ?1), json_object('a', ?1), json_object('a', ?1), ?1, ?1, 1, 1, ?1, ?1, 1, 1, 1, 1, 1,
           json_object('a', ?1), json_array(?1), json_array(?1))",
        "INSERT INTO messages VALUES (1, 0, 'user', ?1, 1), (1, 1, 'assistant', ?1, 1), (1, 2, 'thought', ?1, 1)",
        "INSERT INTO tool_calls VALUES (1, 0, ?1, ?1, ?1, ?1, json_array(?1), json_object('a', ?1), ?1, 1, 1, 1, 1)",
        "INSERT INTO questions (id, short, session, fingerprint, risk, destructive, may_grant, shown, details, state, asked_at,
           reply, reply_reason, surface, answered_at, closed_at, pid, start_ticks, boot_id)
         VALUES (zeroblob(16), 'qst_x', 1, zeroblob(32), 'shell', 1, 0, ?1, json_object('a', ?1), 'used', 1,
           'no', ?1, 'inbox', 1, 1, 1, 1, 'b')",
        "INSERT INTO action_decisions (session, request, tool_call, source, action, shown, kind, risk, destructive, answer,
           reasons, rule, verdict, ground, timed_out, option_id, mode_requested, mode_effective, question, asked_at, decided_at)
         VALUES (1, ?1, ?1, 'permission', json_object('a', ?1), ?1, ?1, 'shell', 1, 'ask', json_array(?1), ?1, 'refused',
           'human', 0, ?1, 'ask', 'ask', (SELECT max(seq) FROM questions), 1, 1)",
        "INSERT INTO agent_requests VALUES (1, 0, ?1, ?1, 'refused', ?1, 1, 1)",
    ] {
        conn.execute(sql, [said]).unwrap();
    }
}

/// Rows that are left of it.
pub(super) fn left(conn: &Connection) -> i64 {
    conn.query_row(
        "SELECT (SELECT count(*) FROM agent_runs) + (SELECT count(*) FROM messages) + (SELECT count(*) FROM tool_calls)
              + (SELECT count(*) FROM questions) + (SELECT count(*) FROM action_decisions)
              + (SELECT count(*) FROM agent_requests)",
        [],
        |row| row.get(0),
    )
    .unwrap()
}

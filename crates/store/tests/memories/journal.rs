//! The journal and the hash of a text.

use super::*;

#[test]
fn rev_05_the_database_refuses_to_change_the_journal_and_to_let_the_unconfirmed_instruct() {
    let Kept { store, home, _dir } = kept();
    let id = said(&store, Scope::Personal, "a fact");
    let conn = rusqlite::Connection::open(home.db()).unwrap();
    for sql in [
        "UPDATE journal SET facts = '{}'",
        "DELETE FROM journal",
        "UPDATE memories SET can_use_as_instruction = 1",
        "UPDATE memories SET can_use_as_instruction = 1, provenance = 'imported'",
    ] {
        assert!(conn.execute(sql, []).is_err(), "{sql}");
    }
    // Twin: what a person confirmed may.
    decide(&store, Decision::Reject(key()), &[id]).unwrap();
    confirm(&store, &[id]);
    assert!(store.memory(&id).unwrap().bits.can_use_as_instruction);
}

#[test]
fn rev_04_the_hash_is_made_from_the_text_and_not_read() {
    let Kept { store, home, _dir } = kept();
    let id = said(&store, Scope::Personal, "the port is 8080");
    confirm(&store, &[id]);
    let before = store.seal_facts(&[id]).unwrap()[0];
    assert!(before.column_agrees);
    let conn = rusqlite::Connection::open(home.db()).unwrap();
    conn.execute("UPDATE memory_texts SET content = 'the port is 6666'", [])
        .unwrap();
    let after = store.seal_facts(&[id]).unwrap()[0];
    assert_ne!(after.content, before.content);
    assert!(!after.column_agrees);
    assert_eq!((after.seal, after.review), (before.seal, before.review));
    assert_eq!(store.all_seal_facts(None).unwrap(), [after]);
}

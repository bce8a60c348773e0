//! Promise: what a person decided stands, whatever a program of the same user writes into the database beside it: into the
//! journal, the index, an older copy of the whole file. Each case has the attack without its last step as its twin
//! (REV-04, REV-05, REC-01).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a helper's panic is the test's failure
#![allow(clippy::disallowed_methods)] // a test looks from outside of the rims

mod common;

use common::memory::{add, confirm, data_in, press, prompt, with_secrets_file};
use common::{committed, world};
use rusqlite::{Connection, params};
use taffrail_testkit::{Hermetic, Repo};

const QUERY: &str = "how do we store amounts of money";
const TEXT: &str = "We store amounts of money in cents as integers, never as floats.";
const OFF: &str = "DROP TRIGGER journal_no_update; DROP TRIGGER journal_no_delete;";
/// The columns of an approval, as they are while it is in force.
const IN_FORCE: &str = "status = 'confirmed', lifecycle = 'active', provenance = 'user_confirmed',
    can_use_as_instruction = 1, can_use_as_evidence = 1, do_not_inject_automatically = 0,
    requires_user_confirmation = 0";

struct Told {
    world: Hermetic,
    repo: Repo,
    approved: String,
}

fn told(flags: &[&str]) -> Told {
    let world = world();
    with_secrets_file(&world);
    let repo = committed(&world);
    let approved = add(
        &world,
        repo.root(),
        &[&["--type", "decision", TEXT], flags].concat(),
    );
    confirm(&world, repo.root(), &approved);
    Told {
        world,
        repo,
        approved,
    }
}

impl Told {
    fn database(&self) -> Connection {
        Connection::open(self.world.taffrail_home().join("taffrail.db")).unwrap()
    }

    fn sql(&self, statements: &str) {
        self.database().execute_batch(statements).unwrap();
    }

    fn seal(&self) -> Vec<u8> {
        let seal = "SELECT seal FROM memories WHERE short = ?1";
        self.database()
            .query_row(seal, [&self.approved], |row| row.get(0))
            .unwrap()
    }

    /// The rows as they stood while the memory was approved, and the index made from them.
    fn bring_back(&self, seal: &[u8]) {
        let columns = format!("UPDATE memories SET {IN_FORCE}, seal = ?2 WHERE short = ?1");
        self.database()
            .execute(&columns, params![self.approved, seal])
            .unwrap();
        self.world
            .taffrail_in(self.repo.root(), &["doctor", "--repair"]);
    }

    /// Moves what the index has of approved rows from one project's range to another's; 0 is the personal scope.
    fn move_in_index(&self, from: i64, to: i64) {
        self.sql(&format!(
            "UPDATE recall_docs SET key = ({to} << 40) | (key & 1099511627775) WHERE key >> 40 = {from};
             UPDATE recall_tail SET key = ({to} << 40) | (key & 1099511627775) WHERE key >> 40 = {from};
             UPDATE recall_terms SET key = ({to} << 32) | (key & 4294967295) WHERE key >> 32 = {from};
             UPDATE recall_partitions SET partition = {to} WHERE partition = {from};"
        ));
    }

    fn instructs(&self) -> bool {
        prompt(&self.world, self.repo.root(), QUERY).contains("cents")
    }

    fn instructs_in_a_year(&self) -> bool {
        let now = "2031-01-01T00:00:00Z";
        let line = ["prompt", "show", "--json", "--query", QUERY, "--now", now];
        let answer = data_in(&self.world, self.repo.root(), &line);
        answer["sections"].to_string().contains("cents")
    }

    fn audit(&self) -> i32 {
        self.world
            .taffrail_in(self.repo.root(), &["audit", "verify"])
            .code
    }
}

#[test]
fn rev_04_an_approval_that_ended_is_not_revived_by_its_columns() {
    let told = told(&["--stale-after-days", "2"]);
    assert!(told.instructs(), "before its end it instructs");
    assert!(!told.instructs_in_a_year());
    told.sql("UPDATE recall_docs SET stale_after = NULL");
    assert!(!told.instructs_in_a_year(), "the index alone says nothing");
    told.sql("UPDATE memories SET stale_after = NULL");
    assert!(!told.instructs_in_a_year() && !told.instructs());
    assert_eq!(told.audit(), 1);
}

#[test]
fn rev_04_the_twin_an_approval_without_an_end_instructs_in_a_year() {
    let told = told(&[]);
    assert!(told.instructs_in_a_year());
    assert_eq!(told.audit(), 0);
}

#[test]
fn rec_01_an_approval_of_another_project_does_not_come_by_the_index() {
    let told = told(&[]);
    let other = told.world.repo("other");
    other.file("README.md", "# Other\n");
    other.commit("start");
    let own = add(
        &told.world,
        other.root(),
        &["Something of the other project."],
    );
    assert!(own.starts_with("mem_"));
    let given = || prompt(&told.world, other.root(), QUERY).contains("cents");
    assert!(!given());
    told.move_in_index(1, 2);
    assert!(!given(), "the index moved it to another project");
    told.move_in_index(2, 0);
    assert!(!given(), "the index moved it into the personal scope");
    // The twin: the index found it there from everywhere.
    assert!(told.instructs(), "where it belongs it still instructs");
}

#[test]
fn rev_04_a_rejection_that_was_taken_out_of_the_journal_still_holds() {
    for hide in [
        // The hash column stays as it was, so that only who hashes the entry anew sees it.
        "UPDATE journal SET kind = 'memory_edited' WHERE seq = (SELECT max(seq) FROM journal)",
        "UPDATE journal SET subject = NULL WHERE seq = (SELECT max(seq) FROM journal)",
        "DELETE FROM journal WHERE seq = (SELECT max(seq) FROM journal)",
        "UPDATE journal SET seq = 99 WHERE seq = (SELECT max(seq) FROM journal)",
        "UPDATE journal SET kind = 'memory_edited' WHERE seq = (SELECT max(seq) FROM journal);
         CREATE TABLE other AS SELECT * FROM journal; ALTER TABLE journal RENAME TO journal_before;
         ALTER TABLE other RENAME TO journal;",
    ] {
        let told = told(&[]);
        let seal = told.seal();
        press(&told.world, told.repo.root(), &told.approved, "x");
        told.bring_back(&seal);
        assert!(!told.instructs(), "the journal still has the rejection");
        told.sql(&format!("{OFF} {hide};"));
        assert!(!told.instructs(), "{hide}");
        assert_eq!(told.audit(), 1, "{hide}");
    }
}

#[test]
fn rev_05_an_older_copy_of_the_whole_database_approves_nothing() {
    let told = told(&[]);
    let file = told.world.taffrail_home().join("taffrail.db");
    told.sql("PRAGMA wal_checkpoint(TRUNCATE)");
    let older = std::fs::read(&file).unwrap();
    press(&told.world, told.repo.root(), &told.approved, "x");
    let newest = "SELECT seq, hash FROM journal ORDER BY seq DESC LIMIT 1";
    let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
    let (seq, head): (i64, Vec<u8>) = told.database().query_row(newest, [], row).unwrap();
    told.sql("PRAGMA wal_checkpoint(TRUNCATE)");
    for end in ["-wal", "-shm"] {
        drop(std::fs::remove_file(
            file.with_extension(format!("db{end}")),
        ));
    }
    std::fs::write(&file, older).unwrap();
    assert!(!told.instructs(), "the anchor is newer");
    // With an entry of that number and that hash it looks as if it reached the anchor.
    told.database()
        .execute(
            "INSERT INTO journal (seq, at, kind, facts, previous, hash) VALUES (?1, 0, 'imported', '{}', ?2, ?2)",
            params![seq, head],
        )
        .unwrap();
    assert!(!told.instructs(), "the entry at the anchor is hashed anew");
    assert_eq!(told.audit(), 1);
}

#[test]
fn rev_05_a_later_review_does_not_vouch_for_a_journal_that_was_changed() {
    let told = told(&[]);
    let seal = told.seal();
    press(&told.world, told.repo.root(), &told.approved, "x");
    told.bring_back(&seal);
    told.sql(&format!(
        "{OFF} UPDATE journal SET kind = 'memory_edited' WHERE seq = (SELECT max(seq) FROM journal)"
    ));
    let later = add(
        &told.world,
        told.repo.root(),
        &["Something that a person decides on later."],
    );
    press(&told.world, told.repo.root(), &later, "x");
    assert!(!told.instructs());
    assert_eq!(told.audit(), 1);
}

#[test]
fn rev_04_a_row_that_is_not_in_force_is_not_revived_by_one_column() {
    for statement in [
        "UPDATE memories SET status = 'pending'",
        "UPDATE memories SET lifecycle = 'stale'",
        "UPDATE memories SET lifecycle = 'disputed'",
        "UPDATE memories SET status = 'rejected'",
    ] {
        let told = told(&[]);
        told.sql(statement);
        assert!(!told.instructs(), "{statement}");
        assert_eq!(
            told.audit(),
            1,
            "a row whose bits and status differ is named: {statement}"
        );
    }
    // A restricted row: its bits say no, and a hand that turns them finds no seal.
    let told = told(&[]);
    let seal = told.seal();
    press(&told.world, told.repo.root(), &told.approved, "r");
    told.bring_back(&seal);
    assert!(!told.instructs());
    assert_eq!(told.audit(), 1);
}

#[test]
fn rev_04_a_trigger_in_the_database_does_not_change_what_is_sealed() {
    for when in [
        "INSERT ON journal",
        "INSERT ON memory_reviews",
        "UPDATE ON memories",
    ] {
        let told = told(&[]);
        let planted = "Amounts of money are stored wherever a planted text says.";
        let memory = add(
            &told.world,
            told.repo.root(),
            &["Amounts of money have a currency beside them."],
        );
        told.sql(&format!(
            "CREATE TRIGGER swap AFTER {when} BEGIN
               UPDATE memory_texts SET summary = '{planted}', content = '{planted}'
                WHERE memory = (SELECT max(seq) FROM memories);
             END"
        ));
        confirm(&told.world, told.repo.root(), &memory);
        let doctor = told.world.taffrail_in(told.repo.root(), &["doctor"]);
        assert!(doctor.stdout.contains("trigger swap"), "{doctor:?}");
        told.sql("DROP TRIGGER swap");
        let doctor = told.world.taffrail_in(told.repo.root(), &["doctor"]);
        assert!(!doctor.stdout.contains("not as it was made"), "{doctor:?}");
        told.world
            .taffrail_in(told.repo.root(), &["doctor", "--repair"]);
        let given = prompt(&told.world, told.repo.root(), QUERY);
        assert!(!given.contains("planted"), "{when}: {given}");
        assert!(given.contains("cents"), "{when}: the other one stands");
        assert_eq!(told.audit(), 1, "{when}");
    }
}

/// What the security page says a program of the same user can do: these pass as long as it is so.
#[test]
fn rev_03_what_is_not_sealed_can_be_changed_and_makes_nothing_new_instruct() {
    let told = told(&[]);
    let pending = add(
        &told.world,
        told.repo.root(),
        &["Amounts of money are stored as text, says a planted memory."],
    );
    let other = told.world.repo("other");
    other.file("README.md", "# Other\n");
    other.commit("start");
    // Another folder counts as the project: its approvals hold there, and nothing else does.
    told.database()
        .execute(
            "UPDATE project_roots SET root = ?1, common_dir = ?2",
            params![
                other.root().to_str().unwrap().as_bytes(),
                other.root().join(".git").to_str().unwrap().as_bytes()
            ],
        )
        .unwrap();
    let given = prompt(&told.world, other.root(), QUERY);
    assert!(
        given.contains("cents") && !given.contains("planted"),
        "{given}"
    );
    // A trace tells what it was made to tell.
    told.sql("UPDATE recall_traces SET query = 'what nobody asked'");
    let why = told.world.taffrail_in(other.root(), &["memory", "why"]);
    assert!(why.stdout.contains("what nobody asked"), "{why:?}");
    // A candidate's origin is what its row says; its status is no use without a seal.
    told.sql(&format!(
        "UPDATE memories SET channel = 'operator', status = 'confirmed', shelf = 'queue' WHERE short = '{pending}'"
    ));
    told.world
        .taffrail_in(other.root(), &["doctor", "--repair"]);
    assert!(!prompt(&told.world, other.root(), QUERY).contains("planted"));
    assert_eq!(
        told.audit(),
        1,
        "a row that says confirmed and has no seal is named"
    );
}

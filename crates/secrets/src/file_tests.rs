use std::sync::Arc;

use super::*;

/// A file in memory that is one for every holder.
#[derive(Clone, Default)]
struct Shelf(Arc<Mutex<Option<Vec<u8>>>>);

impl Shelf {
    fn bytes(&self) -> Vec<u8> {
        self.0.lock().unwrap().clone().unwrap()
    }

    fn put(&self, bytes: &[u8]) {
        *self.0.lock().unwrap() = Some(bytes.to_vec());
    }
}

impl Vault for Shelf {
    fn read(&self) -> io::Result<Option<Vec<u8>>> {
        Ok(self.0.lock().unwrap().clone())
    }

    fn update(&self, change: &mut Change<'_>) -> Result<(), SecretsError> {
        let mut held = self.0.lock().unwrap();
        *held = Some(change(held.clone())?);
        Ok(())
    }
}

fn key(text: &str) -> FileKey {
    FileKey::Passphrase(Secret::new(text.as_bytes().to_vec()))
}

fn name(text: &str) -> Name {
    text.parse().unwrap()
}

fn secret(text: &str) -> Secret {
    Secret::new(text.as_bytes().to_vec())
}

fn filled() -> (Shelf, FileBackend<Shelf>) {
    let shelf = Shelf::default();
    let file = FileBackend::create(shelf.clone(), key("p"), Cost::TINY).unwrap();
    file.set(&name("openai"), &secret("SENTINEL"), Millis(7))
        .unwrap();
    (shelf, file)
}

#[test]
fn sec_01_the_file_keeps_values_and_shows_neither_them_nor_names() {
    let (shelf, file) = filled();
    file.set(&name("anthropic"), &secret("two"), Millis(9))
        .unwrap();
    let again = FileBackend::open(shelf.clone(), key("p")).unwrap();
    assert_eq!(
        again.get(&name("openai")).unwrap(),
        Some(secret("SENTINEL"))
    );
    let told: Vec<_> = again
        .list()
        .unwrap()
        .into_iter()
        .map(|held| (held.name.to_string(), held.since))
        .collect();
    assert_eq!(
        told,
        [
            ("anthropic".to_owned(), Some(Millis(9))),
            ("openai".to_owned(), Some(Millis(7)))
        ]
    );
    for word in ["SENTINEL", "openai", "anthropic"] {
        let bytes = shelf.bytes();
        assert!(
            !bytes
                .windows(word.len())
                .any(|window| window == word.as_bytes()),
            "{word}"
        );
    }
    assert!(again.remove(&name("openai")).unwrap());
    assert!(!again.remove(&name("openai")).unwrap());
    assert_eq!(file.get(&name("openai")).unwrap(), None);
}

#[test]
fn sec_01_a_wrong_key_opens_and_changes_nothing() {
    let (shelf, _) = filled();
    let before = shelf.bytes();
    let wrong = FileBackend::open(shelf.clone(), key("q"));
    assert!(matches!(
        wrong.err(),
        Some(SecretsError::WrongPassphrase { .. })
    ));
    let key_file = FileKey::of_key_file(Secret::new(vec![1; 32])).unwrap();
    let wrong = FileBackend::open(shelf.clone(), key_file);
    assert!(matches!(wrong.err(), Some(SecretsError::OtherKey { .. })));
    assert_eq!(shelf.bytes(), before);
    assert_eq!(FileBackend::needs(&shelf).unwrap(), "passphrase");
}

#[test]
fn nothing_is_made_twice_and_nothing_is_made_by_opening() {
    let (shelf, file) = filled();
    let again = FileBackend::create(shelf, key("p"), Cost::TINY);
    assert!(matches!(again.err(), Some(SecretsError::AlreadyThere)));
    assert!(file.get(&name("openai")).unwrap().is_some());
    let none = FileBackend::open(Shelf::default(), key("p"));
    assert!(matches!(none.err(), Some(SecretsError::Missing)));
    let empty = FileBackend::create(Shelf::default(), key(""), Cost::TINY);
    assert!(matches!(empty.err(), Some(SecretsError::Empty)));
}

#[test]
fn a_damaged_file_is_told_and_never_written_over() {
    let (shelf, file) = filled();
    let whole = shelf.bytes();
    let mut flipped = whole.clone();
    *flipped.last_mut().unwrap() ^= 1;
    for damaged in [
        &whole[..20],
        &whole[..whole.len() - 1],
        &flipped,
        b"",
        &[0; 100],
    ] {
        shelf.put(damaged);
        let set = file.set(&name("new"), &secret("v"), Millis(1));
        assert!(matches!(set, Err(SecretsError::Damaged { .. })), "{set:?}");
        assert!(matches!(file.list(), Err(SecretsError::Damaged { .. })));
        assert_eq!(shelf.bytes(), damaged);
    }
    shelf.put(&whole);
    assert_eq!(file.get(&name("openai")).unwrap(), Some(secret("SENTINEL")));
}

#[test]
fn more_than_a_mebibyte_is_refused_and_what_is_there_stays() {
    let (shelf, file) = filled();
    let before = shelf.bytes();
    let big = Secret::new(vec![b'x'; FILE_LIMIT]);
    let set = file.set(&name("big"), &big, Millis(1));
    assert!(matches!(set, Err(SecretsError::TooLarge { .. })), "{set:?}");
    let empty = file.set(&name("none"), &secret(""), Millis(1));
    assert!(matches!(empty, Err(SecretsError::Empty)));
    assert_eq!(shelf.bytes(), before);
    shelf.put(&vec![0; FILE_LIMIT + 1]);
    assert!(matches!(file.list(), Err(SecretsError::TooLarge { .. })));
}

#[test]
fn two_holders_of_one_file_lose_nothing() {
    let (shelf, one) = filled();
    let two = FileBackend::open(shelf, key("p")).unwrap();
    std::thread::scope(|scope| {
        for (holder, who) in [(&one, "one"), (&two, "two")] {
            scope.spawn(move || {
                for turn in 0..20 {
                    holder
                        .set(&name(&format!("{who}-{turn}")), &secret("v"), Millis(turn))
                        .unwrap();
                }
            });
        }
    });
    assert_eq!(one.list().unwrap().len(), 41);
}

#[test]
fn a_file_that_was_made_anew_under_another_salt_is_read_with_its_own() {
    let (shelf, file) = filled();
    let other = Shelf::default();
    let fresh = FileBackend::create(other.clone(), key("p"), Cost::TINY).unwrap();
    fresh.set(&name("fresh"), &secret("v"), Millis(1)).unwrap();
    shelf.put(&other.bytes());
    assert!(file.get(&name("fresh")).unwrap().is_some());
}

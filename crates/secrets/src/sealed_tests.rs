use proptest::prelude::*;

use super::*;

fn passphrase(text: &str) -> FileKey {
    FileKey::Passphrase(Secret::new(text.as_bytes().to_vec()))
}

fn derived(key: &FileKey) -> Derived {
    Recipe::new(key, Cost::TINY).unwrap().derive(key).unwrap()
}

fn open(sealed: &[u8], key: &FileKey, purpose: Purpose) -> Result<Vec<u8>, SecretsError> {
    let recipe = Recipe::of(sealed, purpose)?;
    Ok(recipe.derive(key)?.open(sealed, purpose)?.to_vec())
}

#[test]
fn sec_01_what_was_sealed_opens_with_its_key_only() {
    let key_file = FileKey::of_key_file(Secret::new(vec![7; 32])).unwrap();
    for key in [passphrase("correct horse"), key_file] {
        let sealed = derived(&key).seal(b"value", Purpose::File).unwrap();
        assert_eq!(open(&sealed, &key, Purpose::File).unwrap(), b"value");
        assert!(!sealed.windows(5).any(|window| window == b"value"));
    }
    let sealed = derived(&passphrase("one"))
        .seal(b"value", Purpose::File)
        .unwrap();
    let wrong = open(&sealed, &passphrase("two"), Purpose::File);
    assert!(matches!(
        wrong,
        Err(SecretsError::WrongPassphrase { what: "passphrase" })
    ));
    let other = FileKey::of_key_file(Secret::new(vec![7; 32])).unwrap();
    let other = open(&sealed, &other, Purpose::File);
    assert!(matches!(
        other,
        Err(SecretsError::OtherKey {
            needed: "passphrase"
        })
    ));
}

#[test]
fn a_key_file_has_thirty_two_bytes() {
    for length in [0, 31, 33] {
        let refused = FileKey::of_key_file(Secret::new(vec![0; length]));
        assert!(
            matches!(refused, Err(SecretsError::KeyFileUnfit { found, .. }) if found == length)
        );
    }
}

#[test]
fn the_same_text_never_looks_the_same() {
    let key = derived(&passphrase("p"));
    let (one, two) = (
        key.seal(b"v", Purpose::File).unwrap(),
        key.seal(b"v", Purpose::File).unwrap(),
    );
    assert_ne!(one[HEADER..], two[HEADER..]);
}

#[test]
fn one_purpose_does_not_open_as_the_other() {
    let key = passphrase("p");
    let sealed = derived(&key).seal(b"v", Purpose::Wrap).unwrap();
    let refused = open(&sealed, &key, Purpose::File);
    assert!(
        matches!(refused, Err(SecretsError::Damaged { .. })),
        "{refused:?}"
    );
}

#[test]
fn a_newer_version_says_so() {
    let key = passphrase("p");
    let mut sealed = derived(&key).seal(b"v", Purpose::File).unwrap();
    sealed[8] = 2;
    let refused = open(&sealed, &key, Purpose::File);
    assert!(
        matches!(refused, Err(SecretsError::Newer { found: 2, .. })),
        "{refused:?}"
    );
}

/// Gives a header a sum that fits, as somebody does who changes it on purpose.
fn resum(sealed: &mut [u8]) {
    let sum = short(b"taffrail header 1", &[&sealed[..HEADER - 8]]);
    sealed[HEADER - 8..HEADER].copy_from_slice(&sum);
}

#[test]
fn a_header_cannot_ask_for_all_memory() {
    let key = passphrase("p");
    let mut sealed = derived(&key).seal(b"v", Purpose::File).unwrap();
    sealed[11..15].copy_from_slice(&u32::MAX.to_le_bytes());
    resum(&mut sealed);
    let refused = open(&sealed, &key, Purpose::File);
    assert!(matches!(refused, Err(SecretsError::Damaged { why, .. }) if why.contains("asks for")));
}

#[test]
fn a_header_of_another_write_does_not_open_this_text() {
    let key = derived(&passphrase("p"));
    let one = key.seal(b"one", Purpose::File).unwrap();
    let two = key.seal(b"two", Purpose::File).unwrap();
    let mixed = [&one[..HEADER], &two[HEADER..]].concat();
    let refused = key.open(&mixed, Purpose::File);
    assert!(matches!(refused, Err(SecretsError::Damaged { .. })));
    // The twin: unmixed both open.
    assert!(key.open(&one, Purpose::File).is_ok() && key.open(&two, Purpose::File).is_ok());
}

#[test]
fn every_cut_and_every_flipped_bit_is_told() {
    let key = passphrase("p");
    let sealed = derived(&key).seal(b"some value", Purpose::File).unwrap();
    for length in 0..sealed.len() {
        let refused = open(&sealed[..length], &key, Purpose::File);
        assert!(
            matches!(refused, Err(SecretsError::Damaged { .. })),
            "cut at {length}: {refused:?}"
        );
    }
    for bit in 0..sealed.len() * 8 {
        let mut changed = sealed.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        let refused = open(&changed, &key, Purpose::File);
        let told = matches!(
            refused,
            Err(SecretsError::Damaged { .. } | SecretsError::Newer { .. })
        );
        assert!(told, "bit {bit}: {refused:?}");
    }
}

#[test]
fn a_bound_header_is_associated_data() {
    // With a sum that fits, only the tag is left to notice a changed nonce or check.
    let key = derived(&passphrase("p"));
    let sealed = key.seal(b"value", Purpose::File).unwrap();
    for at in 36..HEADER - 8 {
        let mut changed = sealed.clone();
        changed[at] ^= 1;
        resum(&mut changed);
        assert!(key.open(&changed, Purpose::File).is_err(), "byte {at}");
    }
}

proptest! {
    #[test]
    fn any_bytes_are_an_error_and_no_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(open(&bytes, &passphrase("p"), Purpose::File).is_err());
    }

    #[test]
    fn any_value_comes_back(bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
        let key = passphrase("p");
        let sealed = derived(&key).seal(&bytes, Purpose::Wrap).unwrap();
        prop_assert_eq!(open(&sealed, &key, Purpose::Wrap).unwrap(), bytes);
    }
}

//! Hellos as clients say them, and as attackers do.

use super::*;
use proptest::prelude::*;

#[path = "../tests/support/hello.rs"]
pub(crate) mod made;

use made::{ENCRYPTED, hello, list, message, names, with};

const SNI: u16 = 0;

#[test]
fn cnf_08_the_name_of_a_hello_as_openssl_says_it() {
    let record = made::of_openssl();
    let hello = &record[5..];
    assert_eq!(length(hello), Ok(Some(hello.len())));
    assert_eq!(name(hello), Ok(Some(&b"api.example.com"[..])));
}

#[test]
fn cnf_08_a_hello_without_extensions_names_nobody() {
    let old = [&[3, 1][..], &[7; 32], &[0], &list(2, &[0, 47]), &[1, 0]].concat();
    assert_eq!(name(&message(1, &old)), Ok(None));
    assert_eq!(name(&hello(None)), Ok(None));
}

#[test]
fn cnf_08_of_an_encrypted_hello_the_outer_name_is_read() {
    let encrypted = with(&[
        (ENCRYPTED, b"inner.example".to_vec()),
        (SNI, names(&[b"outer.example"])),
    ]);
    assert_eq!(name(&encrypted), Ok(Some(&b"outer.example"[..])));
}

/// S13: two readers of one text must not see two hosts.
#[test]
fn cnf_08_s13_a_hello_that_two_readers_read_in_two_ways_is_none() {
    let twice = [(SNI, names(&[b"ok.test"])), (SNI, names(&[b"evil.test"]))];
    let behind = |bytes: &[u8]| [names(&[b"ok.test"]), bytes.to_vec()].concat();
    let other_kind = list(2, &[&[1], list(2, b"ok.test").as_slice()].concat());
    let mut trailing = hello(Some("ok.test"));
    trailing.push(0);
    let mut longer = trailing.clone();
    longer[3] += 1;
    let cases = [
        ("two extensions", with(&twice)),
        (
            "two names",
            with(&[(SNI, names(&[b"ok.test", b"evil.test"]))]),
        ),
        ("no name", with(&[(SNI, names(&[]))])),
        ("an empty name", with(&[(SNI, names(&[b""]))])),
        ("no list", with(&[(SNI, Vec::new())])),
        ("bytes behind the list", with(&[(SNI, behind(b"x"))])),
        ("another kind of name", with(&[(SNI, other_kind)])),
        ("bytes behind the hello", trailing),
        ("bytes behind the extensions", longer),
        ("another message", message(2, &hello(Some("ok.test"))[4..])),
    ];
    for (what, bytes) in cases {
        assert_eq!(name(&bytes), Err(Malformed), "{what}");
    }
}

#[test]
fn cnf_08_the_length_of_a_hello_is_bounded() {
    assert_eq!(length(&[]), Ok(None));
    assert_eq!(length(&[1, 0, 0]), Ok(None));
    assert_eq!(length(&[1, 0, 0x40, 0]), Ok(Some(4 + LONGEST)));
    assert_eq!(length(&[1, 0, 0x40, 1]), Err(Malformed));
    assert_eq!(length(&[1, 255, 255, 255]), Err(Malformed));
    assert_eq!(length(&[2]), Err(Malformed));
}

/// Every name in a hello, however it is nested: what a reader that is less strict could take.
fn naive(bytes: &[u8]) -> Vec<&[u8]> {
    let starts = 0..bytes.len().saturating_sub(5);
    let at = |start: usize| {
        let length = usize::from(bytes[start + 1]) << 8 | usize::from(bytes[start + 2]);
        let name = bytes.get(start + 3..start + 3 + length)?;
        (bytes[start] == 0 && !name.is_empty()).then_some(name)
    };
    starts.filter_map(at).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn cnf_08_s13_no_bytes_make_the_reader_of_hellos_fail(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let (_, _) = (length(&bytes), begins(&bytes));
        if let Ok(Some(name)) = name(&bytes) {
            prop_assert!(naive(&bytes).contains(&name));
        }
    }

    /// A hello with a few bytes changed or cut still names one of the hosts that are in it, or is none.
    #[test]
    fn cnf_08_s13_a_damaged_hello_names_a_host_that_is_in_it_or_is_none(
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        cut in any::<prop::sample::Index>(),
        cuts in any::<bool>(),
    ) {
        let mut bytes = with(&[(ENCRYPTED, names(&[b"inner.test"])), (SNI, names(&[b"ok.test"])), (16, vec![0, 3, 2, b'h', b'2'])]);
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        if cuts {
            bytes.truncate(cut.index(bytes.len()));
        }
        if let Ok(Some(name)) = name(&bytes) {
            prop_assert!(naive(&bytes).contains(&name));
            prop_assert_eq!(length(&bytes), Ok(Some(bytes.len())));
        }
    }
}

//! Bytes that nobody wrote: an index and a pack's difference never take more than they hold, and never end the program.

use proptest::prelude::*;

use super::raw_index::{Cursor, parse};

/// An index of one file, as git 2.47 writes it (version 2, without extensions).
fn index() -> Vec<u8> {
    let mut bytes = b"DIRC\0\0\0\x02\0\0\0\x01".to_vec();
    let numbers: [u32; 10] = [1, 2, 3, 4, 5, 6, 0o100_644, 7, 8, 9];
    numbers
        .iter()
        .for_each(|number| bytes.extend(number.to_be_bytes()));
    bytes.extend([0xab; 20]);
    bytes.extend([0, 5]);
    bytes.extend(b"a/b.c\0\0\0\0\0");
    bytes.extend([0; 20]);
    bytes
}

#[test]
fn mem_07_an_index_is_read() {
    let read = parse(&index(), 20, i128::MAX, 10).unwrap();
    let (path, known) = &read.entries[0];
    assert_eq!(path.to_text(), "a/b.c");
    let known = known.as_ref().unwrap();
    assert_eq!(known.oid.as_str(), "ab".repeat(20));
    assert!(!known.hidden);
    assert_eq!(
        parse(&index(), 20, 0, 0).err(),
        Some("there are more files than are looked at")
    );
    for cut in 0..index().len() {
        let part = parse(&index()[..cut], 20, i128::MAX, 10);
        assert!(part.is_err(), "{cut}");
    }
    let mut newer = index();
    newer[7] = 5;
    assert_eq!(
        parse(&newer, 20, 0, 10).err(),
        Some("the index is of a newer version")
    );
    for (name, why) in [
        (b"link", "the index is split in two files"),
        (b"sdir", "the index is sparse"),
        (b"what", "the index is of a kind that is not known"),
    ] {
        let mut more = index();
        let at = more.len() - 20;
        more.splice(at..at, [name.as_slice(), &[0; 4]].concat());
        assert_eq!(parse(&more, 20, 0, 10).err(), Some(why));
    }
}

proptest! {
    #[test]
    fn mem_07_no_bytes_of_an_index_do_harm(at in 0_usize..92, byte: u8, version in 2_u8..5) {
        let mut bytes = index();
        bytes[7] = version;
        let at = at % bytes.len();
        bytes[at] = byte;
        drop(parse(&bytes, 20, i128::MAX, 1_000));
    }

    #[test]
    fn mem_07_no_extension_does_harm(tail in proptest::collection::vec(any::<u8>(), 0..200)) {
        let mut bytes = index();
        let at = bytes.len() - 20;
        let length = (tail.len() as u32).to_be_bytes();
        bytes.splice(at..at, [b"TREE".as_slice(), &length, &tail].concat());
        prop_assert!(parse(&bytes, 20, i128::MAX, 10).is_ok());
    }

    #[test]
    fn mem_07_no_difference_does_harm(
        base in proptest::collection::vec(any::<u8>(), 0..300),
        delta in proptest::collection::vec(any::<u8>(), 0..100),
    ) {
        if let Some(made) = super::raw_objects::patched(&base, &delta, 1_000) {
            prop_assert!(made.len() <= 1_000);
        }
    }

    #[test]
    fn mem_07_numbers_end(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
        Cursor(&bytes).size();
        Cursor(&bytes).offset();
    }
}

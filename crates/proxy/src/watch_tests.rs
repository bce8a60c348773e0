//! Tunnels as clients use them, and as attackers do.

use super::*;
use crate::hello::tests::made::{
    ENCRYPTED, hello, message, names, of_openssl, record, records, with,
};
use proptest::prelude::*;

fn watch(place: &str) -> Watch {
    Watch::new(Place::parse(place, None).unwrap())
}

/// What goes up of bytes that come in pieces, and why the tunnel is ended.
fn carried(place: &str, pieces: &[&[u8]]) -> (Vec<u8>, Option<Refused>) {
    let (mut watch, mut out) = (watch(place), Vec::new());
    for piece in pieces {
        if watch.take(piece, &mut out).is_none() {
            break;
        }
    }
    (out, watch.refused)
}

fn why(place: &str, bytes: &[u8]) -> Option<Why> {
    let (out, refused) = carried(place, &[bytes]);
    assert!(refused.is_none() || out.is_empty(), "something went up");
    refused.map(|refused| refused.why)
}

const OK: &str = "ok.test:443";

#[test]
fn cnf_08_s13_a_tunnel_carries_tls_that_names_its_host_however_it_is_cut() {
    let whole = [
        records(&hello(Some("ok.test")), 16 << 10),
        record(23, b"secret"),
    ]
    .concat();
    assert_eq!(carried(OK, &[&whole]), (whole.clone(), None));
    let bytes: Vec<&[u8]> = whole.chunks(1).collect();
    assert_eq!(carried(OK, &bytes), (whole.clone(), None));
    for each in [1, 2, 3, 7, 100] {
        let parted = records(&hello(Some("OK.test")), each);
        assert_eq!(carried(OK, &[&parted]), (parted.clone(), None));
    }
    let real = of_openssl();
    let at = "api.example.com:8443";
    assert_eq!(carried(at, &[&real]), (real.clone(), None));
}

#[test]
fn cnf_08_s13_a_tunnel_to_one_host_carries_no_tls_to_another() {
    for each in [1, 5, 16 << 10] {
        let evil = records(&hello(Some("evil.test")), each);
        for pieces in [vec![evil.as_slice()], evil.chunks(1).collect()] {
            let (out, refused) = carried(OK, &pieces);
            assert!(out.is_empty());
            let expect = Refused {
                why: Why::OtherName,
                name: Some("evil.test".to_owned()),
            };
            assert_eq!(refused, Some(expect));
        }
    }
    // Names that only look like the tunnel's, and one that is too long to be told whole.
    let long = "a".repeat(300);
    for name in [
        "ok.test.",
        "x.ok.test",
        "ok.test\0",
        "ok.test:443",
        "127.1",
        &long,
    ] {
        let said = records(&hello(Some(name)), 16 << 10);
        let (out, refused) = carried(OK, &[&said]);
        let told = refused.and_then(|refused| refused.name).unwrap();
        assert_eq!(
            (out.len(), told.as_str()),
            (0, &name[..name.len().min(256)])
        );
    }
}

#[test]
fn cnf_08_s13_the_outer_name_of_an_encrypted_hello_is_compared() {
    let said = |outer: &[u8]| {
        let inner = (ENCRYPTED, b"ok.test".to_vec());
        records(&with(&[inner, (0, names(&[outer]))]), 16 << 10)
    };
    assert_eq!(why(OK, &said(b"ok.test")), None);
    assert_eq!(why(OK, &said(b"evil.test")), Some(Why::OtherName));
}

#[test]
fn cnf_08_s13_who_names_nobody_reaches_an_address_and_no_name() {
    let nobody = records(&hello(None), 16 << 10);
    assert_eq!(why(OK, &nobody), Some(Why::NoName));
    assert_eq!(why("93.184.216.34:443", &nobody), None);
    // Some say the address, which is no name; a name is another host.
    let said = |name| records(&hello(Some(name)), 16 << 10);
    assert_eq!(why("93.184.216.34:443", &said("93.184.216.34")), None);
    let other = why("93.184.216.34:443", &said("ok.test"));
    assert_eq!(other, Some(Why::OtherName));
}

#[test]
fn cnf_08_s13_the_port_of_tls_carries_nothing_else() {
    for said in [
        &b"GET / HTTP/1.1\r\nHost: evil.test\r\n\r\n"[..],
        b"SSH-2.0-x\r\n",
        b"\x80\x2e\x01\x03\x01",
        b"\x16\x02",
        b"\x17\x03\x03\x00\x01x",
    ] {
        assert_eq!(why(OK, said), Some(Why::NotTls));
        assert_eq!(carried("ok.test:22", &[said]), (said.to_vec(), None));
    }
}

/// A server asks for a second hello when it cannot use the keys of the first one, and takes the name in that.
#[test]
fn cnf_08_s13_a_second_hello_names_the_tunnel_s_host_too() {
    let first = records(&hello(Some("ok.test")), 16 << 10);
    let change = record(20, &[1]);
    let early = record(23, &[22; 40]);
    for each in [1, 5, 16 << 10] {
        let good = records(&hello(Some("ok.test")), each);
        let evil = records(&hello(Some("evil.test")), each);
        for between in [
            vec![],
            change.clone(),
            [early.clone(), change.clone()].concat(),
        ] {
            let before = [first.clone(), between].concat();
            let whole = [before.clone(), good.clone()].concat();
            assert_eq!(carried(OK, &[&whole]), (whole.clone(), None));
            let turned = [before.clone(), evil.clone()].concat();
            let pieces: Vec<&[u8]> = turned.chunks(1).collect();
            let (out, refused) = carried(OK, &pieces);
            assert_eq!(out, before);
            assert_eq!(refused.unwrap().why, Why::OtherName);
        }
    }
}

/// The twin of the last: the rest of a handshake is held up by nothing, encrypted or not.
#[test]
fn cnf_08_s13_what_is_no_hello_goes_as_it_comes() {
    let first = records(&hello(Some("ok.test")), 16 << 10);
    // TLS 1.2: keys of the client, then its end, encrypted; by chance its first byte is a hello's.
    let keys = record(22, &message(16, &[5; 66]));
    let ended = record(22, &[&[1, 0, 9, 9, 7, 7][..], &[8; 34]].concat());
    for next in [
        keys,
        ended,
        record(22, &[]),
        record(23, &[1; 20_000]),
        record(99, &[1]),
    ] {
        let (mut watch, mut out) = (watch(OK), Vec::new());
        watch.take(&first, &mut out).unwrap();
        watch.take(&next, &mut out).unwrap();
        assert_eq!(out, [first.clone(), next].concat());
        assert!(!watch.holds());
    }
}

#[test]
fn cnf_08_s13_tls_that_two_readers_read_in_two_ways_goes_nowhere() {
    let good = hello(Some("ok.test"));
    let two = [good.clone(), hello(Some("evil.test"))].concat();
    let (front, back) = good.split_at(9);
    let parted = |between: &[u8]| [&record(22, front), between, &record(22, back)].concat();
    let cases = [
        ("two hellos in a record", record(22, &two)),
        ("an empty record", parted(&record(22, &[]))),
        ("an alert inside", parted(&record(21, &[1, 0]))),
        ("data inside", parted(&record(23, &[1]))),
        ("another message", record(22, &message(11, &[0; 40]))),
        (
            "a record that is too long",
            record(22, &[1; (16 << 10) + 1]),
        ),
        ("a hello that is too long", record(22, &[1, 1, 0, 0])),
    ];
    for (what, bytes) in cases {
        for place in [OK, "ok.test:8443"] {
            assert_eq!(why(place, &bytes), Some(Why::Malformed), "{what}");
        }
    }
}

#[test]
fn cnf_08_s13_what_is_held_back_is_bounded() {
    // The longest hello that is taken, in the smallest records, and never whole.
    let endless = message(1, &vec![7; 16 << 10]);
    let (mut watch, mut out) = (watch(OK), Vec::new());
    let pieces = records(&endless[..16 << 10], 1);
    let mut most = 0;
    for piece in pieces.chunks(6) {
        if watch.take(piece, &mut out).is_none() {
            break;
        }
        most = most.max(watch.held.len());
    }
    assert!(out.is_empty());
    assert_eq!(watch.refused.unwrap().why, Why::Malformed);
    assert!((HELD..HELD + 12).contains(&most), "{most}");
}

/// Hosts that a reader finds who knows nothing of the watcher: hellos at the start of records, put together.
fn named(bytes: &[u8]) -> Vec<Vec<u8>> {
    let (mut rest, mut whole, mut found) = (bytes, Vec::new(), Vec::new());
    while rest.len() >= 5 {
        let length = usize::from(rest[3]) << 8 | usize::from(rest[4]);
        let Some(part) = rest.get(5..5 + length) else {
            break;
        };
        if rest[0] == 22 {
            whole.extend_from_slice(part);
        }
        if let Ok(Some(end)) = hello::length(&whole)
            && whole.len() >= end
        {
            let name = hello::name(&whole[..end]).ok().flatten();
            found.extend(name.map(<[u8]>::to_vec));
            whole.clear();
        }
        rest = &rest[5 + length..];
    }
    found
}

fn piece() -> impl Strategy<Value = Vec<u8>> {
    let host = proptest::sample::select(vec![Some("ok.test"), Some("evil.test"), None]);
    prop_oneof![
        4 => (host, 1_usize..90).prop_map(|(host, each)| records(&hello(host), each)),
        1 => proptest::collection::vec(any::<u8>(), 0..20).prop_map(|bytes| record(23, &bytes)),
        1 => proptest::collection::vec(any::<u8>(), 0..20).prop_map(|bytes| record(22, &bytes)),
        1 => Just(record(20, &[1])),
        1 => proptest::collection::vec(any::<u8>(), 0..8),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    /// Whatever comes, in whatever pieces: what goes up is its beginning, and the first host that is named in it is the
    /// tunnel's.
    #[test]
    fn cnf_08_s13_whatever_goes_up_a_tunnel_names_its_host(
        parts in proptest::collection::vec(piece(), 1..6),
        cut in 1_usize..50,
    ) {
        let whole = parts.concat();
        let pieces: Vec<&[u8]> = whole.chunks(cut).collect();
        let (out, refused) = carried(OK, &pieces);
        prop_assert!(whole.starts_with(&out));
        let (at_once, refused_at_once) = carried(OK, &[&whole]);
        prop_assert_eq!(refused.as_ref().map(|refused| refused.why), refused_at_once.as_ref().map(|refused| refused.why));
        prop_assert!(out.starts_with(&at_once));
        if let Some(first) = named(&out).first() {
            prop_assert_eq!(first.as_slice(), b"ok.test");
        }
    }

    #[test]
    fn cnf_08_s13_no_bytes_make_the_watcher_fail(
        bytes in proptest::collection::vec(any::<u8>(), 0..400),
        hello_first in any::<bool>(),
        cut in 1_usize..50,
    ) {
        let start = if hello_first { records(&hello(Some("ok.test")), 16 << 10) } else { vec![22, 3] };
        let whole = [start, bytes].concat();
        let pieces: Vec<&[u8]> = whole.chunks(cut).collect();
        let (out, _) = carried(OK, &pieces);
        prop_assert!(whole.starts_with(&out));
    }
}

//! Hellos of TLS, made byte by byte, and one as OpenSSL 3.0 says it.
#![allow(dead_code)] // each test program uses a part of it

const SERVER_NAME: u16 = 0;
/// An encrypted hello (ECH).
pub const ENCRYPTED: u16 = 0xfe0d;

/// `openssl s_client -tls1_2 -servername api.example.com`: its one record.
pub fn of_openssl() -> Vec<u8> {
    let hex = "\
    16030100cf010000cb030381b6654be3f089418dfd245c66dfe55265c10ae90cb7e619acc31da57e8ebb2d000038c02cc030009fcca9cca8ccaac02b \
    c02f009ec024c028006bc023c0270067c00ac0140039c009c0130033009d009c003d003c0035002f00ff0100006a00000014001200000f6170692e65 \
    78616d706c652e636f6d000b000403000102000a000c000a001d0017001e00190018002300000016000000170000000d002a00280403050306030807 \
    08080809080a080b080408050806040105010601030303010302040205020602 \
    ";
    let digits: Vec<u32> = hex.chars().filter_map(|digit| digit.to_digit(16)).collect();
    let bytes = digits
        .chunks(2)
        .map(|pair| u8::try_from(pair[0] << 4 | pair[1]).unwrap());
    bytes.collect()
}

/// The data of the extension that names these.
pub fn names(of: &[&[u8]]) -> Vec<u8> {
    let one = |name: &&[u8]| [&[0], list(2, name).as_slice()].concat();
    list(2, &of.iter().flat_map(one).collect::<Vec<_>>())
}

/// The message of a hello with these extensions.
pub fn with(extensions: &[(u16, Vec<u8>)]) -> Vec<u8> {
    let one = |(kind, data): &(u16, Vec<u8>)| [&kind.to_be_bytes()[..], &list(2, data)].concat();
    let extensions: Vec<u8> = extensions.iter().flat_map(one).collect();
    let start = [&[3, 3][..], &[7; 32], &list(1, &[9; 32])].concat();
    let lists = [list(2, &[0x13, 1]), list(1, &[0]), list(2, &extensions)].concat();
    message(1, &[start, lists].concat())
}

/// The message of a hello that names this host, or nobody.
pub fn hello(name: Option<&str>) -> Vec<u8> {
    let versions = (43, vec![2, 3, 4]);
    match name {
        Some(name) => with(&[versions, (SERVER_NAME, names(&[name.as_bytes()]))]),
        None => with(&[versions]),
    }
}

/// A message of a handshake.
pub fn message(kind: u8, body: &[u8]) -> Vec<u8> {
    [&[kind], list(3, body).as_slice()].concat()
}

/// One record.
pub fn record(kind: u8, bytes: &[u8]) -> Vec<u8> {
    [&[kind, 3, 3], list(2, bytes).as_slice()].concat()
}

/// A message in records of so many bytes.
pub fn records(message: &[u8], each: usize) -> Vec<u8> {
    message
        .chunks(each)
        .flat_map(|part| record(22, part))
        .collect()
}

/// Bytes behind their length of so many bytes.
pub fn list(length: usize, bytes: &[u8]) -> Vec<u8> {
    let count = bytes.len().to_be_bytes();
    [&count[count.len() - length..], bytes].concat()
}

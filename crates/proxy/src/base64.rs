//! Base64 of a few bytes, for the one header that a client must send where the proxy's port can be met by others.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The value of `Proxy-Authorization` for a user name and a password.
pub(crate) fn basic(user: &str, password: &str) -> String {
    format!("Basic {}", encode(format!("{user}:{password}").as_bytes()))
}

fn encode(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let bits = chunk
            .iter()
            .chain([0, 0].iter())
            .take(3)
            .fold(0usize, |bits, byte| bits << 8 | usize::from(*byte));
        for place in 0..4 {
            let sextet = bits >> (18 - 6 * place) & 63;
            let is_there = place <= chunk.len();
            let sign = ALPHABET.get(sextet).filter(|_| is_there).unwrap_or(&b'=');
            text.push(char::from(*sign));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cnf_08_the_rfc_s_own_vectors() {
        for (plain, coded) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(encode(plain.as_bytes()), coded);
        }
        assert_eq!(
            basic("Aladdin", "open sesame"),
            "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="
        );
    }
}

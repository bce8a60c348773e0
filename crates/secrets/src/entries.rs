//! What lies inside the ciphertext of the file: names, times and values.

use std::collections::BTreeMap;

use taffrail_domain::Millis;
use zeroize::Zeroizing;

use crate::{Name, Secret, SecretsError};

/// Every secret of a file, by name.
pub(crate) type Entries = BTreeMap<Name, Entry>;

/// A value and when it was set.
pub(crate) struct Entry {
    pub(crate) since: Millis,
    pub(crate) value: Secret,
}

/// Name length (1), name, time (8), value length (4), value; sorted by name.
pub(crate) fn encode(entries: &Entries) -> Zeroizing<Vec<u8>> {
    // Reserved whole: a buffer that grows leaves copies of its bytes behind.
    let room =
        |(name, entry): (&Name, &Entry)| 13 + name.as_str().len() + entry.value.expose().len();
    let mut bytes = Zeroizing::new(Vec::with_capacity(entries.iter().map(room).sum()));
    for (name, entry) in entries {
        let value = entry.value.expose();
        bytes.push(u8::try_from(name.as_str().len()).unwrap_or(u8::MAX));
        bytes.extend_from_slice(name.as_str().as_bytes());
        bytes.extend_from_slice(&entry.since.0.to_le_bytes());
        bytes.extend_from_slice(&u32::try_from(value.len()).unwrap_or(u32::MAX).to_le_bytes());
        bytes.extend_from_slice(value);
    }
    bytes
}

/// The reverse of [`encode`]; nothing may be left over.
pub(crate) fn decode(bytes: &[u8]) -> Result<Entries, SecretsError> {
    let mut entries = Entries::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        let (name, entry) = next(&mut rest).ok_or_else(damaged)?;
        if entries.insert(name, entry).is_some() {
            return Err(damaged());
        }
    }
    Ok(entries)
}

fn next(rest: &mut &[u8]) -> Option<(Name, Entry)> {
    let [length] = chunk(rest)?;
    let name = std::str::from_utf8(rest.split_off(..usize::from(length))?).ok()?;
    let since = i64::from_le_bytes(chunk(rest)?);
    let length = u32::from_le_bytes(chunk(rest)?);
    let value = rest.split_off(..usize::try_from(length).ok()?)?;
    let entry = Entry {
        since: Millis(since),
        value: Secret::new(value.to_vec()),
    };
    Some((name.parse().ok()?, entry))
}

fn chunk<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (chunk, after) = rest.split_first_chunk()?;
    *rest = after;
    Some(*chunk)
}

fn damaged() -> SecretsError {
    SecretsError::Damaged {
        what: "file of secrets",
        why: "its entries do not hold together",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_come_back_and_nothing_else_does() {
        let entries = Entries::from([
            (
                "b".parse().unwrap(),
                Entry {
                    since: Millis(-1),
                    value: Secret::new(vec![0, 255]),
                },
            ),
            (
                "a".parse().unwrap(),
                Entry {
                    since: Millis(7),
                    value: Secret::new(b"x".to_vec()),
                },
            ),
        ]);
        let bytes = encode(&entries);
        let back = decode(&bytes).unwrap();
        let told: Vec<_> = back
            .iter()
            .map(|(name, entry)| (name.as_str(), entry.since.0, entry.value.expose()))
            .collect();
        assert_eq!(told, [("a", 7, b"x".as_slice()), ("b", -1, &[0, 255])]);
        assert!(decode(&bytes[..bytes.len() - 1]).is_err());
        assert!(
            decode(&[&bytes[..], &bytes[..]].concat()).is_err(),
            "names twice"
        );
        assert!(decode(&[200, 1]).is_err());
        assert!(decode(&[]).unwrap().is_empty());
    }
}

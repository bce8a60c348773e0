//! What lies in the place of secrets under `seal-key` and `journal-anchor`: bytes with a version, read whole or not at all.

use taffrail_memory::journal::Anchor;
use taffrail_secrets::Secret;

/// The version of both forms.
const VERSION: u8 = 1;
/// The private half lies as it is.
const PLAIN: u8 = 0;
/// The private half is wrapped under a passphrase.
const WRAPPED: u8 = 1;
/// Bytes of the version, the kind and the public half.
const HEAD: usize = 2 + 32;

/// The seal key as it is kept.
pub enum KeyRecord {
    /// Opened by the place of secrets alone.
    Plain {
        /// The public half.
        public: [u8; 32],
        /// The private half.
        seed: Secret,
    },
    /// Opened by a passphrase too.
    Wrapped {
        /// The public half.
        public: [u8; 32],
        /// The private half, wrapped.
        wrapped: Vec<u8>,
    },
}

impl KeyRecord {
    /// The public half.
    pub fn public(&self) -> [u8; 32] {
        match self {
            Self::Plain { public, .. } | Self::Wrapped { public, .. } => *public,
        }
    }

    /// The bytes to keep.
    pub fn to_secret(&self) -> Secret {
        let (kind, public, rest) = match self {
            Self::Plain { public, seed } => (PLAIN, public, seed.expose()),
            Self::Wrapped { public, wrapped } => (WRAPPED, public, wrapped.as_slice()),
        };
        let mut bytes = Vec::with_capacity(HEAD + rest.len());
        bytes.extend([VERSION, kind]);
        bytes.extend(public);
        bytes.extend(rest);
        Secret::new(bytes)
    }

    /// The record that the bytes hold; none where they hold none.
    pub fn from_secret(secret: &Secret) -> Option<Self> {
        let (head, rest) = secret.expose().split_at_checked(HEAD)?;
        let (marks, public) = head.split_at_checked(2)?;
        let public: [u8; 32] = public.try_into().ok()?;
        match marks {
            [VERSION, PLAIN] if rest.len() == 32 => Some(Self::Plain {
                public,
                seed: Secret::new(rest.to_vec()),
            }),
            [VERSION, WRAPPED] => Some(Self::Wrapped {
                public,
                wrapped: rest.to_vec(),
            }),
            _ => None,
        }
    }
}

/// The newest entry of the journal at the last review. Without a signature where the key was not open then: a rejection
/// takes no passphrase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnchorRecord {
    /// The entry.
    pub anchor: Anchor,
    /// The signature over it.
    pub signature: Option<[u8; 64]>,
}

impl AnchorRecord {
    /// The bytes to keep.
    pub fn to_secret(self) -> Secret {
        let mut bytes = vec![VERSION];
        bytes.extend(self.anchor.seq.to_be_bytes());
        bytes.extend(self.anchor.head);
        bytes.extend(self.signature.into_iter().flatten());
        Secret::new(bytes)
    }

    /// The record that the bytes hold; none where they hold none.
    pub fn from_secret(secret: &Secret) -> Option<Self> {
        let (version, rest) = secret.expose().split_first()?;
        let (seq, rest) = rest.split_at_checked(8)?;
        let (head, signature) = rest.split_at_checked(32)?;
        if *version != VERSION {
            return None;
        }
        let signature = match signature {
            [] => None,
            bytes => Some(bytes.try_into().ok()?),
        };
        Some(Self {
            anchor: Anchor {
                seq: u64::from_be_bytes(seq.try_into().ok()?),
                head: head.try_into().ok()?,
            },
            signature,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rev_04_records_read_back_and_nothing_else_does() {
        let plain = KeyRecord::Plain {
            public: [1; 32],
            seed: Secret::new(vec![2; 32]),
        };
        let wrapped = KeyRecord::Wrapped {
            public: [1; 32],
            wrapped: vec![3; 90],
        };
        for record in [plain, wrapped] {
            let read = KeyRecord::from_secret(&record.to_secret()).unwrap();
            assert_eq!(read.to_secret().expose(), record.to_secret().expose());
        }
        for bad in [&[] as &[u8], &[1, 0], &[2; 66], &[1; 34]] {
            let record = KeyRecord::from_secret(&Secret::new(bad.to_vec()));
            assert!(!matches!(record, Some(KeyRecord::Plain { .. })));
        }
    }

    #[test]
    fn rev_05_anchors_read_back() {
        for signature in [None, Some([7; 64])] {
            let anchor = Anchor {
                seq: 9,
                head: [8; 32],
            };
            let record = AnchorRecord { anchor, signature };
            assert_eq!(AnchorRecord::from_secret(&record.to_secret()), Some(record));
        }
        assert_eq!(AnchorRecord::from_secret(&Secret::new(vec![1; 50])), None);
    }
}

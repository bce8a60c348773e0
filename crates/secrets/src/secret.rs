//! The type that holds a value: it cannot be displayed or serialised, and its bytes are zeroed when it goes (SEC-02).

use std::fmt;

use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

/// Bytes that nobody is shown. Not `Display`, not `Serialize`, not `Clone`; equality takes the same time whatever differs.
pub struct Secret(Zeroizing<Vec<u8>>);

impl Secret {
    /// Takes the bytes over; they are zeroed when this goes. Copies that the caller made before stay the caller's.
    pub fn new(bytes: Vec<u8>) -> Self {
        Self(Zeroizing::new(bytes))
    }

    /// Random bytes of the system.
    ///
    /// # Errors
    /// `Random` when the system has none.
    pub fn random(length: usize) -> Result<Self, crate::SecretsError> {
        let mut bytes = Zeroizing::new(vec![0; length]);
        crate::sealed::fill(&mut bytes)?;
        Ok(Self(bytes))
    }

    /// The bytes themselves. What is done with them is the caller's word.
    pub fn expose(&self) -> &[u8] {
        &self.0
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A second one with the same bytes, asked for by name so that no derive makes copies.
    pub fn duplicate(&self) -> Self {
        Self(self.0.clone())
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Secret(…)")
    }
}

/// Compares digests, so that time tells nothing of where two values differ.
impl PartialEq for Secret {
    fn eq(&self, other: &Self) -> bool {
        Sha256::digest(self.expose()) == Sha256::digest(other.expose())
    }
}

impl Eq for Secret {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Says at compile time whether a type implements a trait: the inherent constant wins where the bound holds.
    macro_rules! implements {
        ($type:ty: $($bound:tt)+) => {{
            struct Asked<T: ?Sized>(std::marker::PhantomData<T>);
            #[allow(dead_code)]
            trait Otherwise {
                const ANSWER: bool = false;
            }
            impl<T: ?Sized> Otherwise for Asked<T> {}
            #[allow(dead_code)]
            impl<T: ?Sized + $($bound)+> Asked<T> {
                const ANSWER: bool = true;
            }
            <Asked<$type>>::ANSWER
        }};
    }

    #[test]
    fn sec_02_a_secret_cannot_be_displayed_serialised_or_copied() {
        assert!(!implements!(Secret: std::fmt::Display));
        assert!(!implements!(Secret: Clone));
        assert!(!implements!(Secret: serde::Serialize));
        assert!(!implements!(Secret: AsRef<[u8]>));
        assert!(!implements!(Secret: std::ops::Deref));
        // The twin: a plain text does all of it.
        assert!(implements!(String: std::fmt::Display));
        assert!(implements!(String: Clone));
        assert!(implements!(String: serde::Serialize));
        assert!(implements!(String: AsRef<[u8]>));
        assert!(implements!(String: std::ops::Deref));
    }

    #[test]
    fn sec_02_debug_tells_nothing_of_the_value_or_its_length() {
        let short = format!("{:?}", Secret::new(b"hunter2".to_vec()));
        let long = format!("{:#?}", Secret::new(vec![b'x'; 400]));
        assert_eq!(short, "Secret(…)");
        assert_eq!(short, long);
    }

    #[test]
    fn equal_bytes_are_equal_secrets() {
        let one = Secret::new(b"one".to_vec());
        assert_eq!(one, one.duplicate());
        assert_ne!(one, Secret::new(b"two".to_vec()));
        assert!(Secret::new(Vec::new()).is_empty());
        assert_ne!(Secret::random(32).unwrap(), Secret::random(32).unwrap());
    }
}

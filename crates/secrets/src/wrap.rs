//! One secret under a passphrase, as bytes that stand for themselves: the seal key's lock, its export, its place in a
//! backup.

use crate::sealed::{Purpose, Recipe};
use crate::{Cost, FileKey, Secret, SecretsError};

/// Locks a secret under a passphrase. The bytes say how they open; they may lie anywhere.
///
/// # Errors
/// `Empty` without a passphrase; `Random`.
pub fn wrap(secret: &Secret, passphrase: &Secret) -> Result<Vec<u8>, SecretsError> {
    wrap_at(Cost::USUAL, secret, passphrase)
}

fn wrap_at(cost: Cost, secret: &Secret, passphrase: &Secret) -> Result<Vec<u8>, SecretsError> {
    if passphrase.is_empty() {
        return Err(SecretsError::Empty);
    }
    let key = FileKey::Passphrase(passphrase.duplicate());
    let derived = Recipe::new(&key, cost)?.derive(&key)?;
    derived.seal(secret.expose(), Purpose::Wrap)
}

/// Opens what [`wrap`] made.
///
/// # Errors
/// `WrongPassphrase`; `Damaged` or `Newer` when it is not whole or not known.
pub fn unwrap(wrapped: &[u8], passphrase: &Secret) -> Result<Secret, SecretsError> {
    let key = FileKey::Passphrase(passphrase.duplicate());
    let derived = Recipe::of(wrapped, Purpose::Wrap)?.derive(&key)?;
    let mut plain = derived.open(wrapped, Purpose::Wrap)?;
    Ok(Secret::new(std::mem::take(&mut *plain)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret(text: &str) -> Secret {
        Secret::new(text.as_bytes().to_vec())
    }

    #[test]
    fn rev_04_the_usual_cost_opens_too() {
        let wrapped = wrap(&secret("seal"), &secret("pass")).unwrap();
        assert_eq!(unwrap(&wrapped, &secret("pass")).unwrap(), secret("seal"));
    }

    #[test]
    fn rev_04_a_wrapped_key_opens_with_its_passphrase_only() {
        let wrapped = wrap_at(Cost::TINY, &secret("seal"), &secret("pass")).unwrap();
        assert_eq!(unwrap(&wrapped, &secret("pass")).unwrap(), secret("seal"));
        let wrong = unwrap(&wrapped, &secret("Pass"));
        assert!(matches!(wrong, Err(SecretsError::WrongPassphrase { .. })));
        let empty = wrap(&secret("seal"), &secret(""));
        assert!(matches!(empty, Err(SecretsError::Empty)));
        assert!(matches!(
            unwrap(b"", &secret("pass")),
            Err(SecretsError::Damaged { .. })
        ));
    }
}

//! Secrets: the operating system's keychain, or an encrypted file where a person chose one. The only crate that touches a
//! keychain (SEC-01, SEC-02).
#![forbid(unsafe_code)]

//! What kind of secret a finding is.

use std::fmt;

/// The families of RED-02. One word each on the wire (`as_str`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// Cloud providers and hosting.
    Cloud,
    /// Git hosts.
    GitHost,
    /// Package registries.
    Registry,
    /// Payment, banking and exchanges.
    Payment,
    /// Chat and social networks.
    Chat,
    /// Model providers.
    Model,
    /// Telephony and mail.
    Telephony,
    /// Build systems, monitoring and other services.
    Service,
    /// PEM, OpenSSH, PGP, PuTTY and age private keys.
    PrivateKey,
    /// JSON web tokens.
    Jwt,
    /// A password inside a URL.
    Url,
    /// Basic and bearer headers, `curl -u`.
    Header,
    /// A password inside a connection string or a credentials file.
    Connection,
    /// `name = value` where the name says secret and the value looks like one.
    Assignment,
    /// A password's hash, as systems, databases and directories keep it.
    PasswordHash,
    /// An e-mail address (PII set).
    Email,
    /// A phone number (PII set).
    Phone,
    /// A bank account number (PII set).
    Iban,
    /// A payment card number (PII set).
    Card,
    /// A national identity number (PII set).
    NationalId,
}

impl Family {
    /// The word for it on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Cloud => "cloud",
            Self::GitHost => "git-host",
            Self::Registry => "registry",
            Self::Payment => "payment",
            Self::Chat => "chat",
            Self::Model => "model",
            Self::Telephony => "telephony",
            Self::Service => "service",
            Self::PrivateKey => "private-key",
            Self::Jwt => "jwt",
            Self::Url => "url",
            Self::Header => "header",
            Self::Connection => "connection",
            Self::Assignment => "assignment",
            Self::PasswordHash => "password-hash",
            Self::Email => "email",
            Self::Phone => "phone",
            Self::Iban => "iban",
            Self::Card => "card",
            Self::NationalId => "national-id",
        }
    }

    /// Whether it belongs to the opt-in PII set.
    pub fn is_pii(self) -> bool {
        self >= Self::Email
    }

    /// What stands in its place: fixed, so that it does not tell the length.
    pub fn mask(self) -> &'static str {
        match self {
            Self::PrivateKey => "[REDACTED:private-key]",
            Self::Email | Self::Phone | Self::Iban | Self::Card | Self::NationalId => {
                "[REDACTED:pii]"
            }
            _ => "[REDACTED:secret]",
        }
    }
}

impl fmt::Display for Family {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

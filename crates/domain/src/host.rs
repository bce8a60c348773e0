//! Names and addresses of hosts, parsed once and strictly (CNF-08, S13): two readers of one text must not see two
//! hosts.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use thiserror::Error;

/// Most characters of a whole name (RFC 1035, without the final dot).
const LONGEST_NAME: usize = 253;
/// Most characters of one label (RFC 1035).
const LONGEST_LABEL: usize = 63;
/// What a rule without a port means: TLS and plain HTTP.
const USUAL_PORTS: [u16; 2] = [443, 80];

/// Why a text is not a host, a place or a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum HostError {
    /// Nothing, or an empty label, as in `a..b` and in the final dot of `a.`.
    #[error("it is empty or has an empty label; a dot at its end is not taken")]
    Empty,
    /// More than 253 characters, or a label of more than 63.
    #[error("it is longer than 253 characters, or a label longer than 63")]
    TooLong,
    /// A character that is not a letter, a digit, `-` or `.`; a label that begins or ends with `-`.
    #[error("its labels may hold only ASCII letters, digits and inner hyphens")]
    Character,
    /// The last label is a number, so that some readers take the text for an address: `127.1`, `0x7f.1`.
    #[error("it ends in a number and is not an address in its usual form")]
    Numeric,
    /// An IPv6 address that stands for an IPv4 one.
    #[error("it is an IPv4 address in the clothes of an IPv6 one")]
    Mapped,
    /// The port is missing where one must be, or is not a number from 1 to 65535 in its shortest form.
    #[error("its port is not a number from 1 to 65535")]
    Port,
    /// `*.` before something that is not a name of at least two labels.
    #[error("`*.` needs a name of at least two labels behind it")]
    Wildcard,
}

/// A host name: letters, digits and inner hyphens in labels of at most 63, 253 in all, in lower case. No final dot, no
/// number at the end; names beyond ASCII only as `xn--`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HostName(String);

impl HostName {
    /// The name in lower case.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether this name lies below `suffix`, and is not it.
    pub fn is_below(&self, suffix: &Self) -> bool {
        self.0
            .strip_suffix(&suffix.0)
            .is_some_and(|front| front.len() > 1 && front.ends_with('.'))
    }
}

impl FromStr for HostName {
    type Err = HostError;

    fn from_str(text: &str) -> Result<Self, HostError> {
        if text.len() > LONGEST_NAME {
            return Err(HostError::TooLong);
        }
        for label in text.split('.') {
            label_is_plain(label)?;
        }
        match text.rsplit('.').next() {
            Some(last) if is_number(last) => Err(HostError::Numeric),
            Some(_) | None => Ok(Self(text.to_ascii_lowercase())),
        }
    }
}

fn label_is_plain(label: &str) -> Result<(), HostError> {
    if label.is_empty() {
        return Err(HostError::Empty);
    }
    if label.len() > LONGEST_LABEL {
        return Err(HostError::TooLong);
    }
    let plain = label
        .bytes()
        .all(|at| at.is_ascii_alphanumeric() || at == b'-');
    if plain && !label.starts_with('-') && !label.ends_with('-') {
        Ok(())
    } else {
        Err(HostError::Character)
    }
}

/// Decimal, octal or hexadecimal, as `inet_aton` reads it.
fn is_number(label: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|at| at.is_ascii_digit());
    let hexadecimal = label
        .strip_prefix("0x")
        .or_else(|| label.strip_prefix("0X"));
    digits(label) || hexadecimal.is_some_and(|rest| rest.bytes().all(|at| at.is_ascii_hexdigit()))
}

/// A host as a client may name it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Host {
    /// By name.
    Name(HostName),
    /// By address. IPv6 stands in brackets.
    Address(IpAddr),
}

impl FromStr for Host {
    type Err = HostError;

    fn from_str(text: &str) -> Result<Self, HostError> {
        if let Some(inner) = text.strip_prefix('[') {
            let inner = inner.strip_suffix(']').ok_or(HostError::Character)?;
            let address: Ipv6Addr = inner.parse().map_err(|_| HostError::Character)?;
            return match stands_for_ipv4(address) {
                true => Err(HostError::Mapped),
                false => Ok(Self::Address(address.into())),
            };
        }
        // The standard library takes four decimal parts without leading zeros and nothing else.
        match text.parse::<Ipv4Addr>() {
            Ok(address) => Ok(Self::Address(address.into())),
            Err(_) => text.parse().map(Self::Name),
        }
    }
}

/// `::ffff:a.b.c.d`, and the older `::a.b.c.d`, which holds `::` and `::1` too: those two are what they say.
fn stands_for_ipv4(address: Ipv6Addr) -> bool {
    let loopback = address.is_loopback() || address.is_unspecified();
    address.to_ipv4_mapped().is_some() || (address.to_ipv4().is_some() && !loopback)
}

impl fmt::Display for Host {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => out.write_str(&name.0),
            Self::Address(IpAddr::V4(address)) => write!(out, "{address}"),
            Self::Address(IpAddr::V6(address)) => write!(out, "[{address}]"),
        }
    }
}

/// A host and a port: what a connection is made to.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The host.
    pub host: Host,
    /// The port, from 1.
    pub port: u16,
}

impl Place {
    /// Parses `host:port`, or `host` alone where `usual` gives the port.
    ///
    /// # Errors
    /// Every [`HostError`] but `Wildcard`.
    pub fn parse(text: &str, usual: Option<u16>) -> Result<Self, HostError> {
        let (host, port) = split_port(text)?;
        Ok(Self {
            host: host.parse()?,
            port: port.or(usual).ok_or(HostError::Port)?,
        })
    }
}

impl fmt::Display for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}", self.host, self.port)
    }
}

/// The port behind the last colon, outside of brackets.
fn split_port(text: &str) -> Result<(&str, Option<u16>), HostError> {
    let after = text.rfind(']').map_or(0, |at| at + 1);
    let rest = text.get(after..).unwrap_or_default();
    let Some(colon) = rest.rfind(':') else {
        return Ok((text, None));
    };
    let (host, port) = text.split_at(after + colon);
    let port = port.get(1..).unwrap_or_default();
    // `parse` would take a plus sign, and zeros in front.
    let plain = port.bytes().all(|at| at.is_ascii_digit()) && !port.starts_with('0');
    match port.parse() {
        Ok(port) if plain => Ok((host, Some(port))),
        Ok(_) | Err(_) => Err(HostError::Port),
    }
}

/// One line of an allow-list: a name, `*.` and a name for all that is below it, or an address; `:port` behind it, or
/// ports 443 and 80 without.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HostRule {
    whom: Whom,
    port: Option<u16>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Whom {
    Host(Host),
    Below(HostName),
}

impl HostRule {
    /// Whether the rule names this place.
    pub fn allows(&self, place: &Place) -> bool {
        let whom = match (&self.whom, &place.host) {
            (Whom::Host(rule), host) => rule == host,
            (Whom::Below(suffix), Host::Name(name)) => name.is_below(suffix),
            (Whom::Below(_), Host::Address(_)) => false,
        };
        whom && match self.port {
            Some(port) => port == place.port,
            None => USUAL_PORTS.contains(&place.port),
        }
    }
}

impl FromStr for HostRule {
    type Err = HostError;

    fn from_str(text: &str) -> Result<Self, HostError> {
        let (host, port) = split_port(text)?;
        let whom = match host.strip_prefix("*.") {
            Some(suffix) => Whom::Below(suffix_of_two(suffix)?),
            None => Whom::Host(host.parse()?),
        };
        Ok(Self { whom, port })
    }
}

fn suffix_of_two(suffix: &str) -> Result<HostName, HostError> {
    let name: HostName = suffix.parse()?;
    if name.as_str().contains('.') {
        Ok(name)
    } else {
        Err(HostError::Wildcard)
    }
}

impl fmt::Display for HostRule {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.whom {
            Whom::Host(host) => write!(out, "{host}")?,
            Whom::Below(name) => write!(out, "*.{}", name.as_str())?,
        }
        match self.port {
            Some(port) => write!(out, ":{port}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cnf_08_s13_a_host_is_read_once_and_strictly() {
        for (text, shown) in [
            ("api.anthropic.com", "api.anthropic.com"),
            ("API.Anthropic.COM", "api.anthropic.com"),
            ("localhost", "localhost"),
            ("xn--bcher-kva.example", "xn--bcher-kva.example"),
            ("a-b.c9.io", "a-b.c9.io"),
            ("9gag.com", "9gag.com"),
            ("93.184.216.34", "93.184.216.34"),
            ("[2001:db8::1]", "[2001:db8::1]"),
            ("[::1]", "[::1]"),
        ] {
            assert_eq!(text.parse::<Host>().unwrap().to_string(), shown, "{text}");
        }
        let long_label = format!("{}.com", "a".repeat(64));
        let long_name = format!("{}com", "abcdefgh.".repeat(28));
        for (text, why) in [
            ("", HostError::Empty),
            ("a\0.allowed.com", HostError::Character),
            ("evil.com\0.allowed.com", HostError::Character),
            ("allowed.com.", HostError::Empty),
            (".allowed.com", HostError::Empty),
            ("a..b", HostError::Empty),
            ("0x7f.1", HostError::Numeric),
            ("127.1", HostError::Numeric),
            ("2130706433", HostError::Numeric),
            ("0x7f000001", HostError::Numeric),
            ("0x", HostError::Numeric),
            ("0177.0.0.01", HostError::Numeric),
            ("127.0.0.1.", HostError::Empty),
            ("1.2.3.4.5", HostError::Numeric),
            ("user@allowed.com", HostError::Character),
            ("allowed.com@evil.com", HostError::Character),
            ("bücher.example", HostError::Character),
            ("ａllowed.com", HostError::Character),
            ("allowed。com", HostError::Character),
            ("a_b.com", HostError::Character),
            ("-a.com", HostError::Character),
            ("a-.com", HostError::Character),
            ("a b.com", HostError::Character),
            ("a.com/", HostError::Character),
            ("a%2ecom", HostError::Character),
            ("a.com\r\nHost: b", HostError::Character),
            ("::1", HostError::Character),
            ("[::1", HostError::Character),
            ("[fe80::1%eth0]", HostError::Character),
            ("[::ffff:127.0.0.1]", HostError::Mapped),
            ("[::ffff:7f00:1]", HostError::Mapped),
            ("[::127.0.0.1]", HostError::Mapped),
            (&long_label, HostError::TooLong),
            (&long_name, HostError::TooLong),
        ] {
            assert_eq!(text.parse::<Host>(), Err(why), "{text:?}");
        }
    }

    #[test]
    fn cnf_08_s13_a_place_has_one_port_in_its_shortest_form() {
        let place = |text| Place::parse(text, None).map(|place| place.to_string());
        assert_eq!(place("a.com:443").as_deref(), Ok("a.com:443"));
        assert_eq!(place("[::1]:80").as_deref(), Ok("[::1]:80"));
        for text in [
            "a.com",
            "a.com:",
            "a.com:0",
            "a.com:080",
            "a.com:+80",
            "a.com: 80",
            "a.com:65536",
            "a.com:8 0",
            "[::1]",
            "a.com:80:80x",
        ] {
            assert_eq!(place(text), Err(HostError::Port), "{text}");
        }
        assert_eq!(place("a.com:80:443"), Err(HostError::Character));
        assert_eq!(place("::1:80"), Err(HostError::Character));
        assert_eq!(Place::parse("a.com", Some(80)).unwrap().port, 80);
    }

    #[test]
    fn cnf_08_a_rule_names_a_host_all_below_one_or_an_address() {
        let allows = |rule: &str, place: &str| {
            let rule: HostRule = rule.parse().unwrap();
            rule.allows(&Place::parse(place, None).unwrap())
        };
        assert!(allows("a.com", "A.com:443"));
        assert!(allows("a.com", "a.com:80"));
        assert!(!allows("a.com", "a.com:22"));
        assert!(allows("a.com:22", "a.com:22"));
        assert!(!allows("a.com:22", "a.com:443"));
        assert!(!allows("a.com", "b.a.com:443"));
        assert!(allows("*.a.com", "b.a.com:443"));
        assert!(allows("*.a.com", "c.b.a.com:443"));
        assert!(!allows("*.a.com", "a.com:443"));
        assert!(!allows("*.a.com", "evila.com:443"));
        assert!(!allows("*.a.com", "a.com.evil.com:443"));
        assert!(allows("127.0.0.1:11434", "127.0.0.1:11434"));
        assert!(!allows("127.0.0.1:11434", "127.0.0.2:11434"));
        assert!(allows("[::1]:8080", "[::1]:8080"));
        for (rule, why) in [
            ("*.com", HostError::Wildcard),
            ("*", HostError::Character),
            ("*.", HostError::Empty),
            ("*.1.2.3.4", HostError::Numeric),
            ("a.*.com", HostError::Character),
            ("a.com:0", HostError::Port),
            ("https://a.com", HostError::Port),
        ] {
            assert_eq!(rule.parse::<HostRule>(), Err(why), "{rule}");
        }
        for text in ["a.com", "*.a.com:8443", "10.0.0.5", "[2001:db8::1]:443"] {
            assert_eq!(text.parse::<HostRule>().unwrap().to_string(), text);
        }
    }
}

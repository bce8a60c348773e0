//! May this place be reached, and at which addresses? Rules first, then a person, then the addresses themselves.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use taffrail_domain::{Host, HostName, HostRule, Place};

use crate::address::is_public;
use crate::visit::Why;

/// Most places that a person is asked about in one run; an agent that tries more is not asking for hosts any more.
const MOST_QUESTIONS: usize = 64;

/// Looks up names.
pub trait Names: Send + Sync {
    /// The addresses of a name.
    ///
    /// # Errors
    /// The system's own.
    fn addresses(&self, name: &HostName) -> io::Result<Vec<IpAddr>>;
}

/// The system's own look-up, with its files, its servers and its limits.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemNames;

impl Names for SystemNames {
    fn addresses(&self, name: &HostName) -> io::Result<Vec<IpAddr>> {
        let found = (name.as_str(), 0).to_socket_addrs()?;
        Ok(found.map(|address| address.ip()).collect())
    }
}

/// Asks a person whether the run may reach a place. Called from a thread of its own, one question at a time; it may take
/// as long as it likes, and an answer that comes too late for one connection counts for the next.
pub type Ask = dyn Fn(&Place) -> bool + Send + Sync;

/// By whom a place is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum By {
    Rule,
    Person,
}

/// Where to connect.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Granted {
    pub by: By,
    pub addresses: Vec<SocketAddr>,
}

/// Why not.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Denied {
    Refused(Why, Option<SocketAddr>),
    /// Allowed, but its name has no address.
    NoAddress(By),
}

pub(crate) struct Judge {
    pub rules: Vec<HostRule>,
    pub names: Arc<dyn Names>,
    pub questions: Option<Questions>,
}

impl Judge {
    pub fn judge(&self, place: &Place) -> Result<Granted, Denied> {
        let by = self.allowed_by(place)?;
        let found = match &place.host {
            Host::Address(address) => Ok(vec![*address]),
            Host::Name(name) => self.names.addresses(name),
        };
        let mut addresses: Vec<SocketAddr> = Vec::new();
        for address in found.unwrap_or_default() {
            let address = SocketAddr::new(address, place.port);
            // One inner address among outer ones is how a name is turned against the machine: none of them counts.
            if !self.is_fit(&address) {
                return Err(Denied::Refused(Why::Address, Some(address)));
            }
            if !addresses.contains(&address) {
                addresses.push(address);
            }
        }
        if addresses.is_empty() {
            return Err(Denied::NoAddress(by));
        }
        Ok(Granted { by, addresses })
    }

    fn allowed_by(&self, place: &Place) -> Result<By, Denied> {
        if self.rules.iter().any(|rule| rule.allows(place)) {
            return Ok(By::Rule);
        }
        // Nobody is asked for what no answer could allow.
        if let Host::Address(address) = &place.host {
            let address = SocketAddr::new(*address, place.port);
            if !self.is_fit(&address) {
                return Err(Denied::Refused(Why::Address, Some(address)));
            }
        }
        match &self.questions {
            None => Err(Denied::Refused(Why::NotAllowed, None)),
            Some(questions) if questions.ask(place) => Ok(By::Person),
            Some(_) => Err(Denied::Refused(Why::NotAnswered, None)),
        }
    }

    /// In the open internet, or named by a rule as this very address.
    fn is_fit(&self, address: &SocketAddr) -> bool {
        let place = Place {
            host: Host::Address(address.ip()),
            port: address.port(),
        };
        is_public(address.ip()) || self.rules.iter().any(|rule| rule.allows(&place))
    }
}

/// Places that a person was asked about, and the answers.
pub(crate) struct Questions(Arc<Shared>);

struct Shared {
    ask: Arc<Ask>,
    limit: Duration,
    answers: Mutex<HashMap<Place, Option<bool>>>,
    answered: Condvar,
    /// Held while a person is asked: one question at a time.
    turn: Mutex<()>,
}

impl Questions {
    /// `limit` is how long one connection waits for its answer.
    pub fn new(ask: Arc<Ask>, limit: Duration) -> Self {
        Self(Arc::new(Shared {
            ask,
            limit,
            answers: Mutex::default(),
            answered: Condvar::new(),
            turn: Mutex::default(),
        }))
    }

    fn ask(&self, place: &Place) -> bool {
        let shared = &self.0;
        let mut answers = shared.answers();
        if !answers.contains_key(place) {
            if answers.len() >= MOST_QUESTIONS {
                return false;
            }
            let (asker, asked) = (Arc::clone(shared), place.clone());
            let thread = thread::Builder::new().name("asks".to_owned());
            if thread.spawn(move || asker.ask_person(asked)).is_err() {
                return false;
            }
            answers.insert(place.clone(), None);
        }
        let until = Instant::now() + shared.limit;
        loop {
            if let Some(Some(answer)) = answers.get(place) {
                return *answer;
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            let waited = shared.answered.wait_timeout(answers, left);
            answers = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Shared {
    fn answers(&self) -> MutexGuard<'_, HashMap<Place, Option<bool>>> {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ask_person(&self, place: Place) {
        let turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = (self.ask)(&place);
        drop(turn);
        self.answers().insert(place, Some(answer));
        self.answered.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    struct Fixed(Vec<(&'static str, Vec<&'static str>)>);

    impl Names for Fixed {
        fn addresses(&self, name: &HostName) -> io::Result<Vec<IpAddr>> {
            let found = self.0.iter().find(|(known, _)| *known == name.as_str());
            let (_, addresses) = found.ok_or(io::ErrorKind::NotFound)?;
            Ok(addresses.iter().map(|text| text.parse().unwrap()).collect())
        }
    }

    fn judge(rules: &[&str], ask: Option<Arc<Ask>>) -> Judge {
        let names = Fixed(vec![
            (
                "api.example",
                vec!["93.184.216.34", "93.184.216.34", "2606:4700::1"],
            ),
            ("inner.example", vec!["10.0.0.5"]),
            ("rebound.example", vec!["93.184.216.34", "127.0.0.1"]),
            ("mapped.example", vec!["::ffff:127.0.0.1"]),
            ("metadata.example", vec!["169.254.169.254"]),
        ]);
        Judge {
            rules: rules.iter().map(|rule| rule.parse().unwrap()).collect(),
            names: Arc::new(names),
            questions: ask.map(|ask| Questions::new(ask, Duration::from_secs(5))),
        }
    }

    fn place(text: &str) -> Place {
        Place::parse(text, None).unwrap()
    }

    #[test]
    fn cnf_08_every_address_of_an_allowed_name_is_checked_and_kept() {
        let got = judge(&["api.example"], None)
            .judge(&place("api.example:443"))
            .unwrap();
        assert_eq!(got.by, By::Rule);
        let expect: Vec<SocketAddr> = vec![
            "93.184.216.34:443".parse().unwrap(),
            "[2606:4700::1]:443".parse().unwrap(),
        ];
        assert_eq!(got.addresses, expect);
    }

    #[test]
    fn cnf_08_s13_a_name_that_leads_inside_is_refused_unless_the_address_is_named() {
        let rules = [
            "*.example",
            "inner.example",
            "rebound.example",
            "mapped.example",
            "metadata.example",
        ];
        let judge_of = |more: &[&str]| judge(&[&rules[1..], more].concat(), None);
        for name in [
            "inner.example",
            "rebound.example",
            "mapped.example",
            "metadata.example",
        ] {
            let got = judge_of(&[]).judge(&place(&format!("{name}:443")));
            assert!(
                matches!(got, Err(Denied::Refused(Why::Address, Some(_)))),
                "{name}: {got:?}"
            );
        }
        assert!(
            judge_of(&["10.0.0.5"])
                .judge(&place("inner.example:443"))
                .is_ok()
        );
        assert!(
            judge_of(&["10.0.0.5:8080"])
                .judge(&place("inner.example:443"))
                .is_err()
        );
        for literal in ["127.0.0.1:443", "[::1]:443", "169.254.169.254:80"] {
            let got = judge_of(&[]).judge(&place(literal));
            assert!(
                matches!(got, Err(Denied::Refused(Why::Address, _))),
                "{literal}"
            );
        }
        assert!(
            judge_of(&["127.0.0.1:8080"])
                .judge(&place("127.0.0.1:8080"))
                .is_ok()
        );
    }

    /// The twin: what the check stands against. A resolver reads all of these as this machine.
    #[test]
    fn cnf_08_s13_twin_without_the_strict_reading_a_number_is_this_machine() {
        for text in ["127.1", "0x7f.1", "2130706433", "0177.0.0.1"] {
            let found: Vec<SocketAddr> = (text, 80).to_socket_addrs().unwrap().collect();
            assert!(
                found.iter().all(|address| address.ip().is_loopback()),
                "{text}: {found:?}"
            );
            assert!(Place::parse(text, Some(80)).is_err(), "{text}");
        }
        let mapped: IpAddr = "::ffff:127.0.0.1".parse().unwrap();
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let reached = std::net::TcpStream::connect((mapped, port));
        assert!(
            reached.is_ok(),
            "the kernel takes it for 127.0.0.1: {reached:?}"
        );
        assert!(!is_public(mapped));
    }

    #[test]
    fn cnf_08_an_unknown_host_is_refused_and_never_looked_up() {
        struct Never;
        impl Names for Never {
            fn addresses(&self, name: &HostName) -> io::Result<Vec<IpAddr>> {
                panic!("{} was looked up", name.as_str())
            }
        }
        let mut judge = judge(&["api.example"], None);
        judge.names = Arc::new(Never);
        for host in [
            "evil.example:443",
            "api.example:22",
            "secret.api.example:443",
        ] {
            let got = judge.judge(&place(host));
            assert_eq!(got, Err(Denied::Refused(Why::NotAllowed, None)), "{host}");
        }
    }

    #[test]
    fn cnf_08_a_person_is_asked_once_for_a_place() {
        let asked = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&asked);
        let ask: Arc<Ask> = Arc::new(move |place: &Place| {
            count.fetch_add(1, Ordering::SeqCst);
            place.host.to_string() == "api.example"
        });
        let judge = judge(&[], Some(ask));
        for _ in 0..3 {
            assert_eq!(
                judge.judge(&place("api.example:8443")).unwrap().by,
                By::Person
            );
            let got = judge.judge(&place("evil.example:443"));
            assert_eq!(got, Err(Denied::Refused(Why::NotAnswered, None)));
        }
        assert_eq!(asked.load(Ordering::SeqCst), 2);
        // A yes to a name is no yes to an inner address, and nobody is asked for one.
        assert!(judge.judge(&place("127.0.0.1:80")).is_err());
        assert_eq!(asked.load(Ordering::SeqCst), 2);
    }

    #[test]
    fn cnf_08_nobody_who_answers_is_a_no_and_a_flood_of_questions_ends() {
        let (hold, held) = std::sync::mpsc::channel::<()>();
        let held = Mutex::new(held);
        let ask: Arc<Ask> = Arc::new(move |_: &Place| held.lock().unwrap().recv().is_ok());
        let mut judge = judge(&[], None);
        judge.questions = Some(Questions::new(ask, Duration::from_millis(20)));
        for number in 0..MOST_QUESTIONS + 8 {
            let got = judge.judge(&place(&format!("h{number}.example:443")));
            assert_eq!(got, Err(Denied::Refused(Why::NotAnswered, None)));
        }
        let shared = Arc::clone(&judge.questions.as_ref().unwrap().0);
        assert_eq!(shared.answers().len(), MOST_QUESTIONS);
        drop(hold);
    }
}

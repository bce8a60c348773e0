//! The rules, compiled into one automaton over all keywords.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use aho_corasick::dfa::DFA;

use crate::automaton;
use crate::detect::place::{is_name, is_quote, joins};
use crate::detect::token::TokenRule;
use crate::family::Family;
use crate::rules::{self, Strength, WORDS};
use crate::shape::{Class, Shape};

/// What to try at a keyword.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Target {
    /// The token rule of this number; the keyword in its case.
    Token(usize, &'static str),
    /// The vendor of this number.
    Vendor(usize),
    /// A word that makes a name secret.
    Word(Strength),
    /// A signed or encrypted token.
    Jwt,
    /// Base64 of a key or a signed token.
    Encoded,
    /// A private number of a key in JSON.
    Jwk,
    /// A private key block.
    Pem,
    /// The lines of a PuTTY key.
    Putty,
    /// `://`
    Url,
    /// The `@` of a data source name without scheme.
    SourceName,
    /// A scheme with an opaque value.
    Bearer,
    /// The scheme with `user:password` in base64.
    Basic,
    /// The header's name.
    Authorization,
    /// The option for a user.
    CurlUser,
    /// The option for a password of a database client.
    ClientPassword,
    /// Remembered for what follows.
    Mark(Mark),
    /// `password` behind a `login`.
    Netrc,
    /// `data:` of a manifest.
    Data,
}

/// Words that give meaning to what comes soon after them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    /// `curl`
    Curl,
    /// `login` of a netrc line.
    Login,
    /// `kind` of a manifest.
    Kind,
    /// A client that takes a password by `-p`, `-a` or `-w`.
    Client,
    /// `"kty"` of a key in JSON.
    Jwk,
}

const OTHERS: &[(&str, Target)] = &[
    ("eyJ", Target::Jwt),
    ("ZXlK", Target::Encoded),
    ("LS0tLS1CRUdJTi", Target::Encoded),
    ("-----BEGIN", Target::Pem),
    ("---- BEGIN", Target::Pem),
    ("Private-Lines:", Target::Putty),
    ("://", Target::Url),
    (":\\/\\/", Target::Url),
    ("@tcp(", Target::SourceName),
    ("@unix(", Target::SourceName),
    ("@//", Target::SourceName),
    ("bearer", Target::Bearer),
    ("basic", Target::Basic),
    ("authorization", Target::Authorization),
    ("x-vault-token", Target::Authorization),
    (" -u", Target::CurlUser),
    ("\t-u", Target::CurlUser),
    ("\n-u", Target::CurlUser),
    ("--user", Target::CurlUser),
    ("--proxy-user", Target::CurlUser),
    ("curl", Target::Mark(Mark::Curl)),
    ("mysql", Target::Mark(Mark::Client)),
    ("mariadb", Target::Mark(Mark::Client)),
    ("redis-cli", Target::Mark(Mark::Client)),
    ("sshpass", Target::Mark(Mark::Client)),
    ("docker login", Target::Mark(Mark::Client)),
    ("podman login", Target::Mark(Mark::Client)),
    ("buildah login", Target::Mark(Mark::Client)),
    ("skopeo login", Target::Mark(Mark::Client)),
    ("registry login", Target::Mark(Mark::Client)),
    ("az login", Target::Mark(Mark::Client)),
    ("oc login", Target::Mark(Mark::Client)),
    ("ldapsearch", Target::Mark(Mark::Client)),
    ("ldapadd", Target::Mark(Mark::Client)),
    ("ldapmodify", Target::Mark(Mark::Client)),
    ("ldapwhoami", Target::Mark(Mark::Client)),
    ("ldapdelete", Target::Mark(Mark::Client)),
    ("mongosh", Target::Mark(Mark::Client)),
    ("7z ", Target::Mark(Mark::Client)),
    (" -p", Target::ClientPassword),
    (" -a ", Target::ClientPassword),
    (" -w ", Target::ClientPassword),
    ("\"kty\"", Target::Mark(Mark::Jwk)),
    ("\"d\"", Target::Jwk),
    ("\"k\"", Target::Jwk),
    ("\"p\"", Target::Jwk),
    ("\"q\"", Target::Jwk),
    ("\"dp\"", Target::Jwk),
    ("\"dq\"", Target::Jwk),
    ("\"qi\"", Target::Jwk),
    ("login", Target::Mark(Mark::Login)),
    ("kind", Target::Mark(Mark::Kind)),
    ("password", Target::Netrc),
    ("data:", Target::Data),
];

/// Places behind a keyword that are looked at once for all that it may begin.
pub(crate) const LOOK: usize = 4;

/// A keyword: what to try at it, and what must follow for any of that to be worth a try.
#[derive(Debug)]
pub(crate) struct Keyword {
    pub(crate) length: usize,
    pub(crate) targets: Vec<Target>,
    ahead: [Class; LOOK],
}

impl Keyword {
    fn new(word: &str, targets: Vec<Target>, tokens: &[TokenRule]) -> Self {
        let mut ahead = [Class::EMPTY; LOOK];
        for target in &targets {
            let wanted = match target {
                Target::Token(number, _) => tokens.get(*number).map(TokenRule::ahead),
                _ => None,
            };
            let wanted = wanted.unwrap_or([Class::ALL; LOOK]);
            for (all, one) in ahead.iter_mut().zip(wanted) {
                *all = all.or(one);
            }
        }
        Self {
            length: word.len(),
            targets,
            ahead,
        }
    }

    /// Whether anything that it may begin can follow. At the end of the bytes only what wants nothing more can.
    #[inline]
    pub(crate) fn may_go_on(&self, rest: &[u8]) -> bool {
        let fits = |(class, at): (&Class, usize)| match rest.get(at) {
            Some(byte) => class.has(*byte),
            None => *class == Class::ALL,
        };
        self.ahead.iter().zip(0..).all(fits)
    }
}

/// Everything that does not change with the text.
#[derive(Debug)]
pub(crate) struct Compiled {
    pub(crate) automaton: DFA,
    keywords: Vec<Keyword>,
    pub(crate) tokens: Vec<TokenRule>,
    pub(crate) vendors: Vec<(Family, Vec<Shape>)>,
    /// Number of runs to remember.
    pub(crate) runs: usize,
    /// Bytes of the longest keyword.
    pub(crate) longest: usize,
}

impl Compiled {
    /// The one set of rules, compiled at first use.
    pub(crate) fn shared() -> Arc<Self> {
        static SHARED: LazyLock<Arc<Compiled>> = LazyLock::new(|| Arc::new(Compiled::new()));
        Arc::clone(&SHARED)
    }

    fn new() -> Self {
        let mut classes = own_classes();
        let tokens: Vec<TokenRule> = rules::tokens()
            .map(|rule| TokenRule::new(rule, &mut classes))
            .collect();
        let vendors = rules::vendors()
            .map(|vendor| {
                let shapes = vendor
                    .values
                    .iter()
                    .map(|value| Shape::new(value, &mut classes));
                (vendor.family, shapes.collect())
            })
            .collect();
        let keywords = keywords(&tokens);
        Self {
            longest: keywords.keys().map(String::len).max().unwrap_or(0),
            automaton: automaton::build(&keywords.keys().collect::<Vec<_>>()),
            keywords: keywords
                .into_iter()
                .map(|(word, targets)| Keyword::new(&word, targets, &tokens))
                .collect(),
            tokens,
            vendors,
            runs: classes.len(),
        }
    }

    pub(crate) fn keyword(&self, number: usize) -> Option<&Keyword> {
        self.keywords.get(number)
    }
}

/// Number of the run that parts of signed tokens share.
pub(crate) const PART_RUN: usize = 2;

/// The runs with fixed numbers (`place::NAME_RUN`, `place::VALUE_RUN`, [`PART_RUN`], `place::JOINT_RUN`, `place::QUOTE_RUN`); classes of rules come
/// after them. What is walked in a fixed run is decided where it is walked; here they only must differ.
fn own_classes() -> Vec<Class> {
    vec![
        Class::of(is_name),
        Class::of(|byte| byte > b' '),
        Class::of(|byte| byte >= b'.'),
        Class::of(|byte| !joins(byte)),
        Class::of(|byte| !is_quote(Some(byte))),
    ]
}

fn keywords(tokens: &[TokenRule]) -> BTreeMap<String, Vec<Target>> {
    let mut all: BTreeMap<String, Vec<Target>> = BTreeMap::new();
    let mut add = |word: &str, target| {
        all.entry(word.to_ascii_lowercase())
            .or_default()
            .push(target);
    };
    for (number, token) in tokens.iter().enumerate() {
        for keyword in token.rule.keywords {
            add(keyword, Target::Token(number, keyword));
        }
    }
    for (word, target) in OTHERS {
        add(word, *target);
    }
    for (word, strength) in WORDS {
        add(word, Target::Word(*strength));
    }
    for (number, vendor) in rules::vendors().enumerate() {
        for name in vendor.names {
            add(name, Target::Vendor(number));
        }
    }
    all
}

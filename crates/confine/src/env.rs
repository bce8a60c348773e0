//! The environment that a child gets (CNF-04): cleared, then an allow-list, then named extras.
//!
//! Pure: the operator's environment comes in as a value, read once by the binary. Must not know what a secret looks
//! like: a name that is not on the list is not passed, whatever its value.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use thiserror::Error;

/// Names that every child gets when the operator has them.
///
/// CNF-04's list, with two additions that say how the terminal shows colours and can hold nothing else of use:
/// `COLORTERM` (programs that know `truecolor` only by it would look different in a box) and `NO_COLOR` (a wish that
/// a child has to respect as we do). `TERM_PROGRAM` is not passed: programs use it to talk to a vendor's terminal.
const ALLOWED: [&str; 10] = [
    "PATH",
    "HOME",
    "LANG",
    "TERM",
    "TMPDIR",
    "SHELL",
    "USER",
    "TZ",
    "COLORTERM",
    "NO_COLOR",
];

/// The locale categories of POSIX and glibc. `LC_*` is a closed list: servers accept any name with that prefix
/// over SSH, so people carry other values in it.
const LOCALE: [&str; 13] = [
    "LC_ALL",
    "LC_ADDRESS",
    "LC_COLLATE",
    "LC_CTYPE",
    "LC_IDENTIFICATION",
    "LC_MEASUREMENT",
    "LC_MESSAGES",
    "LC_MONETARY",
    "LC_NAME",
    "LC_NUMERIC",
    "LC_PAPER",
    "LC_TELEPHONE",
    "LC_TIME",
];

/// The operator's environment as a value.
#[derive(Clone, Default)]
pub struct Environment(BTreeMap<OsString, OsString>);

impl Environment {
    /// The environment with these variables. Of a name that comes twice the first counts, as for `getenv`.
    pub fn new(vars: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let mut map = BTreeMap::new();
        for (name, value) in vars {
            map.entry(name).or_insert(value);
        }
        Self(map)
    }

    /// The value of a variable, if it is there.
    pub fn get(&self, name: &str) -> Option<&OsStr> {
        self.0.get(OsStr::new(name)).map(OsString::as_os_str)
    }

    /// Every name, sorted by bytes.
    pub fn names(&self) -> impl Iterator<Item = &OsStr> {
        self.0.keys().map(OsString::as_os_str)
    }
}

/// Shows names only: values may be secrets.
impl std::fmt::Debug for Environment {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_list().entries(self.0.keys()).finish()
    }
}

/// Why an environment cannot be given to a child.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum EnvError {
    /// A name that is empty or holds `=` or NUL.
    #[error("`{0}` cannot be the name of an environment variable: it is empty or holds `=` or NUL")]
    Name(String),
    /// A value that holds NUL.
    #[error("the value of the environment variable `{0}` holds NUL")]
    Value(String),
}

/// The whole environment of a child.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct ChildEnv(BTreeMap<OsString, OsString>);

impl ChildEnv {
    /// Nothing at all.
    pub fn cleared() -> Self {
        Self::default()
    }

    /// What of the operator's environment every child gets (CNF-04).
    pub fn allowed(operator: &Environment) -> Self {
        let names = ALLOWED.iter().chain(&LOCALE);
        names.fold(Self::cleared(), |env, name| env.copy(operator, name))
    }

    /// Adds the operator's variables with these names; a name that the operator does not have is left out.
    pub fn pass(self, operator: &Environment, names: &[String]) -> Self {
        names
            .iter()
            .fold(self, |env, name| env.copy(operator, name))
    }

    fn copy(self, operator: &Environment, name: &str) -> Self {
        match operator.get(name) {
            Some(value) => self.set(name, value),
            None => self,
        }
    }

    /// Sets one variable, replacing what was there. [`check`](Self::check) says whether the name can be used.
    pub fn set(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.0
            .insert(name.as_ref().to_owned(), value.as_ref().to_owned());
        self
    }

    /// Takes one variable away.
    pub fn unset(mut self, name: impl AsRef<OsStr>) -> Self {
        self.0.remove(name.as_ref());
        self
    }

    /// The value of a variable, if it is there.
    pub fn get(&self, name: &str) -> Option<&OsStr> {
        self.0.get(OsStr::new(name)).map(OsString::as_os_str)
    }

    /// Every variable, sorted by the bytes of its name.
    pub fn vars(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.0
            .iter()
            .map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }

    /// Whether a kernel can take it: no name that is empty or holds `=` or NUL, no value that holds NUL.
    pub fn check(&self) -> Result<(), EnvError> {
        for (name, value) in &self.0 {
            let text = || name.to_string_lossy().into_owned();
            let bytes = name.as_bytes();
            if bytes.is_empty() || bytes.iter().any(|byte| matches!(byte, b'=' | 0)) {
                return Err(EnvError::Name(text()));
            }
            if value.as_bytes().contains(&0) {
                return Err(EnvError::Value(text()));
            }
        }
        Ok(())
    }

    /// The variables as bytes, sorted by name: the form that is handed to the supervisor.
    pub fn to_pairs(&self) -> Vec<(Vec<u8>, Vec<u8>)> {
        self.vars()
            .map(|(name, value)| (name.as_bytes().to_vec(), value.as_bytes().to_vec()))
            .collect()
    }

    /// The environment with these variables. Of a name that comes twice the last counts.
    pub fn from_pairs(pairs: impl IntoIterator<Item = (Vec<u8>, Vec<u8>)>) -> Self {
        pairs
            .into_iter()
            .fold(Self::cleared(), |env, (name, value)| {
                env.set(OsString::from_vec(name), OsString::from_vec(value))
            })
    }
}

/// Shows names only: values may be secrets.
impl std::fmt::Debug for ChildEnv {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_list().entries(self.0.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operator(pairs: &[(&str, &str)]) -> Environment {
        Environment::new(
            pairs
                .iter()
                .map(|(name, value)| (name.into(), value.into())),
        )
    }

    fn names(env: &ChildEnv) -> Vec<String> {
        env.vars()
            .map(|(name, _)| name.to_string_lossy().into_owned())
            .collect()
    }

    #[test]
    fn cnf_04_only_the_list_and_named_extras_pass() {
        let operator = operator(&[
            ("PATH", "/bin"),
            ("LC_TIME", "C"),
            ("LC_API_KEY", "planted"),
            ("path", "planted"),
            ("PATH_TO_KEY", "planted"),
            ("EDITOR", "vi"),
            ("COLORTERM", "truecolor"),
            ("TERM_PROGRAM", "x"),
        ]);
        let env = ChildEnv::allowed(&operator);
        assert_eq!(names(&env), ["COLORTERM", "LC_TIME", "PATH"]);
        let extras = ["EDITOR".to_owned(), "ABSENT".to_owned()];
        let env = env.pass(&operator, &extras).unset("LC_TIME");
        assert_eq!(names(&env), ["COLORTERM", "EDITOR", "PATH"]);
        assert_eq!(env.get("EDITOR"), Some(OsStr::new("vi")));
    }

    #[test]
    fn cnf_04_the_first_of_two_counts_and_values_are_not_shown() {
        let twice = operator(&[("HOME", "/one"), ("HOME", "/two")]);
        assert_eq!(twice.get("HOME"), Some(OsStr::new("/one")));
        assert_eq!(twice.names().count(), 1);
        assert_eq!(format!("{twice:?}"), r#"["HOME"]"#);
        assert_eq!(format!("{:?}", ChildEnv::allowed(&twice)), r#"["HOME"]"#);
    }

    #[test]
    fn pairs_bring_every_byte_back() {
        let env = ChildEnv::cleared()
            .set("A", OsStr::from_bytes(b"\xff\n"))
            .set("B", "");
        assert_eq!(ChildEnv::from_pairs(env.to_pairs()), env);
    }

    #[test]
    fn names_that_no_kernel_takes_are_named() {
        for name in ["", "A=B", "A\0"] {
            let env = ChildEnv::cleared().set(name, "x");
            assert_eq!(env.check(), Err(EnvError::Name(name.into())));
        }
        let env = ChildEnv::cleared().set("A", "x\0");
        assert_eq!(env.check(), Err(EnvError::Value("A".into())));
    }
}

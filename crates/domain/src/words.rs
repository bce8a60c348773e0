//! Closed lists of words: one name each for rows, JSON and the command line.

/// Makes an enum of a closed list of words, with its names in rows, JSON and on the command line.
#[macro_export]
macro_rules! words {
    ($(#[$meta:meta])* $name:ident, $what:literal { $($(#[$about:meta])* $variant:ident $word:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name {
            $($(#[$about])* $variant,)+
        }

        impl $name {
            /// Every word, in the order of the list.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The stable word, as in rows and JSON.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::UnknownWord;

            fn from_str(text: &str) -> Result<Self, $crate::UnknownWord> {
                Self::ALL
                    .iter()
                    .find(|word| word.name() == text)
                    .copied()
                    .ok_or_else(|| $crate::UnknownWord {
                        what: $what,
                        word: text.to_owned(),
                        known: [$($word),+].join(", "),
                    })
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                out.pad(self.name())
            }
        }

        impl $crate::serde::Serialize for $name {
            fn serialize<S: $crate::serde::Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
                out.serialize_str(self.name())
            }
        }
    };
}

fn article(noun: &str) -> &'static str {
    if noun.starts_with(['a', 'e', 'i', 'o']) {
        "an"
    } else {
        "a"
    }
}

/// A word outside a closed list.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{word}` is not {} {what}: {known}", article(what))]
pub struct UnknownWord {
    /// What was asked for.
    pub what: &'static str,
    /// What was given.
    pub word: String,
    /// The words there are.
    pub known: String,
}

//! Keys whose value is one of a few words.

/// Defines an enum whose values are words in the file; words of a later version are refused by name.
macro_rules! choice {
    (
        $(#[doc = $about:expr])+
        pub enum $name:ident, expected $expected:literal, later [$($later:literal),*] {
            $($(#[doc = $meaning:expr])+ $variant:ident = $word:literal,)+
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name {
            $($(#[doc = $meaning])+ $variant,)+
        }

        impl $name {
            /// Every word with its meaning, in the order of the list.
            pub const MEANINGS: &'static [(&'static str, &'static str)] =
                &[$(($word, concat!($($meaning),+)),)+];

            /// The word in the file and on the command line.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }
        }

        impl std::str::FromStr for $name {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                match text {
                    $($word => Ok(Self::$variant),)+
                    $($later => Err(concat!("`", $later, "` is not supported in this version").to_owned()),)*
                    _ => Err(format!("`{text}` is not {}", $expected)),
                }
            }
        }

        impl $crate::setting::Setting for $name {
            const EXPECTED: &'static str = $expected;

            fn from_toml(value: &toml::de::DeValue<'_>) -> Result<Self, $crate::setting::Unfit> {
                value
                    .as_str()
                    .ok_or($crate::setting::Unfit::Type)
                    .and_then(Self::from_text)
            }

            fn from_text(text: &str) -> Result<Self, $crate::setting::Unfit> {
                let later: &[&str] = &[$($later),*];
                if later.contains(&text) {
                    return Err($crate::setting::Unfit::NotYet);
                }
                text.parse().map_err(|_| $crate::setting::Unfit::Type)
            }

            fn shown(&self) -> String {
                $crate::setting::quoted(self.name())
            }
        }
    };
}
pub(crate) use choice;

//! Sections as data: one declaration gives the struct, its reading, its rows for `config show` and its rows in
//! `docs/config.md`, so that a key cannot exist in one of them only.

/// What the guide says about one key.
#[derive(Debug, Clone)]
pub(crate) struct KeyDoc {
    /// The key, without its section.
    pub name: &'static str,
    /// What the value must be.
    pub expected: &'static str,
    /// The default, as it would be written in the file.
    pub default: String,
    /// The variable that sets it too.
    pub env: Option<&'static str>,
    /// What it means.
    pub meaning: &'static str,
}

/// Defines a section. `check` names functions from [`crate::checks`].
macro_rules! section {
    (
        $(#[doc = $about:expr])+
        pub struct $name:ident in $path:literal {
            $(
                $(#[doc = $meaning:expr])+
                $key:ident: $kind:ty = $default:expr $(, env $env:literal)? $(, check $check:path)?;
            )+
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct $name {
            $($(#[doc = $meaning])+ pub $key: $crate::value::Value<$kind>,)+
        }

        impl $name {
            pub(crate) const PATH: &'static str = $path;
            pub(crate) const ABOUT: &'static str = concat!($($about,)+);
            pub(crate) const KEYS: &'static [&'static str] = &[$(stringify!($key),)+];

            /// Reads every key of the section; what does not fit is noted in the reader.
            pub(crate) fn read(
                reader: &$crate::reader::Reader<'_>,
                table: Option<$crate::reader::View<'_>>,
            ) -> Self {
                Self {
                    $($key: reader.value(
                        table.as_ref(),
                        &$crate::reader::Key {
                            section: $path,
                            name: stringify!($key),
                            env: $crate::section::section!(@env $($env)?),
                        },
                        $default,
                        $crate::section::section!(@check $($check)?),
                    ),)+
                }
            }

            pub(crate) fn rows(&self) -> Vec<$crate::show::Row> {
                use $crate::setting::Setting as _;
                vec![$($crate::show::Row {
                    key: concat!($path, ".", stringify!($key)).to_owned(),
                    value: self.$key.value.shown(),
                    origin: self.$key.origin,
                },)+]
            }

            pub(crate) fn docs() -> Vec<$crate::section::KeyDoc> {
                use $crate::setting::Setting;
                vec![$($crate::section::KeyDoc {
                    name: stringify!($key),
                    expected: <$kind as Setting>::EXPECTED,
                    default: <$kind as Setting>::shown(&$default),
                    env: $crate::section::section!(@env $($env)?),
                    meaning: concat!($($meaning,)+),
                },)+]
            }
        }
    };
    (@env) => { None };
    (@env $env:literal) => { Some($env) };
    (@check) => { |_| Ok(()) };
    (@check $check:path) => { |value| $check(value) };
}
pub(crate) use section;

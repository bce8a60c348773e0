//! A share of a whole, from 0 to 1, in thousandths: a key that is compared and printed as it was written.

use toml::de::DeValue;

use crate::setting::{Setting, Unfit};

/// A share from 0 to 1, to the thousandth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Share(u16);

impl Share {
    /// So many thousandths; more than 1,000 are 1,000.
    pub const fn thousandths(number: u16) -> Self {
        Self(if number > 1_000 { 1_000 } else { number })
    }

    /// The share as a number from 0 to 1.
    pub fn get(self) -> f64 {
        f64::from(self.0) / 1_000.0
    }
}

impl Setting for Share {
    const EXPECTED: &'static str = "a number from 0 to 1 with at most three decimals";

    fn from_toml(value: &DeValue<'_>) -> Result<Self, Unfit> {
        let text = value.as_float().map(|number| number.as_str());
        let whole = value.as_integer().map(|number| number.as_str());
        text.or(whole).ok_or(Unfit::Type).and_then(Self::from_text)
    }

    fn from_text(text: &str) -> Result<Self, Unfit> {
        let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|at| at.is_ascii_digit());
        if !digits(whole) || !digits(decimals) || whole.len() > 1 || decimals.len() > 3 {
            return Err(Unfit::Type);
        }
        let number = format!("{whole}{decimals:0<3}").parse::<u16>();
        number
            .ok()
            .filter(|number| *number <= 1_000)
            .map(Self)
            .ok_or(Unfit::Type)
    }

    fn shown(&self) -> String {
        let text = format!("{}.{:03}", self.0 / 1_000, self.0 % 1_000);
        let short = text.trim_end_matches('0');
        if short.ends_with('.') {
            format!("{short}0")
        } else {
            short.to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_read_and_print() {
        for (text, shown) in [
            ("0", "0.0"),
            ("0.7", "0.7"),
            ("1", "1.0"),
            ("0.125", "0.125"),
        ] {
            assert_eq!(Share::from_text(text).unwrap().shown(), shown);
        }
        for bad in [
            "", "-0.5", "1.001", "2", "0.1234", "nan", "1e-1", ".5", "0.",
        ] {
            assert!(Share::from_text(bad).is_err(), "{bad} was taken");
        }
        assert!((Share::thousandths(700).get() - 0.7).abs() < f64::EPSILON);
    }
}

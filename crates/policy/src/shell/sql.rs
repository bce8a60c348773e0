//! The words of SQL, without its strings and comments.

/// Words of letters, digits and `_`, and single marks. What stands in quotes or in a comment is left out; `/*! … */`, which
/// MySQL runs, is not.
pub fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '\'' | '`' => quoted(rest, first),
            // A name in most dialects, a string in some.
            '"' => quoted(rest, '"'),
            '-' if rest.starts_with("--") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*!") => 3,
            '*' if rest.starts_with("*/") => 2,
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |at| at + 2),
            _ if is_of_word(first) => {
                let length = rest.find(|at| !is_of_word(at)).unwrap_or(rest.len());
                tokens.extend(rest.get(..length));
                length
            }
            _ if first.is_whitespace() => first.len_utf8(),
            _ => {
                tokens.extend(rest.get(..first.len_utf8()));
                first.len_utf8()
            }
        };
        rest = rest.get(length..).unwrap_or_default();
    }
    tokens
}

fn is_of_word(at: char) -> bool {
    at.is_alphanumeric() || at == '_'
}

/// How long a quoted text is, its quotes with it; of one without an end the quote alone.
fn quoted(text: &str, quote: char) -> usize {
    let inside = text.get(1..).unwrap_or_default();
    inside.find(quote).map_or(1, |at| at + 2)
}

#[cfg(test)]
mod tests {
    use super::tokens;

    #[test]
    fn pol_06_strings_and_comments_hold_no_words() {
        for (text, expected) in [
            ("drop/**/table x", vec!["drop", "table", "x"]),
            ("select 'drop table x'", vec!["select"]),
            ("delete -- where\nfrom x", vec!["delete", "from", "x"]),
            ("/*!50000 drop*/ table", vec!["50000", "drop", "table"]),
            ("a='it''s'; b", vec!["a", "=", ";", "b"]),
            ("it's drop x", vec!["it", "s", "drop", "x"]),
            ("db.x.drop()", vec!["db", ".", "x", ".", "drop", "(", ")"]),
        ] {
            assert_eq!(tokens(text), expected, "{text}");
        }
    }
}

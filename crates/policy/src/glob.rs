//! Patterns of rules: `*` stands for anything but `/`, `**` for anything, `?` for one character but `/`.

/// Whether a pattern fits a whole text. Linear in the product of their lengths.
pub fn fits(pattern: &[u8], text: &[u8]) -> bool {
    let mut reach = vec![false; text.len() + 1];
    if let Some(first) = reach.first_mut() {
        *first = true;
    }
    let mut rest = pattern;
    while let Some((step, after)) = next(rest) {
        reach = advance(&reach, step, text);
        rest = after;
    }
    reach.last().copied().unwrap_or_default()
}

#[derive(Clone, Copy)]
enum Step {
    Anything,
    WithoutSlash,
    One,
    Byte(u8),
}

/// `**/` also stands for no folder at all.
fn next(pattern: &[u8]) -> Option<(Step, &[u8])> {
    match pattern {
        [] => None,
        [b'*', b'*', b'/', rest @ ..] | [b'*', b'*', rest @ ..] => Some((Step::Anything, rest)),
        [b'*', rest @ ..] => Some((Step::WithoutSlash, rest)),
        [b'?', rest @ ..] => Some((Step::One, rest)),
        [byte, rest @ ..] => Some((Step::Byte(*byte), rest)),
    }
}

/// Which ends in the text can be reached with one more step of the pattern.
fn advance(reach: &[bool], step: Step, text: &[u8]) -> Vec<bool> {
    let mut out = Vec::with_capacity(reach.len());
    let mut carried = false;
    for (place, here) in reach.iter().enumerate() {
        let before = place.checked_sub(1);
        let byte = before.and_then(|at| text.get(at)).copied();
        let was = before
            .and_then(|at| reach.get(at))
            .copied()
            .unwrap_or_default();
        let now = match step {
            Step::Anything => {
                carried |= *here;
                carried
            }
            Step::WithoutSlash => {
                carried = *here || carried && byte != Some(b'/');
                carried
            }
            Step::One => was && byte.is_some_and(|byte| byte != b'/'),
            Step::Byte(wanted) => was && byte == Some(wanted),
        };
        out.push(now);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pol_04_patterns_fit_whole_paths() {
        for (pattern, text, expected) in [
            ("docs/**", "docs/a/b.md", true),
            ("docs/*", "docs/a/b.md", false),
            ("docs/*", "docs/b.md", true),
            ("**/*.md", "a/b/c.md", true),
            ("**/*.md", "c.md", true),
            ("*.md", "a/c.md", false),
            ("a?c", "abc", true),
            ("a?c", "a/c", false),
            ("", "", true),
            ("a", "ab", false),
            ("*.example.com", "api.example.com", true),
            ("*.example.com", "example.com", false),
        ] {
            assert_eq!(
                fits(pattern.as_bytes(), text.as_bytes()),
                expected,
                "{pattern} {text}"
            );
        }
    }
}

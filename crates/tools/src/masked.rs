//! Text without what looks secret, line by line as it was: a mask never moves the lines below it.

use taffrail_redact::Redactor;

/// The text with a fixed mask in place of each secret, and with every line break that it had.
pub(crate) fn masked(redactor: &Redactor, text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for found in redactor.findings(text) {
        out.push_str(text.get(from..found.start).unwrap_or_default());
        out.push_str(found.family.mask());
        let secret = text.get(found.start..found.end).unwrap_or_default();
        let breaks = secret
            .split_inclusive('\n')
            .filter(|line| line.ends_with('\n'));
        for line in breaks {
            out.push_str(if line.ends_with("\r\n") { "\r\n" } else { "\n" });
        }
        from = found.end;
    }
    out.push_str(text.get(from..).unwrap_or_default());
    out
}

/// At most so many bytes of a text, whole characters.
pub(crate) fn cut(text: &str, most: usize) -> &str {
    text.get(..text.floor_char_boundary(most)).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use taffrail_redact::Options;

    use super::*;

    #[test]
    fn red_01_a_mask_keeps_the_lines() {
        let redactor = Redactor::new(Options::default());
        let begin = ["-----BEGIN RSA ", "PRIVATE KEY-----"].concat();
        let end = ["-----END RSA ", "PRIVATE KEY-----"].concat();
        let body = "MIIEowIBAAKCAQEAtVKUtcx5b6Tn3m7vKqQm2xyZ\n".repeat(3);
        for text in [
            format!("one\n{begin}\n{body}{end}\nlast\n"),
            format!("one\n{begin}\n{body}{end}\nlast\n").replace('\n', "\r\n"),
        ] {
            let clean = masked(&redactor, &text);
            assert!(!clean.contains("MIIEow"), "{clean}");
            assert_eq!(clean.lines().count(), text.lines().count());
            assert_eq!(clean.matches("\r\n").count(), text.matches("\r\n").count());
            assert!(clean.trim_end().ends_with("last"));
        }
        assert_eq!(masked(&redactor, "plain\r\ntext"), "plain\r\ntext");
    }

    #[test]
    fn a_cut_keeps_characters_whole() {
        assert_eq!(cut("aéz", 2), "a");
        assert_eq!(cut("aéz", 3), "aé");
        assert_eq!(cut("aéz", 9), "aéz");
    }
}

//! What a line of a script is made of: bare words, quoted bytes, JSON, and the marks of a block.

use serde_json::Value;

/// One word of a line.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Word {
    /// A word as it stands; `${…}` is filled in when it is used.
    Bare(String),
    /// What stood between quotes, with its escapes decoded to bytes.
    Text(Vec<u8>),
    /// A JSON object or list.
    Json(Value),
}

/// One word, or where a line or a block begins and ends.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    Word(Word),
    /// The end of a line, or a `;` between spaces.
    End,
    /// A `{` that no JSON begins with.
    Open,
    /// A `}` by itself.
    Close,
}

/// The tokens of a script, each with the number of its line. A line that ends in ` \` goes on in the next one.
///
/// # Errors
/// The line's number and what is wrong with it.
pub(super) fn tokens(script: &str) -> Result<Vec<(usize, Token)>, String> {
    let mut out = Vec::new();
    let mut lines = script.lines().enumerate();
    while let Some((at, first)) = lines.next() {
        let mut line = first.to_owned();
        while let Some(shorter) = line.strip_suffix(" \\") {
            let next = lines.next().map_or("", |(_, next)| next);
            line = format!("{shorter} {next}");
        }
        let found = of_line(&line).map_err(|why| format!("line {}: {why}", at + 1))?;
        out.extend(found.into_iter().map(|token| (at + 1, token)));
        out.push((at + 1, Token::End));
    }
    Ok(out)
}

fn of_line(line: &str) -> Result<Vec<Token>, String> {
    let mut rest = line.trim_start();
    let mut out = Vec::new();
    while !rest.is_empty() && !rest.starts_with('#') {
        let (token, after) = first_of(rest)?;
        out.push(token);
        rest = after.trim_start();
    }
    Ok(out)
}

fn first_of(rest: &str) -> Result<(Token, &str), String> {
    if let Some(quoted) = rest.strip_prefix('"') {
        let (bytes, after) = unquote(quoted)?;
        return Ok((Token::Word(Word::Text(bytes)), after));
    }
    if rest.starts_with(['{', '[']) {
        return json_or_block(rest);
    }
    let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
    let (word, after) = rest.split_at(end);
    let token = match word {
        "}" => Token::Close,
        ";" => Token::End,
        _ => Token::Word(Word::Bare(word.to_owned())),
    };
    Ok((token, after))
}

fn json_or_block(rest: &str) -> Result<(Token, &str), String> {
    let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
    match values.next() {
        Some(Ok(value)) => {
            let after = rest.get(values.byte_offset()..).unwrap_or_default();
            Ok((Token::Word(Word::Json(value)), after))
        }
        problem => match rest.strip_prefix('{') {
            Some(after) if after.is_empty() || after.starts_with(' ') => Ok((Token::Open, after)),
            _ => Err(format!("no JSON: {problem:?}")),
        },
    }
}

/// The bytes up to the closing quote, and what follows it.
fn unquote(text: &str) -> Result<(Vec<u8>, &str), String> {
    let mut out = Vec::new();
    let mut chars = text.char_indices();
    while let Some((at, character)) = chars.next() {
        match character {
            '"' => return Ok((out, text.get(at + 1..).unwrap_or_default())),
            '\\' => out.push(escape(&mut chars)?),
            other => out.extend(other.encode_utf8(&mut [0; 4]).bytes()),
        }
    }
    Err("a quote that is not closed".to_owned())
}

fn escape(chars: &mut std::str::CharIndices<'_>) -> Result<u8, String> {
    let character = chars.next().map(|(_, character)| character);
    match character {
        Some('n') => Ok(b'\n'),
        Some('r') => Ok(b'\r'),
        Some('t') => Ok(b'\t'),
        Some('\\') => Ok(b'\\'),
        Some('"') => Ok(b'"'),
        Some('x') => {
            let digits: String = chars.by_ref().take(2).map(|(_, digit)| digit).collect();
            u8::from_str_radix(&digits, 16).map_err(|_| format!("no byte: \\x{digits}"))
        }
        other => Err(format!("no escape: \\{}", other.unwrap_or(' '))),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn bare(word: &str) -> Token {
        Token::Word(Word::Bare(word.to_owned()))
    }

    #[test]
    fn a_line_is_bare_words_quoted_bytes_and_json() {
        let found = of_line(r#"ask a {"x":[1, 2]} "b\x00\n" -> c # remark"#).unwrap();
        let wanted = [
            bare("ask"),
            bare("a"),
            Token::Word(Word::Json(json!({"x": [1, 2]}))),
            Token::Word(Word::Text(b"b\0\n".to_vec())),
            bare("->"),
            bare("c"),
        ];
        assert_eq!(found, wanted);
    }

    #[test]
    fn a_block_opens_where_no_json_does() {
        let found = of_line("repeat 3 { say x ; say {} }").unwrap();
        let wanted = [
            bare("repeat"),
            bare("3"),
            Token::Open,
            bare("say"),
            bare("x"),
            Token::End,
            bare("say"),
            Token::Word(Word::Json(json!({}))),
            Token::Close,
        ];
        assert_eq!(found, wanted);
    }

    #[test]
    fn a_long_line_goes_on_in_the_next_one() {
        let found = tokens("say \\\n  {\"a\": \\\n 1}\nhang").unwrap();
        assert_eq!(found[1].1, Token::Word(Word::Json(json!({"a": 1}))));
        assert_eq!(found[3], (4, bare("hang")));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        for (script, said) in [
            ("say x\nsay \"y", "line 2: a quote"),
            ("say {\"a\":}", "line 1: no JSON"),
            ("raw \"\\q\"", "line 1: no escape"),
            ("raw \"\\xzz\"", "line 1: no byte"),
        ] {
            let error = tokens(script).unwrap_err();
            assert!(error.starts_with(said), "{script}: {error}");
        }
    }
}

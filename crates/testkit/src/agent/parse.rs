//! A script as a list of commands. Every verb, and how many words it takes, stands in one table, so that a script that
//! cannot be played fails before it says its first word.

use super::words::{Token, Word, tokens};

/// One command of a script.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Command {
    /// Its line, from 1.
    pub(super) line: usize,
    /// What is to be done.
    pub(super) verb: String,
    /// With what.
    pub(super) words: Vec<Word>,
    /// The name behind `->`: where what comes of it is kept.
    pub(super) into: Option<String>,
    /// The commands of its block.
    pub(super) body: Vec<Command>,
}

/// A verb, the fewest and the most words that it takes, and whether it has a block.
type Verb = (&'static str, usize, usize, bool);

const VERBS: &[Verb] = &[
    // What is waited for.
    ("expect", 1, 1, false),
    ("expect-cancel", 0, 0, false),
    ("expect-end", 0, 0, false),
    ("auto", 2, 2, false),
    ("open", 0, 1, false),
    // Answers.
    ("answer", 1, 1, false),
    ("fail", 1, 3, false),
    ("end", 1, 2, false),
    // What is sent.
    ("update", 1, 1, false),
    ("update-for", 2, 2, false),
    ("say", 1, 1, false),
    ("think", 1, 1, false),
    ("result", 1, 1, false),
    ("done", 0, 1, false),
    ("notify", 2, 2, false),
    // Requests, and their answers.
    ("call", 2, 2, false),
    ("call-later", 3, 3, false),
    ("ask", 2, 2, false),
    ("ask-later", 2, 2, false),
    ("ask-edit", 3, 4, false),
    ("ask-run", 2, 2, false),
    ("await", 1, 1, false),
    ("read", 1, 3, false),
    ("write", 2, 2, false),
    ("next-id", 1, 1, false),
    // What depends on an answer, and what is done often.
    ("on", 1, 2, true),
    ("otherwise", 0, 0, true),
    ("repeat", 1, 1, true),
    ("set", 2, 2, false),
    ("must", 2, 2, false),
    // Bytes.
    ("raw", 1, 1, false),
    ("raw-file", 1, 1, false),
    ("stderr", 1, 1, false),
    ("flood", 2, 2, false),
    ("split", 1, 1, false),
    ("crlf", 1, 1, false),
    ("no-final-newline", 0, 0, false),
    // Its own disk, without asking.
    ("do", 2, 99, false),
    // Its own process.
    ("sleep", 1, 1, false),
    ("hang", 0, 0, false),
    ("exit", 1, 1, false),
    ("close", 1, 1, false),
    ("ignore-term", 0, 0, false),
    ("ignore-eof", 0, 0, false),
    ("daemonise", 0, 0, false),
    ("kill-self", 1, 1, false),
    // The client's MCP server.
    ("mcp", 1, 3, false),
];

/// The commands of `script`.
///
/// # Errors
/// The line's number and what is wrong with it.
pub(super) fn parse(script: &str) -> Result<Vec<Command>, String> {
    let tokens = tokens(script)?;
    let mut rest = tokens.as_slice();
    let commands = block(&mut rest, None)?;
    Ok(commands)
}

/// Commands up to the end of the script, or of the block that opened at line `opened`.
fn block(rest: &mut &[(usize, Token)], opened: Option<usize>) -> Result<Vec<Command>, String> {
    let mut commands = Vec::new();
    loop {
        match (rest.split_first(), opened) {
            (None, None) => return Ok(commands),
            (None, Some(line)) => return Err(format!("line {line}: a block that is not closed")),
            (Some(((_, Token::End), after)), _) => *rest = after,
            (Some(((_, Token::Close), after)), Some(_)) => {
                *rest = after;
                return Ok(commands);
            }
            (Some(((line, Token::Close), _)), None) => {
                return Err(format!("line {line}: a block ends that did not begin"));
            }
            (Some(((line, _), _)), _) => commands.push(command(rest, *line)?),
        }
    }
}

fn command(rest: &mut &[(usize, Token)], line: usize) -> Result<Command, String> {
    let mut words = Vec::new();
    while let Some(((_, Token::Word(word)), after)) = rest.split_first() {
        words.push(word.clone());
        *rest = after;
    }
    let mut body = None;
    if let Some(((_, Token::Open), after)) = rest.split_first() {
        *rest = after;
        body = Some(block(rest, Some(line))?);
    }
    checked(line, words, body).map_err(|why| format!("line {line}: {why}"))
}

fn checked(
    line: usize,
    mut words: Vec<Word>,
    body: Option<Vec<Command>>,
) -> Result<Command, String> {
    let into = take_into(&mut words)?;
    let Some(Word::Bare(verb)) = words.first().cloned() else {
        return Err("a line begins with a verb".to_owned());
    };
    words.remove(0);
    let (_, least, most, has_block) = VERBS
        .iter()
        .find(|(known, ..)| *known == verb)
        .ok_or_else(|| format!("no verb: {verb}"))?;
    if !(*least..=*most).contains(&words.len()) {
        let given = words.len();
        return Err(format!("{verb} takes {least} to {most} words, not {given}"));
    }
    if *has_block != body.is_some() {
        return Err(format!("{verb} has a block: {has_block}"));
    }
    Ok(Command {
        line,
        verb,
        words,
        into,
        body: body.unwrap_or_default(),
    })
}

fn take_into(words: &mut Vec<Word>) -> Result<Option<String>, String> {
    let arrow = words
        .iter()
        .position(|word| *word == Word::Bare("->".to_owned()));
    let Some(at) = arrow else {
        return Ok(None);
    };
    let tail = words.split_off(at);
    match tail.as_slice() {
        [_, Word::Bare(name)] => Ok(Some(name.clone())),
        _ => Err("one name behind `->`".to_owned()),
    }
}

/// Whether a command of `commands`, or of a block of theirs, is `verb` with `word` as its first word.
pub(super) fn mentions(commands: &[Command], verb: &str, word: &str) -> bool {
    commands.iter().any(|command| {
        let this =
            command.verb == verb && command.words.first() == Some(&Word::Bare(word.to_owned()));
        this || mentions(&command.body, verb, word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_have_words_a_name_and_a_block() {
        let script = "read a.txt -> x\non allow x {\n say y\n repeat 2 { say z }\n}\nhang";
        let commands = parse(script).unwrap();
        let verbs: Vec<&str> = commands.iter().map(|one| one.verb.as_str()).collect();
        assert_eq!(verbs, ["read", "on", "hang"]);
        assert_eq!(commands[0].into.as_deref(), Some("x"));
        assert_eq!(commands[1].words.len(), 2);
        assert_eq!(commands[1].body[1].body[0].line, 4);
        assert!(mentions(&commands, "say", "z") && !mentions(&commands, "say", "x"));
    }

    #[test]
    fn what_cannot_be_played_is_said_before_it_is_played() {
        for (script, said) in [
            ("\nsing", "line 2: no verb: sing"),
            ("hang now", "line 1: hang takes 0 to 0 words, not 1"),
            ("say x {\n}", "line 1: say has a block: false"),
            ("repeat 2", "line 1: repeat has a block: true"),
            ("repeat 2 {", "line 1: a block that is not closed"),
            ("}", "line 1: a block ends that did not begin"),
            ("read a ->", "line 1: one name behind `->`"),
            ("{\"a\":1}", "line 1: a line begins with a verb"),
        ] {
            assert_eq!(parse(script).unwrap_err(), said, "{script}");
        }
    }
}

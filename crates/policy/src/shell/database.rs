//! What clients of databases are told: statements that take data away, and files of them that nobody has read (POL-06).

use super::base;
use super::database_clients::{CLIENTS, Client, ENDS, Operands};
use super::statements;
use super::tree::Word;

/// Whether a program sends what it is given to a database.
pub fn is_client(name: &str) -> bool {
    client(name).is_some()
}

fn client(name: &str) -> Option<&'static Client> {
    let is_called = |row: &&str| match row.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => *row == name,
    };
    CLIENTS
        .iter()
        .find(|client| client.names.iter().any(is_called))
}

/// What a client is told that takes data away, or that nobody can read beforehand.
pub fn about(name: &str, arguments: &[Word]) -> Option<&'static str> {
    let client = client(name)?;
    let given = given(client, arguments.iter().map(Word::text));
    if given.file {
        return Some("a file of commands for a database");
    }
    let is_given = |word: &&Word| given.texts.iter().any(|text| word.text().ends_with(text));
    if arguments.iter().filter(is_given).any(is_unreadable) {
        return Some("commands for a database that nobody can read beforehand");
    }
    let texts = || {
        arguments
            .iter()
            .map(|word| String::from_utf8_lossy(word.text()))
    };
    if client.operands == Operands::Commands {
        return statements::of_redis(texts().map(|text| text.to_lowercase()))
            .then_some("data dropped");
    }
    let mut texts = texts();
    texts
        .any(|text| statements::destroys(&text))
        .then_some("data dropped, or much of it changed")
}

/// Whether a program waits for commands to come in: a client that is told none, also at the end of `docker exec` and `ssh`.
pub fn waits(argv: &[Vec<u8>]) -> bool {
    let words: Vec<&[u8]> = argv
        .iter()
        .flat_map(|word| word.split(u8::is_ascii_whitespace))
        .collect();
    let called = words
        .iter()
        .enumerate()
        .find_map(|(place, word)| client(&base(word)).map(|client| (place, client)));
    let Some((place, client)) = called else {
        return false;
    };
    // The words of a client itself stand as they are; elsewhere they come from one word with blanks.
    let given = if place == 0 {
        let rest = argv.get(1..).unwrap_or_default();
        given(client, rest.iter().map(Vec::as_slice))
    } else {
        given(
            client,
            words.get(place + 1..).unwrap_or_default().iter().copied(),
        )
    };
    !given.text
}

/// Of which kind of thing a client is given something to run.
#[derive(Default)]
struct Given<'a> {
    /// A file of commands.
    file: bool,
    /// Commands, or something after which nothing is run.
    text: bool,
    /// The commands.
    texts: Vec<&'a [u8]>,
}

fn given<'a>(client: &Client, words: impl Iterator<Item = &'a [u8]>) -> Given<'a> {
    let (mut found, mut operands) = (Given::default(), 0_usize);
    let mut rest = words.peekable();
    while let Some(word) = rest.next() {
        match word {
            [b'-', flag @ ..] if !flag.is_empty() => {
                let mut next = || rest.next().unwrap_or_default();
                take_flag(client, flag, &mut next, &mut found);
            }
            _ => {
                operands += 1;
                take_operand(client, word, operands, &mut found);
            }
        }
    }
    found
}

fn take_operand<'a>(client: &Client, word: &'a [u8], place: usize, found: &mut Given<'a>) {
    let is_script = |word: &[u8]| {
        let endings: [&[u8]; 5] = [b".js", b".mjs", b".mongodb", b".sql", b".cypher"];
        word.starts_with(b"@") || endings.iter().any(|ending| word.ends_with(ending))
    };
    let is_text = match client.operands {
        Operands::Names | Operands::Scripts => false,
        Operands::NameThenCommands => place > 1,
        Operands::Commands => true,
    };
    found.file |= client.operands == Operands::Scripts && is_script(word);
    if is_text {
        found.text = true;
        found.texts.push(word);
    }
}

/// One flag without its first dash: a long one, or a cluster that ends where one of it takes a value.
fn take_flag<'a>(
    client: &Client,
    flag: &'a [u8],
    next: &mut impl FnMut() -> &'a [u8],
    found: &mut Given<'a>,
) {
    let long = flag.strip_prefix(b"-").unwrap_or(flag);
    let mut halves = long.splitn(2, |byte| *byte == b'=');
    let (name, value) = (halves.next().unwrap_or_default(), halves.next());
    let is_in = |list: &[&str]| list.iter().any(|known| known.as_bytes() == name);
    if is_in(client.long_files) {
        found.file |= is_file(value.unwrap_or_else(next));
    } else if is_in(client.long_texts) {
        found.text = true;
        if !ENDS.iter().any(|end| end.as_bytes() == name) {
            found.texts.push(value.unwrap_or_else(next));
        }
    } else if !flag.starts_with(b"-") {
        take_cluster(client, flag, next, found);
    }
}

fn take_cluster<'a>(
    client: &Client,
    cluster: &'a [u8],
    next: &mut impl FnMut() -> &'a [u8],
    found: &mut Given<'a>,
) {
    for (place, byte) in cluster.iter().enumerate() {
        let is = |flags: &str| flags.as_bytes().contains(byte);
        let (is_file_flag, is_text_flag) = (is(client.files), is(client.texts));
        if !is_file_flag && !is_text_flag && !is(client.valued) {
            continue;
        }
        let rest = cluster.get(place + 1..).unwrap_or_default();
        let value = if rest.is_empty() { next() } else { rest };
        if is_text_flag {
            found.text = true;
            found.texts.push(value);
        }
        found.file |= is_file_flag && is_file(value);
        return;
    }
}

fn is_file(value: &[u8]) -> bool {
    !matches!(value, b"" | b"-" | b"/dev/stdin")
}

/// A word whose value is not certain and of which nothing can be read: a variable alone, or what a command puts out.
pub fn is_unreadable(word: &Word) -> bool {
    if word.value.is_some() {
        return false;
    }
    let raw = &word.raw;
    let substitutes = raw.contains(&b'`') || raw.windows(2).any(|pair| pair == b"$(");
    let bare = raw.strip_prefix(b"\"").unwrap_or(raw);
    substitutes || bare.starts_with(b"$") && !bare.contains(&b' ')
}

//! Pure: a diff in git's format, byte-exact, that `git apply --binary` takes: names quoted, full object ids, modes,
//! three lines of context, binary content as a `literal`.
//!
//! Writes to what it is given; opens nothing and knows no policy.

use std::io::{self, Read, Write};
use std::ops::Range;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use imara_diff::{Algorithm, Diff, Hunk, InternedInput, Token, sources::byte_lines};
use taffrail_domain::{FileMode, Oid, RepoPath};

/// Lines of context around a hunk, as git has them.
const CONTEXT: u32 = 3;
/// git takes content for binary when a NUL byte is among its first 8,000.
const BINARY_LOOK: usize = 8_000;
/// Bytes of compressed content in a line of a binary literal.
const LITERAL_LINE: usize = 52;
const BASE85: &[u8; 85] =
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";

/// Mode and blob of one side.
pub(crate) type Side<'a> = Option<(FileMode, &'a Oid)>;

/// Lines added and removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Counts {
    pub added: u32,
    pub removed: u32,
}

/// Whether git would take the content for binary.
pub(crate) fn is_binary(content: &[u8]) -> bool {
    memchr::memchr(0, content.get(..BINARY_LOOK).unwrap_or(content)).is_some()
}

/// The lines that say which file it is, and how mode and blob change. `None` on a side: added or deleted.
pub(crate) fn header(
    out: &mut dyn Write,
    path: &RepoPath,
    old: Side<'_>,
    new: Side<'_>,
) -> io::Result<()> {
    out.write_all(b"diff --git ")?;
    out.write_all(&quoted(b"a/", path))?;
    out.write_all(b" ")?;
    out.write_all(&quoted(b"b/", path))?;
    out.write_all(b"\n")?;
    match (old, new) {
        (None, Some((mode, oid))) => {
            writeln!(out, "new file mode {}", mode.octal())?;
            writeln!(out, "index {}..{oid}", null_of(oid))
        }
        (Some((mode, oid)), None) => {
            writeln!(out, "deleted file mode {}", mode.octal())?;
            writeln!(out, "index {oid}..{}", null_of(oid))
        }
        (Some((was, from)), Some((is, to))) => changed(out, (was, from), (is, to)),
        (None, None) => Ok(()),
    }
}

fn changed(
    out: &mut dyn Write,
    (was, from): (FileMode, &Oid),
    (is, to): (FileMode, &Oid),
) -> io::Result<()> {
    if was != is {
        writeln!(out, "old mode {}\nnew mode {}", was.octal(), is.octal())?;
    }
    match (from == to, was == is) {
        (true, _) => Ok(()),
        (false, true) => writeln!(out, "index {from}..{to} {}", is.octal()),
        (false, false) => writeln!(out, "index {from}..{to}"),
    }
}

/// The id of no object, as long as this one.
fn null_of(oid: &Oid) -> String {
    "0".repeat(oid.as_str().len())
}

/// The hunks between two contents. A side that is not there is `/dev/null`. Equal contents write nothing. The lines
/// that are added go to `added` too.
pub(crate) fn text(
    out: &mut dyn Write,
    path: &RepoPath,
    old: Option<&[u8]>,
    new: Option<&[u8]>,
    added: &mut Vec<u8>,
) -> io::Result<Counts> {
    let (before, after) = (old.unwrap_or_default(), new.unwrap_or_default());
    if before == after {
        return Ok(Counts::default());
    }
    file_line(out, b"--- ", b"a/", path, old.is_some())?;
    file_line(out, b"+++ ", b"b/", path, new.is_some())?;
    let input = InternedInput::new(byte_lines(before), byte_lines(after));
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let hunks: Vec<Hunk> = diff.hunks().collect();
    for group in hunks.chunk_by(|left, right| right.before.start - left.before.end <= 2 * CONTEXT) {
        write_group(out, &input, group)?;
    }
    for hunk in &hunks {
        let lines = lines(&input.after, &hunk.after);
        lines.for_each(|token| added.extend_from_slice(input.interner[token]));
    }
    Ok(Counts {
        added: diff.count_additions(),
        removed: diff.count_removals(),
    })
}

fn file_line(
    out: &mut dyn Write,
    start: &[u8],
    prefix: &[u8],
    path: &RepoPath,
    there: bool,
) -> io::Result<()> {
    out.write_all(start)?;
    if there {
        let name = quoted(prefix, path);
        out.write_all(&name)?;
        // A tab ends a name with blanks for programs that cut the line at the first blank.
        if !name.starts_with(b"\"") && name.contains(&b' ') {
            out.write_all(b"\t")?;
        }
    } else {
        out.write_all(b"/dev/null")?;
    }
    out.write_all(b"\n")
}

/// One `@@` block: hunks near enough to share their context.
fn write_group(
    out: &mut dyn Write,
    input: &InternedInput<&[u8]>,
    group: &[Hunk],
) -> io::Result<()> {
    let (Some(first), Some(last)) = (group.first(), group.last()) else {
        return Ok(());
    };
    let lead = first.before.start.min(CONTEXT);
    let total = u32::try_from(input.before.len()).unwrap_or(u32::MAX);
    let tail = (total - last.before.end).min(CONTEXT);
    let old = first.before.start - lead..last.before.end + tail;
    let new = first.after.start - lead..last.after.end + tail;
    writeln!(out, "@@ -{} +{} @@", span(&old), span(&new))?;
    let mut at = old.start;
    for hunk in group {
        write_lines(out, input, &input.before, b' ', at..hunk.before.start)?;
        write_lines(out, input, &input.before, b'-', hunk.before.clone())?;
        write_lines(out, input, &input.after, b'+', hunk.after.clone())?;
        at = hunk.before.end;
    }
    write_lines(out, input, &input.before, b' ', at..old.end)
}

/// `line,count`: the line is the one before the place when the count is 0; a count of 1 is left out.
fn span(range: &Range<u32>) -> String {
    match range.len() {
        0 => format!("{},0", range.start),
        1 => format!("{}", range.start + 1),
        count => format!("{},{count}", range.start + 1),
    }
}

fn write_lines(
    out: &mut dyn Write,
    input: &InternedInput<&[u8]>,
    tokens: &[Token],
    sign: u8,
    range: Range<u32>,
) -> io::Result<()> {
    for token in lines(tokens, &range) {
        let line = input.interner[token];
        out.write_all(&[sign])?;
        out.write_all(line)?;
        if !line.ends_with(b"\n") {
            out.write_all(b"\n\\ No newline at end of file\n")?;
        }
    }
    Ok(())
}

fn lines(tokens: &[Token], range: &Range<u32>) -> impl Iterator<Item = Token> {
    let range = range.start as usize..range.end as usize;
    tokens.get(range).unwrap_or_default().iter().copied()
}

/// The content as a binary literal of `size` bytes. Forward only: a diff is applied to its base, never taken back.
pub(crate) fn binary(out: &mut dyn Write, size: u64, content: &mut dyn Read) -> io::Result<()> {
    write!(out, "GIT binary patch\nliteral {size}\n")?;
    let lines = LiteralLines {
        out,
        line: Vec::with_capacity(LITERAL_LINE),
    };
    let mut deflate = ZlibEncoder::new(lines, Compression::default());
    io::copy(content, &mut deflate)?;
    deflate.finish()?.finish()
}

struct LiteralLines<'a> {
    out: &'a mut dyn Write,
    line: Vec<u8>,
}

impl LiteralLines<'_> {
    fn write_line(&mut self) -> io::Result<()> {
        let length = u8::try_from(self.line.len()).unwrap_or_default();
        let mark = match length {
            1..=26 => b'A' + length - 1,
            _ => b'a' + length - 27,
        };
        let mut text = vec![mark];
        text.extend(self.line.chunks(4).flat_map(base85));
        text.push(b'\n');
        self.line.clear();
        self.out.write_all(&text)
    }

    fn finish(mut self) -> io::Result<()> {
        if !self.line.is_empty() {
            self.write_line()?;
        }
        self.out.write_all(b"\n")
    }
}

impl Write for LiteralLines<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = LITERAL_LINE - self.line.len();
        let taken = bytes.get(..room).unwrap_or(bytes);
        self.line.extend_from_slice(taken);
        if self.line.len() == LITERAL_LINE {
            self.write_line()?;
        }
        Ok(taken.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Four bytes, the missing ones as zero, in five characters.
fn base85(chunk: &[u8]) -> [u8; 5] {
    let mut value = (0..4).fold(0_u32, |sum, at| {
        sum << 8 | u32::from(chunk.get(at).copied().unwrap_or_default())
    });
    let mut text = [0; 5];
    for at in text.iter_mut().rev() {
        *at = BASE85
            .get((value % 85) as usize)
            .copied()
            .unwrap_or_default();
        value /= 85;
    }
    text
}

/// The name with its prefix, quoted as git quotes it when a byte is not a printable ASCII one.
pub(crate) fn quoted(prefix: &[u8], path: &RepoPath) -> Vec<u8> {
    let name = [prefix, path.as_bytes()].concat();
    let plain = |byte: &u8| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\');
    if name.iter().all(plain) {
        return name;
    }
    let mut text = vec![b'"'];
    name.iter().for_each(|byte| quote_byte(&mut text, *byte));
    text.push(b'"');
    text
}

fn quote_byte(text: &mut Vec<u8>, byte: u8) {
    let escape = match byte {
        7 => b'a',
        8 => b'b',
        b'\t' => b't',
        b'\n' => b'n',
        11 => b'v',
        12 => b'f',
        b'\r' => b'r',
        b'"' | b'\\' => byte,
        b' '..=b'~' => return text.push(byte),
        _ => return text.extend(format!("\\{byte:03o}").bytes()),
    };
    text.extend([b'\\', escape]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> RepoPath {
        RepoPath::new(text).unwrap()
    }

    fn hunks(old: &str, new: &str) -> String {
        let mut out = Vec::new();
        text(
            &mut out,
            &path("f"),
            Some(old.as_bytes()),
            Some(new.as_bytes()),
            &mut Vec::new(),
        )
        .unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn fa_30_hunks_and_their_spans() {
        assert_eq!(hunks("a\n", "a\n"), "");
        assert_eq!(hunks("", "a\n"), "--- a/f\n+++ b/f\n@@ -0,0 +1 @@\n+a\n");
        assert_eq!(
            hunks("a\nb", "a\nb\n"),
            "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n"
        );
        let old: String = (0..20).map(|at| format!("{at}\n")).collect();
        let new = old.replace("\n3\n", "\nx\n").replace("\n16\n", "\n");
        let found = hunks(&old, &new);
        assert_eq!(found.matches("@@ -").count(), 2);
        assert!(found.contains("@@ -1,7 +1,7 @@"), "{found}");
        assert!(found.contains("@@ -14,7 +14,6 @@"), "{found}");
    }

    #[test]
    fn fa_30_names_are_quoted_as_git_quotes_them() {
        let name = |bytes: &[u8]| {
            let quoted = quoted(b"a/", &RepoPath::new(bytes).unwrap());
            String::from_utf8(quoted).unwrap()
        };
        assert_eq!(name(b"x y"), "a/x y");
        assert_eq!(name(b"-rf"), "a/-rf");
        assert_eq!(name(b"q\"\\\n\t\x07"), r#""a/q\"\\\n\t\a""#);
        assert_eq!(name("é".as_bytes()), r#""a/\303\251""#);
        assert_eq!(name(b"\xff\x01"), r#""a/\377\001""#);
    }

    #[test]
    fn fa_30_base85_of_git() {
        assert_eq!(&base85(&[0, 0, 0, 0]), b"00000");
        assert_eq!(&base85(&[0xff; 4]), b"|NsC0");
        assert_eq!(&base85(&[1]), &base85(&[1, 0, 0, 0]));
    }
}

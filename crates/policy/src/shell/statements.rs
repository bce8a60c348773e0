//! Which statements and commands of databases take data away.
//!
//! Nothing is parsed. The words of SQL are looked at with strings and comments left out, so that what only looks like a
//! statement is none, and a blank of another kind hides none.

use super::sql::tokens;

/// Commands of clients, at the beginning of a line, that run a file or put one in place of what is there.
const RUNS_A_FILE: &[&str] = &[
    ".read",
    ".restore",
    ".load",
    ".save",
    ".clone",
    "\\i ",
    "\\ir ",
    "\\include",
    "\\. ",
    "source ",
    "@",
];
/// Functions and clauses of servers and clients that write files, run programs or take away much, in lower case.
const REACHES_OUT: &[&str] = &[
    "xp_cmdshell",
    "into outfile",
    "into dumpfile",
    "lo_export",
    "load_extension",
    "writefile(",
    "\\gexec",
    "insert overwrite",
    "sys_exec",
    "pg_terminate_backend",
    "alter system",
    "drop ",
    "truncate ",
    "delete from",
    "dropdatabase",
    "drop(",
    "deletemany",
    "deleteone",
    "remove(",
    ".shell ",
    ".system ",
    "\\!",
    "system rm",
    "from program",
    "to program",
];
/// The same in the language of mongosh, without blanks.
const OF_MONGO: &[&str] = &[
    "updatemany({},",
    "update({},",
    "replaceone({},",
    "findoneanddelete",
    "findoneandremove",
    "findandmodify(",
    "dropindex",
    "dropcollection",
    "dropuser",
    "renamecollection(",
    "bulkwrite(",
    "{$out",
    "{$merge",
    "shutdownserver",
    "load(",
    "db._drop",
];
/// Commands of Redis that take data away, in lower case.
const OF_REDIS: &[&str] = &[
    "flushall",
    "flushdb",
    "shutdown",
    "del",
    "unlink",
    "getdel",
    "hdel",
    "srem",
    "zrem",
    "lrem",
    "xdel",
    "ltrim",
    "xtrim",
    "swapdb",
    "replicaof",
    "slaveof",
    "migrate",
    "json.del",
    "zremrangebyscore",
    "zremrangebyrank",
];
/// The same of two words.
const PAIRS_OF_REDIS: &[(&str, &str)] = &[
    ("config", "set"),
    ("config", "rewrite"),
    ("script", "flush"),
    ("function", "flush"),
    ("function", "delete"),
    ("cluster", "reset"),
    ("acl", "deluser"),
    ("module", "load"),
];

/// Whether one of these words or scripts takes data out of Redis. In lower case.
pub fn of_redis(texts: impl Iterator<Item = String>) -> bool {
    let words: Vec<String> = texts
        .flat_map(|text| {
            let is_text = text.contains(|at: char| at.is_whitespace() || "'\"(".contains(at));
            let between =
                move |at: char| is_text && !at.is_alphanumeric() && at != '.' && at != '_';
            text.split(between).map(str::to_owned).collect::<Vec<_>>()
        })
        .filter(|word| !word.is_empty())
        .collect();
    let is_pair = |pair: &[String]| match pair {
        [one, two] => PAIRS_OF_REDIS
            .iter()
            .any(|(first, second)| first == one && second == two),
        _ => false,
    };
    words
        .iter()
        .any(|word| OF_REDIS.contains(&word.as_str()) || word == "--pipe")
        || words.windows(2).any(is_pair)
}

/// Whether a text holds a statement that takes data away.
pub fn destroys(text: &str) -> bool {
    let lower = text.to_lowercase();
    let spaced = lower.split_whitespace().collect::<Vec<_>>().join(" ") + " ";
    let mut lines = lower.lines().map(str::trim_start);
    let runs = |line: &str| RUNS_A_FILE.iter().any(|start| line.starts_with(start));
    let squeezed: String = lower.split_whitespace().collect();
    lines.any(runs)
        || REACHES_OUT.iter().any(|word| spaced.contains(word))
        || OF_MONGO.iter().any(|word| squeezed.contains(word))
        || takes_away(&tokens(&lower))
}

/// `drop x`, `truncate x`, `delete`, and an `update` of every row.
fn takes_away(tokens: &[&str]) -> bool {
    (0..tokens.len()).any(|place| {
        let before = place.checked_sub(1).and_then(|at| tokens.get(at));
        let before = before.copied().unwrap_or_default();
        let rest = tokens.get(place + 1..).unwrap_or_default();
        let is_word_next = || {
            rest.first()
                .is_some_and(|next| next.starts_with(|at: char| at.is_alphanumeric() || at == '_'))
        };
        match tokens.get(place).copied().unwrap_or_default() {
            _ if before == "." => false,
            "drop" | "truncate" => is_word_next(),
            // Of a trigger, of a foreign key, of rights.
            "delete" => !matches!(
                before,
                "on" | "before" | "after" | "or" | "grant" | "revoke" | ","
            ),
            "update" => {
                !matches!(
                    before,
                    "on" | "for"
                        | "do"
                        | "key"
                        | "before"
                        | "after"
                        | "or"
                        | "grant"
                        | "revoke"
                        | ","
                ) && is_of_every_row(rest)
            }
            _ => false,
        }
    })
}

/// Whether an `update` has a `set` and no `where` of its own.
fn is_of_every_row(rest: &[&str]) -> bool {
    let (mut depth, mut sets) = (0_usize, false);
    for token in rest {
        match *token {
            ";" if depth == 0 => break,
            "(" => depth += 1,
            ")" => match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => break,
            },
            "set" if depth == 0 => sets = true,
            "where" if depth == 0 => return false,
            _ => {}
        }
    }
    sets
}

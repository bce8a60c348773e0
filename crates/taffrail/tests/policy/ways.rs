//! Ways to run a command line out of another one, put into each other.

/// `%` stands for the line as it is, `@` for the line in single quotes.
const WAYS: &[&str] = &[
    "%",
    "ls; %",
    "ls && %",
    "true || ls; %",
    "ls | %",
    "%\nls",
    "ls\n%",
    "{ %\n}",
    "( % )",
    "! %",
    "! ! true; %",
    "time %",
    "if true; then %\nfi",
    "if %\nthen ls; fi",
    "for x in a; do %\ndone",
    "while %\ndo break; done",
    "case a in a) %\n;; esac",
    "f() { %\n}; f",
    "echo \"$(%)\"",
    "echo $(%)",
    "x=$(%)",
    "ls $(%) a",
    "ls <(%)",
    "ls > >(%)",
    "echo \"${x:-$(%)}\"",
    "echo $(( $(%) ))",
    "[[ $(%) ]]",
    "cat <<X\n$(%)\nX",
    "[[ -v 'x[$(%)]' ]]",
    "x='$(%)'; echo \"${x@P}\"",
    "bash -c @",
    "sh -c @",
    "bash -c -- @",
    "bash -e -c @",
    "env bash -c @",
    "timeout 5 sh -c @",
    "bash -s <<< @",
    "sh <<< @",
    "bash <<'X'\n%\nX",
    "sh <<X\n%\nX",
    "eval @",
    "eval \"$(%)\"",
    "source /dev/stdin <<< @",
    "trap @ EXIT",
    "coproc %",
    "% &\nwait",
    "export x=$(%)",
    "exec %",
    "command eval @",
    "read 'x[$(%)]' <<< a",
    "ls \\\n; %",
    "ls # a \\\n%",
];

/// Lines that run this one, each through so many ways, by a generator with a fixed beginning.
pub fn lines(core: &str, count: usize, most: usize) -> Vec<String> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % below as u64).unwrap()
    };
    let line = |at: usize| {
        let through = |inner: String, way: &str| {
            let quoted = format!("'{}'", inner.replace('\'', "'\\''"));
            way.split('@')
                .map(|part| part.replace('%', &inner))
                .collect::<Vec<_>>()
                .join(&quoted)
        };
        let first = through(core.to_owned(), WAYS[at % WAYS.len()]);
        (0..next(most)).fold(first, |inner, _| through(inner, WAYS[next(WAYS.len())]))
    };
    (0..count).map(line).collect()
}

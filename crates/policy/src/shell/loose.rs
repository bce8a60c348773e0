//! Programs that run what they are told in a way of their own: `docker exec`, `ssh`, `watchexec`, an editor's `:!`.
//!
//! Where exactly a command begins in their words is not followed. Each word that could be the name of something
//! destructive is taken for one, within words with blanks too; that only ever makes an answer stricter.

use super::tree::Word;
use super::{destructive, git};

/// So many words are tried for the name of a command.
const MOST_GUESSES: usize = 48;
/// So many words after a name are taken for its arguments.
const MOST_ARGUMENTS: usize = 24;

/// Programs whose words may be a command, or hold one: on other machines and in containers; in environments of
/// languages; again, side by side or later; with another root, owner or library; terminals.
const CARRIERS: &[&str] = &[
    "ssh autossh mosh sshpass pdsh scp sftp rsync docker docker-compose podman podman-compose nerdctl lxc lxc-attach incus \
     machinectl distrobox toolbox kubectl oc ansible salt vagrant fly flyctl heroku wsl adb",
    "npm pnpm yarn bun bunx npx pnpx corepack poetry uv uvx pipenv pipx pdm hatch rye conda mamba micromamba nix nix-shell \
     guix bundle rbenv pyenv nodenv asdf mise direnv dotenv dotenvx env-cmd cross-env cross-env-shell concurrently doppler",
    "parallel watchexec watch entr nodemon chokidar hyperfine multitime tmux screen zellij expect at batch crontab \
     systemd-run launchctl start-stop-daemon daemonize pm2 supervisorctl pee ifne timelimit retry run-one flock perf",
    "proot fakeroot fakechroot setarch linux32 linux64 arch catchsegv tini dumb-init chpst envdir setlock setuidgid \
     s6-setuidgid sandbox-exec dtruss faketime torsocks torify proxychains proxychains4 ssh-agent dbus-launch xvfb-run \
     cgexec numactl nsenter chroot unshare bwrap firejail script rlwrap valgrind caffeinate run-parts sem",
    "xterm gnome-terminal konsole kitty alacritty wezterm foot rr cmd powershell pwsh",
];
/// Programs that may be given a command in one word with blanks, and whose other words are names: editors, pagers,
/// debuggers; those with a flag for a command; those of the shell itself.
const TOLD_IN_A_TEXT: &[&str] = &[
    "vi vim nvim view vimdiff ex ed emacs emacsclient nano less more most man gdb lldb",
    "tar gtar bsdtar zip make gmake socat nc ncat netcat go cargo apt apt-get sqlite3 sqlite psql mysql mariadb awk gawk \
     mawk nawk osascript",
    "alias bind complete mapfile readarray history",
];
/// Variables whose values programs run, by how their names end.
const RUN_AS_COMMAND: &str = "PAGER EDITOR VISUAL COMMAND _CMD WRAPPER _DIFF ASKPASS _SSH OPEN CLOSE BROWSER SHELL ENV CC CXX RSH \
                              PS1 PS4 RUNNER";

/// Whether a program may be given a command in one word with blanks, or in what comes in.
pub fn is_told_in_a_text(name: &str) -> bool {
    TOLD_IN_A_TEXT
        .iter()
        .any(|names| names.split(' ').any(|at| at == name))
}

/// Whether the words of a program may be a command, or hold one.
pub fn is_carrier(name: &str) -> bool {
    let names = CARRIERS.iter().flat_map(|names| names.split(' '));
    is_told_in_a_text(name) || names.into_iter().any(|at| at == name)
}

/// What the words of a carrier could destroy; none for every other program.
pub fn about(name: &str, arguments: &[Word]) -> Option<&'static str> {
    let bare = name.strip_suffix(".exe").unwrap_or(name);
    let is_in = |list: &[&str]| {
        list.iter()
            .any(|names| names.split(' ').any(|at| at == bare))
    };
    if is_told_in_a_text(bare) {
        return in_texts(arguments);
    }
    if !is_in(CARRIERS) || names_a_script(bare, arguments) {
        return None;
    }
    in_words(arguments)
}

/// `npm run wipe` runs what the project calls so, which is no worse than `npm test`.
fn names_a_script(name: &str, arguments: &[Word]) -> bool {
    let first = arguments
        .iter()
        .map(Word::text)
        .find(|text| !text.starts_with(b"-"));
    let managers = ["npm", "pnpm", "yarn", "bun"];
    managers.contains(&name) && !matches!(first, Some(b"exec" | b"x" | b"dlx"))
}

/// What a variable could destroy that is set for what follows.
pub fn in_setting(name: &[u8], value: &Word) -> Option<&'static str> {
    let mut ends = RUN_AS_COMMAND.split(' ');
    if !ends.any(|end| name.ends_with(end.as_bytes())) {
        return None;
    }
    in_words(std::slice::from_ref(value))
}

/// What the words could destroy, each of them taken for the name of a command.
pub fn in_words(words: &[Word]) -> Option<&'static str> {
    guess(words).or_else(|| in_texts(words))
}

fn in_texts(words: &[Word]) -> Option<&'static str> {
    let texts = words.iter().map(Word::text).filter(|text| is_text(text));
    let mut commands = texts.take(MOST_GUESSES).flat_map(|text| {
        let mut commands = split(text);
        commands.push(unquoted(text));
        commands
    });
    commands.find_map(|words| guess(&words))
}

/// A word that holds more than a name.
fn is_text(word: &[u8]) -> bool {
    word.iter()
        .any(|byte| is_between(*byte) || byte.is_ascii_whitespace())
}

/// What stands between commands, or before the first one: `exec=…`, `EXEC:…`, `:!…`.
fn is_between(byte: u8) -> bool {
    b";|&(){}<>\"'`\n=:!+".contains(&byte)
}

fn split(text: &[u8]) -> Vec<Vec<Word>> {
    let commands = text.split(|byte| is_between(*byte)).take(MOST_GUESSES);
    let words = |command: &[u8]| {
        let words = command.split(u8::is_ascii_whitespace);
        let words = words.filter(|word| !word.is_empty());
        words.take(MOST_ARGUMENTS).map(Word::read).collect()
    };
    commands.map(words).collect()
}

/// The words of a text as a shell would split it, a quoted one in one piece.
fn unquoted(text: &[u8]) -> Vec<Word> {
    let (mut words, mut word, mut quote) = (Vec::new(), Vec::new(), None);
    for byte in text.iter().chain([&b' ']) {
        match (quote, byte) {
            (Some(open), byte) if open == byte => quote = None,
            (None, b'\'' | b'"') => quote = Some(byte),
            (None, byte) if byte.is_ascii_whitespace() => words.push(std::mem::take(&mut word)),
            (_, byte) => word.push(*byte),
        }
    }
    let words = words.into_iter().filter(|word: &Vec<u8>| !word.is_empty());
    let certain = |word: Vec<u8>| Word {
        raw: word.clone(),
        value: Some(word),
    };
    words.take(MOST_ARGUMENTS).map(certain).collect()
}

fn guess(words: &[Word]) -> Option<&'static str> {
    (0..words.len().min(MOST_GUESSES)).find_map(|place| {
        let (name, rest) = words.get(place..)?.split_first()?;
        let name = name.text().rsplit(|byte| *byte == b'/').next()?;
        let rest = rest.get(..MOST_ARGUMENTS).unwrap_or(rest);
        match String::from_utf8_lossy(name).as_ref() {
            "git" => git::destroys(rest),
            name => destructive::about(name, rest),
        }
    })
}

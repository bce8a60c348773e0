//! The grammar's tree of a command line as values of ours: every command that stands anywhere in it, and everything
//! that keeps the line from being plain.

use std::ops::{ControlFlow, Range};

use tree_sitter::{Node, ParseOptions, ParseState, Parser};

use super::oddity::oddity;
use super::word::static_value;
use crate::reason::{Reason, Why};

/// Nested deeper than this a line is not looked into.
pub(super) const DEEPEST: usize = 40;
/// Reports of progress that the grammar may take, of 100 operations each: some milliseconds. Beyond it a line is too much.
const MOST_PROGRESS: usize = 200;
/// Commands that are looked at. A line with more of them is too long.
pub const MOST_COMMANDS: usize = 256;

/// One word of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// As it stands in the text.
    pub raw: Vec<u8>,
    /// What bash makes of it, where that is certain.
    pub value: Option<Vec<u8>>,
}

impl Word {
    /// A word as it stands in the text.
    pub fn read(raw: &[u8]) -> Self {
        Self {
            raw: raw.to_vec(),
            value: static_value(raw).ok(),
        }
    }

    /// The value, else the text.
    pub fn text(&self) -> &[u8] {
        self.value.as_deref().unwrap_or(&self.raw)
    }
}

/// One command.
#[derive(Debug, Clone)]
pub struct Command {
    /// Its name and arguments.
    pub words: Vec<Word>,
    /// The commands that stand inside of its own words, by their places in [`Tree::commands`].
    pub inside: Range<usize>,
}

/// One redirection to or from a file.
#[derive(Debug, Clone)]
pub struct Redirect {
    /// It writes.
    pub writes: bool,
    /// It takes away what was there: `>` and `>|`, not `>>`.
    pub truncates: bool,
    /// The file.
    pub target: Word,
    /// Nothing is run whose output it would take.
    pub alone: bool,
}

/// What was found.
#[derive(Debug, Clone, Default)]
pub struct Tree {
    /// In the order of the text.
    pub commands: Vec<Command>,
    /// For each pipe: the commands of each of its stages.
    pub pipes: Vec<Vec<Range<usize>>>,
    /// Every file that is redirected to or from.
    pub redirects: Vec<Redirect>,
    /// Here-documents and here-strings, as they stand.
    pub texts: Vec<Vec<u8>>,
    /// What stands between backticks where the grammar sees no command: in here-documents and in `${x:-…}`.
    pub hidden: Vec<Vec<u8>>,
    /// Variables that are set, each with its value.
    pub settings: Vec<(Vec<u8>, Word)>,
    /// A function runs itself.
    pub is_endless: bool,
    /// What is not plain.
    pub odd: Vec<Reason>,
    /// It cannot be said what would be run.
    pub is_opaque: bool,
}

/// Parses the bytes. They are text without control characters, and within the limit on length.
pub fn read(text: &[u8]) -> Tree {
    let mut walk = Walk {
        text,
        tree: Tree::default(),
        latest: None,
    };
    match parse(text) {
        Some(tree) => {
            if tree.root_node().has_error() {
                walk.opaque(Why::ParseError);
            }
            walk.visit(tree.root_node(), 0);
        }
        None => walk.opaque(Why::TooDeep),
    }
    walk.tree
}

fn parse(text: &[u8]) -> Option<tree_sitter::Tree> {
    let mut parser = Parser::new();
    parser
        .set_language(&tree_sitter_bash::LANGUAGE.into())
        .ok()?;
    let mut reports = 0;
    let mut progress = |_: &ParseState| {
        reports += 1;
        if reports > MOST_PROGRESS {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let mut read = |at: usize, _| text.get(at..).unwrap_or_default();
    parser.parse_with_options(&mut read, None, Some(options))
}

/// The walk through the grammar's tree.
pub(super) struct Walk<'a> {
    pub(super) text: &'a [u8],
    pub(super) tree: Tree,
    /// The command that stands last so far, those inside of words aside.
    latest: Option<usize>,
}

impl Walk<'_> {
    pub(super) fn bytes(&self, node: Node<'_>) -> &[u8] {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    fn odd(&mut self, why: Why, node: Node<'_>) {
        if self.tree.odd.len() < MOST_COMMANDS {
            let reason = Reason::of(why, self.bytes(node));
            self.tree.odd.push(reason);
        }
    }

    fn opaque(&mut self, why: Why) {
        self.tree.odd.push(Reason::new(why, ""));
        self.tree.is_opaque = true;
    }

    fn visit(&mut self, node: Node<'_>, depth: usize) {
        if depth > DEEPEST || self.tree.commands.len() > MOST_COMMANDS {
            return self.opaque(Why::TooDeep);
        }
        match node.kind() {
            "program" => self.children(node, depth),
            "list" => self.list(node, depth),
            "pipeline" => self.pipeline(node, depth),
            "command" => self.command(node, depth),
            "redirected_statement" => self.redirected(node, depth),
            "file_redirect" => self.redirect(node, depth),
            "word" | "raw_string" | "number" | "concatenation" | "string" | "string_content"
            | "command_name" => self.word(node, depth),
            "&&" | "||" | ";" | "|" | "\n" => {}
            kind => {
                self.odd(oddity(kind), node);
                self.tree.is_opaque |= node.is_error() || node.is_missing();
                self.remember(kind, node);
                self.children(node, depth);
                if kind == "function_definition" {
                    self.function(node);
                }
            }
        }
    }

    fn children(&mut self, node: Node<'_>, depth: usize) {
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.children(&mut cursor).collect();
        for child in children {
            self.visit(child, depth + 1);
        }
    }

    /// A chain of `&&` and `||` is a list in a list for each of its commands: it is long, not deep.
    fn list(&mut self, node: Node<'_>, depth: usize) {
        let mut rest = vec![node];
        while let Some(node) = rest.pop() {
            if node.kind() == "list" {
                let mut cursor = node.walk();
                let children: Vec<Node<'_>> = node.children(&mut cursor).collect();
                rest.extend(children.into_iter().rev());
            } else {
                self.visit(node, depth + 1);
            }
        }
    }

    fn pipeline(&mut self, node: Node<'_>, depth: usize) {
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.children(&mut cursor).collect();
        let mut stages = Vec::new();
        for child in children {
            let before = self.tree.commands.len();
            self.visit(child, depth + 1);
            if child.is_named() {
                stages.push(before..self.tree.commands.len());
            }
        }
        self.tree.pipes.push(stages);
    }

    fn command(&mut self, node: Node<'_>, depth: usize) {
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.children(&mut cursor).collect();
        let is_word = |child: &Node<'_>| {
            child.is_named()
                && !matches!(
                    child.kind(),
                    "variable_assignment"
                        | "file_redirect"
                        | "herestring_redirect"
                        | "heredoc_redirect"
                        | "comment"
                )
        };
        let words = children
            .iter()
            .filter(|child| is_word(child) && !self.is_descriptor(**child));
        let words = words.map(|child| Word::read(self.bytes(*child))).collect();
        let place = self.tree.commands.len();
        self.tree.commands.push(Command {
            words,
            inside: place + 1..place + 1,
        });
        for child in children {
            self.latest = Some(place);
            self.visit(child, depth + 1);
        }
        self.latest = Some(place);
        let end = self.tree.commands.len();
        if let Some(command) = self.tree.commands.get_mut(place) {
            command.inside = place + 1..end;
        }
    }

    /// A redirection changes nothing of what its command is; the target is looked at where it stands.
    fn redirected(&mut self, node: Node<'_>, depth: usize) {
        let before = self.tree.redirects.len();
        self.children(node, depth);
        let body = node.child_by_field_name("body");
        // The grammar may take a whole list for the body; the redirection is of its last command.
        let last = body.and_then(|body| {
            let mut commands = self.bytes(body).rsplit(|byte| b";&|\n".contains(byte));
            commands.next().map(<[u8]>::trim_ascii)
        });
        let runs_nothing = last.is_none_or(puts_out_nothing);
        for redirect in self.tree.redirects.iter_mut().skip(before) {
            redirect.alone |= runs_nothing;
        }
    }

    fn redirect(&mut self, node: Node<'_>, depth: usize) {
        let mut cursor = node.walk();
        let operator = node
            .children(&mut cursor)
            .find(|child| !child.is_named())
            .map_or("", |child| child.kind());
        self.words_behind(node, "destination", 1);
        let Some(target) = node.child_by_field_name("destination") else {
            return self.odd(Why::Redirection, node);
        };
        let word = Word::read(self.bytes(target));
        let is_copy = matches!(operator, ">&" | "<&" | ">&-" | "<&-");
        let is_nothing = match word.value.as_deref() {
            Some(b"/dev/null") => !is_copy,
            Some(b"0" | b"1" | b"2" | b"-") => is_copy,
            _ => false,
        };
        if !is_nothing {
            self.odd(Why::Redirection, node);
            self.tree.redirects.push(Redirect {
                writes: operator != "<" && operator != "<&",
                truncates: matches!(operator, ">" | ">|" | "&>"),
                target: word,
                alone: self.begins_line(node),
            });
        }
        self.visit(target, depth + 1);
    }

    /// What follows a redirection is a word of the command that it is of: `rm >out -rf x`. The grammar takes it for a part
    /// of the redirection.
    pub(super) fn words_behind(&mut self, node: Node<'_>, field: &str, skipped: usize) {
        let mut cursor = node.walk();
        let words: Vec<Node<'_>> = node
            .children_by_field_name(field, &mut cursor)
            .skip(skipped)
            .collect();
        for word in words {
            let read = Word::read(self.bytes(word));
            let command = self.latest.and_then(|at| self.tree.commands.get_mut(at));
            match command {
                Some(command) => command.words.push(read),
                None => return self.opaque(Why::Redirection),
            }
            self.visit(word, DEEPEST / 2);
        }
    }

    /// `0` in `0<&3 rm x`, which the grammar takes for the name of a command.
    fn is_descriptor(&self, node: Node<'_>) -> bool {
        let next = self.text.get(node.end_byte());
        node.kind() == "command_name"
            && self.bytes(node).iter().all(u8::is_ascii_digit)
            && matches!(next, Some(b'<' | b'>'))
    }

    /// The grammar joins a redirection at the beginning of a line to the command of the line before; the shell does not.
    fn begins_line(&self, node: Node<'_>) -> bool {
        let before = self.text.get(..node.start_byte()).unwrap_or_default();
        let mut lines = before.rsplit(|byte| *byte == b'\n');
        let starts = lines
            .next()
            .is_some_and(|line| line.trim_ascii().is_empty());
        starts && lines.next().is_some_and(|line| !line.ends_with(b"\\"))
    }

    /// A word: what it holds is looked into only where it has no certain value.
    fn word(&mut self, node: Node<'_>, depth: usize) {
        let Err(why) = static_value(self.bytes(node)) else {
            return;
        };
        self.odd(why, node);
        self.inside_word(node, depth);
    }

    /// The commands that stand inside of a word.
    fn inside_word(&mut self, node: Node<'_>, depth: usize) {
        if depth > DEEPEST {
            return self.opaque(Why::TooDeep);
        }
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.children(&mut cursor).collect();
        for child in children {
            match child.kind() {
                "command_substitution" | "process_substitution" => self.visit(child, depth + 1),
                kind => {
                    self.tree.is_opaque |= child.is_error() || child.is_missing();
                    if kind == "expansion" {
                        self.expansion(child);
                    }
                    self.inside_word(child, depth + 1);
                }
            }
        }
    }
}

/// What leaves a file empty that it is redirected to.
fn puts_out_nothing(command: &[u8]) -> bool {
    let words = command.split(u8::is_ascii_whitespace);
    let words: Vec<&[u8]> = words.filter(|word| !word.is_empty()).collect();
    let is_empty = |words: &[&[u8]]| words.iter().all(|word| matches!(*word, b"''" | b"\"\""));
    match words.as_slice() {
        [] | [b":" | b"true"] | [b"cat", b"/dev/null"] => true,
        [b"echo", b"-n" | b"-ne" | b"-en", rest @ ..] | [b"printf", rest @ ..] => is_empty(rest),
        _ => false,
    }
}

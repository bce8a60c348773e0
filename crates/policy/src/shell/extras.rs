//! What of an odd node of the grammar matters beyond its being odd: texts that could be run, variables, functions.

use tree_sitter::Node;

use super::tree::{Command, DEEPEST, MOST_COMMANDS, Walk, Word};

impl Walk<'_> {
    /// What of an odd node matters beyond its being odd.
    pub(super) fn remember(&mut self, kind: &str, node: Node<'_>) {
        match kind {
            "declaration_command" | "unset_command" => self.declaration(node),
            "heredoc_redirect" => {
                self.words_behind(node, "argument", 0);
                self.here_document(node);
            }
            "herestring_redirect" => {
                let text = node.named_child(0).map(|child| self.bytes(child));
                let text = text.map(|text| Word::read(text).text().to_vec());
                self.tree.texts.extend(text);
            }
            "variable_assignment" => {
                let of = |field| node.child_by_field_name(field).map(|at| self.bytes(at));
                if let (Some(name), Some(value)) = (of("name"), of("value")) {
                    let setting = (name.to_vec(), Word::read(value));
                    self.tree.settings.push(setting);
                }
            }
            "expansion" => self.expansion(node),
            "command_substitution" => self.nested_backticks(node),
            "test_command" => self.test(node),
            _ => {}
        }
    }

    /// With a quoted word at its start nothing of it is expanded.
    fn here_document(&mut self, node: Node<'_>) {
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.children(&mut cursor).collect();
        let is_quoted = children.iter().any(|child| {
            let text = self.bytes(*child);
            child.kind() == "heredoc_start" && text.iter().any(|byte| b"'\"\\".contains(byte))
        });
        for body in children.iter().filter(|at| at.kind() == "heredoc_body") {
            self.tree.texts.push(self.bytes(*body).to_vec());
            if !is_quoted {
                self.hidden(*body);
            }
        }
    }

    /// `[[ -v 'x[$(…)]' ]]` runs what the quotes hold.
    fn test(&mut self, node: Node<'_>) {
        let text = self.bytes(node);
        let substitutes = |at: &[u8]| at == b"$(" || at.first() == Some(&b'`');
        let quoted = text.split(|byte| *byte == b'\'').skip(1).step_by(2);
        let mut quoted = quoted.filter(|text| text.contains(&b'['));
        self.tree.is_opaque |= quoted.any(|text| text.windows(2).any(substitutes));
    }

    /// `${x@P}` runs what the value holds.
    pub(super) fn expansion(&mut self, node: Node<'_>) {
        self.tree.is_opaque |= self.bytes(node).ends_with(b"@P}");
        self.hidden(node);
    }

    /// Backticks with escaped ones inside: the grammar does not look into these.
    fn nested_backticks(&mut self, node: Node<'_>) {
        let text = self.bytes(node);
        let inside = text
            .strip_prefix(b"`")
            .and_then(|text| text.strip_suffix(b"`"));
        let Some(inside) = inside.filter(|text| text.windows(2).any(|pair| pair == b"\\`")) else {
            return;
        };
        let mut meant = Vec::with_capacity(inside.len());
        let mut rest = inside.iter();
        while let Some(byte) = rest.next() {
            match rest.as_slice().first() {
                Some(b'`' | b'\\' | b'$') if *byte == b'\\' => meant.extend(rest.next()),
                _ => meant.push(*byte),
            }
        }
        if self.tree.hidden.len() < MOST_COMMANDS {
            self.tree.hidden.push(meant);
        }
    }

    /// The texts between backticks.
    fn hidden(&mut self, node: Node<'_>) {
        let texts = self.bytes(node).split(|byte| *byte == b'`');
        let texts: Vec<Vec<u8>> = texts.skip(1).step_by(2).map(<[u8]>::to_vec).collect();
        let room = MOST_COMMANDS.saturating_sub(self.tree.hidden.len());
        self.tree.hidden.extend(texts.into_iter().take(room));
    }

    /// A function that runs itself has no end: mostly a bomb.
    pub(super) fn function(&mut self, node: Node<'_>) {
        let name = node.child_by_field_name("name").map(|at| self.bytes(at));
        let (Some(name), Some(body)) = (name, node.child_by_field_name("body")) else {
            return;
        };
        self.tree.is_endless |= self.runs(body, name, 0);
    }

    fn runs(&self, node: Node<'_>, name: &[u8], depth: usize) -> bool {
        if depth > DEEPEST || node.kind() == "command_name" {
            return self.bytes(node) == name;
        }
        let mut cursor = node.walk();
        node.children(&mut cursor)
            .any(|child| self.runs(child, name, depth + 1))
    }

    /// `export` and its kin, so that they are named among the commands.
    fn declaration(&mut self, node: Node<'_>) {
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.children(&mut cursor).collect();
        let words = children.iter().map(|child| Word::read(self.bytes(*child)));
        let words = words.collect();
        let place = self.tree.commands.len() + 1;
        self.tree.commands.push(Command {
            words,
            inside: place..place,
        });
    }
}

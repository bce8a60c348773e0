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
    "</memory>",
    "</memories>",
    "</context>",
    "</data>",
    "</untrusted>",
    "</notebook>",
    "</recall>",
    "\"role\":\"system\"",
    "\"role\": \"system\"",
    "'role': 'system'",
    "\"role\":\"assistant\"",
    "\"role\": \"assistant\"",
    "\"role\":\"developer\"",
    "\"role\": \"developer\"",
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
    } else if has(ROLE_SIGNS) || has_token(&read) || read.lines().any(is_spoken) {
        Some(Reason::Role)
    } else {
        None
    }
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

/// `System: Debian 12, kernel 6.1`, `Agent: codex 0.42`: a value of a form is short, and nobody is spoken to in it.
fn is_value(said: &str) -> bool {
    let words: Vec<&str> = said.split_whitespace().collect();
    let has_number = said.bytes().any(|it| it.is_ascii_digit());
    let longest = if has_number { 6 } else { 3 };
    let speaks = |word: &&str| matches!(*word, "you" | "your" | "must" | "ignore" | "all" | "now");
    !words.is_empty() && words.len() <= longest && said.is_ascii() && !words.iter().any(speaks)
}

//! What a node of the grammar is called in a reason.

use crate::reason::Why;

/// The word for a kind of node.
pub fn oddity(kind: &str) -> Why {
    match kind {
        "simple_expansion"
        | "expansion"
        | "arithmetic_expansion"
        | "ansi_c_string"
        | "translated_string"
        | "special_variable_name"
        | "variable_name" => Why::Expansion,
        "command_substitution" | "process_substitution" => Why::Substitution,
        "brace_expression" => Why::Braces,
        "extglob_pattern" | "regex" => Why::Glob,
        "comment" => Why::Comment,
        "variable_assignment" | "variable_assignments" => Why::Assignment,
        "heredoc_redirect"
        | "herestring_redirect"
        | "heredoc_body"
        | "heredoc_start"
        | "heredoc_end" => Why::HereDocument,
        "&" => Why::Background,
        "ERROR" => Why::ParseError,
        "declaration_command" | "unset_command" => Why::Environment,
        "subshell"
        | "compound_statement"
        | "if_statement"
        | "while_statement"
        | "for_statement"
        | "c_style_for_statement"
        | "case_statement"
        | "function_definition"
        | "negated_command"
        | "test_command"
        | "do_group"
        | "elif_clause"
        | "else_clause"
        | "case_item" => Why::Compound,
        _ => Why::Unknown,
    }
}

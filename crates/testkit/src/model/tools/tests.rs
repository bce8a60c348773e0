use super::*;

fn tool(name: &str, schema: Value) -> Tool {
    Tool {
        name: name.to_owned(),
        schema,
    }
}

fn gemini_like() -> Vec<Tool> {
    vec![
        tool(
            "write_file",
            json!({"properties": {
            "file_path": {"type": "string", "description": "The path"},
            "content": {"type": "string"}}, "required": ["file_path", "content"]}),
        ),
        tool(
            "replace",
            json!({"properties": {
            "file_path": {"type": "string"}, "instruction": {"type": "string"},
            "old_string": {"type": "string"}, "new_string": {"type": "string"},
            "allow_multiple": {"type": "boolean"}},
            "required": ["file_path", "instruction", "old_string", "new_string"]}),
        ),
    ]
}

#[test]
fn parameters_get_their_own_names_and_required_ones_a_value() {
    let part = call_for(&Act::edit("a", "x", "y"), &gemini_like(), None);
    let expect =
        json!({"file_path": "a", "old_string": "x", "new_string": "y", "instruction": "x"});
    assert_eq!(
        part,
        Part::Call {
            tool: "replace".to_owned(),
            arguments: expect
        }
    );
}

#[test]
fn a_path_becomes_absolute_only_where_the_tool_asks_for_it() {
    let mut tools = gemini_like();
    let Part::Call { arguments, .. } = call_for(&Act::write("a", "c"), &tools, Some("/w")) else {
        panic!()
    };
    assert_eq!(arguments["file_path"], "a");
    tools[0].schema["properties"]["file_path"]["description"] = json!("The absolute path");
    let Part::Call { arguments, .. } = call_for(&Act::write("a", "c"), &tools, Some("/w")) else {
        panic!()
    };
    assert_eq!(arguments["file_path"], "/w/a");
}

#[test]
fn an_agent_with_only_a_shell_gets_shell_commands() {
    let schema = json!({"properties": {"cmd": {"type": "string"}}, "required": ["cmd"]});
    let tools = vec![tool("ns__exec_command", schema)];
    let table = [
        (
            Act::write("it's", "a'b\n"),
            "printf %s 'a'\\''b\n' > 'it'\\''s'",
        ),
        (Act::edit("f", "a/b", "c&d"), r"sed -i 's/a\/b/c\&d/' 'f'"),
        (Act::read("f"), "cat 'f'"),
        (Act::shell("ls -l"), "ls -l"),
    ];
    for (act, command) in table {
        let arguments = json!({"cmd": command});
        let expect = Part::Call {
            tool: "ns__exec_command".to_owned(),
            arguments,
        };
        assert_eq!(call_for(&act, &tools, None), expect);
    }
    assert!(!call_for(&Act::shell("ls"), &[], None).is_call());
}

#[test]
fn one_editor_with_verbs_is_called_with_the_verb() {
    let schema = json!({"properties": {
        "command": {"enum": ["view", "create", "str_replace"]}, "path": {"type": "string"},
        "file_text": {"type": "string"}, "old_str": {"type": "string"}, "new_str": {"type": "string"}},
        "required": ["command", "path"]});
    let tools = vec![tool("str_replace_editor", schema)];
    for (act, verb) in [
        (Act::write("a", "b"), "create"),
        (Act::edit("a", "b", "c"), "str_replace"),
        (Act::read("a"), "view"),
    ] {
        let Part::Call { arguments, .. } = call_for(&act, &tools, None) else {
            panic!("{act:?}")
        };
        assert_eq!(arguments["command"], verb);
    }
}

#[test]
fn an_example_follows_its_schema() {
    let schema = json!({"type": "OBJECT", "required": ["a", "b", "c", "d"], "properties": {
        "a": {"enum": ["first", "second"]}, "b": {"type": ["null", "integer"]}, "c": {"type": "BOOLEAN"},
        "d": {"type": "array"}, "e": {"type": "string"}}});
    assert_eq!(
        example(&schema),
        json!({"a": "first", "b": 1, "c": false, "d": []})
    );
}

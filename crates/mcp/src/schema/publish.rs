//! The schema as JSON Schema, draft 2020-12. Without `$schema`: that draft is what the protocol takes for granted, and
//! some clients' validators refuse a name that they do not have at hand.

use serde_json::{Map, Value, json};

use super::{Field, Form, Kind};

/// The JSON Schema of an object of these keys and no others.
pub(crate) fn publish(fields: &[Field]) -> Map<String, Value> {
    let mut object = Map::new();
    object.insert("type".into(), "object".into());
    let properties: Map<_, _> = fields
        .iter()
        .map(|field| (field.name.to_owned(), described(field)))
        .collect();
    object.insert("properties".into(), Value::Object(properties));
    let required: Vec<_> = fields
        .iter()
        .filter(|field| field.required)
        .map(|field| Value::from(field.name))
        .collect();
    if !required.is_empty() {
        object.insert("required".into(), Value::Array(required));
    }
    object.insert("additionalProperties".into(), Value::Bool(false));
    object
}

fn described(field: &Field) -> Value {
    let mut schema = kind(&field.kind);
    if !field.about.is_empty() {
        schema.insert("description".into(), field.about.into());
    }
    Value::Object(schema)
}

fn kind(kind: &Kind) -> Map<String, Value> {
    match kind {
        Kind::Text { min, max, form } => string(*min, *max, *form),
        Kind::Word(words) => keys(json!({"type": "string", "enum": words})),
        Kind::Integer { min, max } => integer(*min, *max),
        Kind::Number => keys(json!({"type": "number"})),
        Kind::Flag => keys(json!({"type": "boolean"})),
        Kind::List { max, of } => list(*max, of),
        Kind::Object(fields) => publish(fields),
    }
}

fn string(min: usize, max: usize, form: Form) -> Map<String, Value> {
    let mut schema = keys(json!({"type": "string"}));
    if min > 0 {
        schema.insert("minLength".into(), min.into());
    }
    if max < usize::MAX {
        schema.insert("maxLength".into(), max.into());
    }
    match form {
        Form::Any => {}
        Form::NotBlank => {
            schema.insert("pattern".into(), r"\S".into());
        }
        Form::Id => {
            schema.insert("pattern".into(), "^[A-Za-z0-9_-]+$".into());
        }
    }
    schema
}

fn integer(min: u64, max: u64) -> Map<String, Value> {
    let mut schema = keys(json!({"type": "integer", "minimum": min}));
    if max < u64::MAX {
        schema.insert("maximum".into(), max.into());
    }
    schema
}

fn list(max: usize, of: &Kind) -> Map<String, Value> {
    let mut schema = keys(json!({"type": "array", "items": kind(of)}));
    if max < usize::MAX {
        schema.insert("maxItems".into(), max.into());
    }
    schema
}

fn keys(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(keys) => keys,
        _ => Map::new(),
    }
}

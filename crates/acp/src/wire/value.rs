//! A JSON value parsed within a bound on memory, not only on bytes: two bytes of `[0,0,…]` become 32 of a value, and an
//! object of one key more than 600.

use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// Bytes that one value takes beside what it points to.
const SCALAR: usize = size_of::<Value>();
/// Bytes that the first elements of an array take: four at least.
const ARRAY: usize = 4 * SCALAR;
/// Bytes that the first node of an object takes: eleven entries of a string and a value, and its head.
const OBJECT: usize = 11 * (size_of::<String>() + SCALAR) + 16;
/// Bytes that one more entry takes beside its value.
const ENTRY: usize = size_of::<String>() + 16;

/// Why bytes did not become a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unfit {
    /// They are no JSON, not UTF-8, hold half a surrogate pair, or nest deeper than 127 levels.
    Syntax,
    /// They would take more memory than allowed.
    Heavy,
}

/// The value of `bytes`, which may take `budget` bytes of memory by the same count as [`weight`]. Of a key that is given
/// twice, the last counts.
pub fn parse(bytes: &[u8], budget: usize) -> Result<Value, Unfit> {
    let left = Cell::new(budget);
    let heavy = Cell::new(false);
    let mut from = serde_json::Deserializer::from_slice(bytes);
    let purse = Purse {
        left: &left,
        heavy: &heavy,
    };
    let value = purse.deserialize(&mut from);
    match value.and_then(|value| from.end().map(|()| value)) {
        Ok(value) => Ok(value),
        Err(_) if heavy.get() => Err(Unfit::Heavy),
        Err(_) => Err(Unfit::Syntax),
    }
}

/// About how many bytes of memory a value takes.
pub fn weight(value: &Value) -> usize {
    SCALAR
        + match value {
            Value::Null | Value::Bool(_) | Value::Number(_) => 0,
            Value::String(text) => text.len(),
            Value::Array(items) if items.is_empty() => 0,
            Value::Array(items) => ARRAY + items.iter().map(weight).sum::<usize>(),
            Value::Object(fields) if fields.is_empty() => 0,
            Value::Object(fields) => {
                let entry = |(key, value): (&String, &Value)| ENTRY + key.len() + weight(value);
                OBJECT + fields.iter().map(entry).sum::<usize>()
            }
        }
}

#[derive(Clone, Copy)]
struct Purse<'a> {
    left: &'a Cell<usize>,
    heavy: &'a Cell<bool>,
}

impl Purse<'_> {
    fn pay<E: Error>(self, bytes: usize) -> Result<(), E> {
        match self.left.get().checked_sub(bytes) {
            Some(left) => {
                self.left.set(left);
                Ok(())
            }
            None => {
                self.heavy.set(true);
                Err(E::custom("too heavy"))
            }
        }
    }
}

impl<'de> DeserializeSeed<'de> for Purse<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Value, D::Error> {
        self.pay(SCALAR)?;
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Purse<'_> {
    type Value = Value;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("a JSON value")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Value, E> {
        self.pay(text.len())?;
        Ok(text.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = from.next_element_seed(self)? {
            if items.is_empty() {
                self.pay(ARRAY)?;
            }
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Value, A::Error> {
        let mut fields = Map::new();
        while let Some(key) = from.next_key::<String>()? {
            if fields.is_empty() {
                self.pay(OBJECT)?;
            }
            self.pay(ENTRY + key.len())?;
            let value = from.next_value_seed(self)?;
            fields.insert(key, value);
        }
        Ok(Value::Object(fields))
    }
}

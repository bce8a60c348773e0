//! What the home keeps for itself by name; every change is in the journal, by its name only.

use rusqlite::{Connection, OptionalExtension, Transaction, params};
use taffrail_domain::hex;
use taffrail_memory::journal::{EventKind, Facts};
use taffrail_redact::Clean;

use crate::convert::{Fault, senseless};
use crate::writer::Durability;
use crate::{Store, StoreError, journal, random};

/// The setting that holds the home's id, in hex.
const HOME_ID: &str = "home_id";

impl Store {
    /// The value of a setting; none where it was never set.
    ///
    /// # Errors
    /// As for every read.
    pub fn setting(&self, name: &'static str) -> Result<Option<String>, StoreError> {
        self.read(|conn| value(conn, name))
    }

    /// Sets a setting. The journal holds its name.
    ///
    /// # Errors
    /// As for every write.
    pub fn set_setting(&self, name: &'static str, value: &Clean) -> Result<(), StoreError> {
        let (value, now) = (value.as_str().to_owned(), self.now());
        self.write(Durability::Full, move |transaction| {
            set(transaction, now, name, &value)
        })
    }

    /// The id of this home: sixteen random bytes, made when they are first asked for.
    ///
    /// # Errors
    /// As for every write; `Damaged` when what is on record is not an id.
    pub fn home_id(&self) -> Result<[u8; 16], StoreError> {
        if let Some(text) = self.setting(HOME_ID)? {
            return parse_id(&text).map_err(|fault| fault.at(self.path()));
        }
        let made: [u8; 16] = random::bytes()
            .map_err(|source| StoreError::io("cannot make an id for", self.path(), source))?;
        let now = self.now();
        self.write(Durability::Full, move |transaction| {
            // Another process may have made it meanwhile.
            home_id_or(transaction, now, &made)
        })
    }
}

/// The home's id, made with these bytes where there is none.
pub(crate) fn home_id_or(
    transaction: &Transaction<'_>,
    now: i64,
    made: &[u8; 16],
) -> Result<[u8; 16], Fault> {
    match value(transaction, HOME_ID)? {
        Some(text) => parse_id(&text),
        None => {
            set(transaction, now, HOME_ID, &hex(made))?;
            Ok(*made)
        }
    }
}

fn value(conn: &Connection, name: &str) -> Result<Option<String>, Fault> {
    Ok(conn
        .prepare_cached("SELECT value FROM settings WHERE name = ?1")?
        .query_row([name], |row| row.get(0))
        .optional()?)
}

fn set(
    transaction: &Transaction<'_>,
    now: i64,
    name: &'static str,
    value: &str,
) -> Result<(), Fault> {
    transaction
        .prepare_cached(
            "INSERT INTO settings (name, value, changed_at) VALUES (?1, ?2, ?3)
             ON CONFLICT (name) DO UPDATE SET value = excluded.value, changed_at = excluded.changed_at",
        )?
        .execute(params![name, value, now])?;
    let facts = Facts::new().word("setting", name);
    journal::append(transaction, now, EventKind::SettingChanged, None, &facts)?;
    Ok(())
}

fn parse_id(text: &str) -> Result<[u8; 16], Fault> {
    if text.len() != 32 {
        return Err(senseless(&"the home's id has another length").into());
    }
    let number = u128::from_str_radix(text, 16).map_err(|error| senseless(&error))?;
    Ok(number.to_be_bytes())
}

//! The Secret Service over D-Bus: GNOME Keyring, KWallet, KeePassXC.
//!
//! One thread owns the connection, because the library waits for ever where it waits; callers wait with a limit. Only
//! the default collection is used, and never one that lives in memory.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use secret_service::blocking::{Collection, Item, SecretService};
use secret_service::{EncryptionType, Error};
use taffrail_domain::Millis;
use zbus::blocking::connection::Builder;
use zbus::blocking::{Connection, fdo::DBusProxy};
use zeroize::Zeroizing;

use super::bounded::{bounded, late};
use super::{KeyringInputs, PATIENCE, Probe, SERVICE};
use crate::{Secret, SecretsError};

/// The name on the bus.
const BUS_NAME: &str = "org.freedesktop.secrets";
/// The collection that GNOME Keyring keeps in memory ends with this.
const IN_MEMORY: &str = "/session";
const BUS_ERRORS: &str = "org.freedesktop.DBus.Error.";
const IS_LOCKED: &str = "org.freedesktop.Secret.Error.IsLocked";

type Answer<T> = Result<T, SecretsError>;
type Job = Box<dyn FnOnce(&SecretService<'_>) + Send>;

pub(super) struct System {
    bus: Option<String>,
    home: String,
    prompt: Duration,
    worker: Mutex<Option<mpsc::Sender<Job>>>,
}

pub(super) fn probe(inputs: &KeyringInputs) -> Answer<Probe> {
    let address = local(inputs.bus.as_deref())?;
    bounded(PATIENCE, move || {
        let bus = connect(&address)?;
        if !is_running(&bus)? {
            return Ok(Probe {
                is_running: false,
                is_locked: None,
                is_persistent: None,
                about: "Secret Service, started at the first use".to_owned(),
            });
        }
        let service = open(bus)?;
        let collection = default(&service)?;
        let label = collection.get_label().unwrap_or_default();
        Ok(Probe {
            is_running: true,
            is_locked: Some(collection.is_locked().map_err(sorted)?),
            is_persistent: Some(true),
            about: format!("Secret Service, collection `{label}`"),
        })
    })
}

impl System {
    pub(super) fn new(inputs: &KeyringInputs) -> Self {
        Self {
            bus: inputs.bus.clone(),
            home: inputs.home.clone(),
            prompt: inputs.prompt,
            worker: Mutex::new(None),
        }
    }

    pub(super) fn reach(&self) -> Answer<()> {
        self.call(PATIENCE, |service| default(service).map(drop))
    }

    pub(super) fn get(&self, account: String) -> Answer<Option<Secret>> {
        self.unlocked(move |service| match newest(items(service, &account)?)? {
            Some(item) => Ok(Some(Secret::new(item.get_secret().map_err(sorted)?))),
            None => Ok(None),
        })
    }

    pub(super) fn set(&self, account: String, value: &Secret) -> Answer<()> {
        let value = value.duplicate();
        let home = self.home.clone();
        self.unlocked(move |service| {
            let collection = default(service)?;
            let name = account.rsplit('/').next().unwrap_or_default();
            let attributes = HashMap::from([
                ("service", SERVICE),
                ("username", account.as_str()),
                ("home", home.as_str()),
            ]);
            let kind = "application/octet-stream";
            let label = format!("{SERVICE} {name}");
            let made = collection
                .create_item(&label, attributes, value.expose(), true, kind)
                .map_err(sorted)?;
            // An older default collection may hold an entry of this name: it would come back one day.
            for other in items(service, &account)? {
                if other.item_path != made.item_path {
                    other.delete().map_err(sorted)?;
                }
            }
            let back = Zeroizing::new(made.get_secret().map_err(sorted)?);
            if *back == value.expose() {
                Ok(())
            } else {
                let cause = "it gives back something else than it was given".to_owned();
                Err(SecretsError::Refused { cause })
            }
        })
    }

    pub(super) fn remove(&self, account: String) -> Answer<bool> {
        self.unlocked(move |service| {
            let found = items(service, &account)?;
            for item in &found {
                item.delete().map_err(sorted)?;
            }
            Ok(!found.is_empty())
        })
    }

    /// Every account of this home, newest first, with the time of its value.
    pub(super) fn accounts(&self) -> Answer<Vec<(String, Option<Millis>)>> {
        let home = self.home.clone();
        self.unlocked(move |service| {
            let asked = HashMap::from([("service", SERVICE), ("home", home.as_str())]);
            let mut accounts = Vec::new();
            for item in search(service, asked)? {
                let mut attributes = item.get_attributes().map_err(sorted)?;
                let since = item.get_modified().ok().and_then(millis);
                if let Some(account) = attributes.remove("username") {
                    accounts.push((account, since));
                }
            }
            accounts.sort_by_key(|(_, since)| std::cmp::Reverse(*since));
            Ok(accounts)
        })
    }

    /// Runs it with the default collection open; asks for that once where it is locked.
    fn unlocked<T: Send + 'static>(
        &self,
        work: impl FnOnce(&SecretService<'_>) -> Answer<T> + Send + 'static,
    ) -> Answer<T> {
        let is_locked = |service: &SecretService<'_>| default(service)?.is_locked().map_err(sorted);
        if self.call(PATIENCE, is_locked)? {
            self.unlock()?;
        }
        self.call(PATIENCE, work)
    }

    fn unlock(&self) -> Answer<()> {
        if self.prompt.is_zero() {
            let why = "nobody is here to unlock it".to_owned();
            return Err(SecretsError::Locked { why });
        }
        let asked = self.call(self.prompt, |service| {
            let collection = default(service)?;
            collection.unlock().map_err(sorted)?;
            collection.ensure_unlocked().map_err(sorted)
        });
        match asked {
            // The service itself answered a moment ago, so it is the person who does not.
            Err(SecretsError::Unavailable { .. }) => Err(SecretsError::Locked {
                why: format!("not unlocked within {} s", self.prompt.as_secs()),
            }),
            other => other,
        }
    }

    /// Runs it on the thread that owns the connection. After an error or a late answer the next call begins anew.
    fn call<T: Send + 'static>(
        &self,
        limit: Duration,
        work: impl FnOnce(&SecretService<'_>) -> Answer<T> + Send + 'static,
    ) -> Answer<T> {
        let mut held = self.worker.lock().unwrap_or_else(PoisonError::into_inner);
        let worker = match held.take() {
            Some(worker) => worker,
            None => start(local(self.bus.as_deref())?)?,
        };
        let (answer, wait) = mpsc::sync_channel(1);
        let job: Job = Box::new(move |service| drop(answer.send(work(service))));
        worker.send(job).map_err(|_| late(limit))?;
        let answer = wait.recv_timeout(limit).map_err(|_| late(limit))??;
        *held = Some(worker);
        Ok(answer)
    }
}

/// A thread with a connection; it ends when its sender goes.
fn start(address: String) -> Answer<mpsc::Sender<Job>> {
    let (jobs, work) = mpsc::channel::<Job>();
    let (ready, wait) = mpsc::sync_channel(1);
    let run = move || match connect(&address).and_then(open) {
        Ok(service) => {
            drop(ready.send(Ok(())));
            for job in work {
                job(&service);
            }
        }
        Err(error) => drop(ready.send(Err(error))),
    };
    let named = thread::Builder::new().name("keychain".to_owned());
    named.spawn(run).map_err(|source| SecretsError::Io {
        doing: "cannot start a thread for the keychain".to_owned(),
        source,
    })?;
    wait.recv_timeout(PATIENCE).map_err(|_| late(PATIENCE))??;
    Ok(jobs)
}

/// The part of an address that names a socket of this machine. Others start programs or go over a network.
fn local(bus: Option<&str>) -> Answer<String> {
    let Some(bus) = bus else {
        return Err(unavailable(
            "there is no session bus: DBUS_SESSION_BUS_ADDRESS is not set",
        ));
    };
    let is_local =
        |part: &&str| part.starts_with("unix:path=") || part.starts_with("unix:abstract=");
    match bus.split(';').find(is_local) {
        Some(part) => Ok(part.to_owned()),
        None => Err(unavailable(
            "the address of the session bus names no local socket",
        )),
    }
}

fn connect(address: &str) -> Answer<Connection> {
    let told = |error: zbus::Error| {
        let cause = format!("cannot connect to the session bus at `{address}`: {error}");
        SecretsError::Unavailable { cause }
    };
    let builder = Builder::address(address).map_err(told)?;
    builder.method_timeout(PATIENCE).build().map_err(told)
}

fn open(bus: Connection) -> Answer<SecretService<'static>> {
    is_running(&bus)?;
    SecretService::connect_with_existing(EncryptionType::Dh, bus).map_err(sorted)
}

/// Whether the service runs; an error when it could not be started either.
fn is_running(bus: &Connection) -> Answer<bool> {
    let asked = || -> Result<(bool, bool), zbus::Error> {
        let proxy = DBusProxy::new(bus)?;
        let is_running = proxy.name_has_owner(BUS_NAME.try_into()?)?;
        let startable = proxy.list_activatable_names()?;
        Ok((
            is_running,
            startable.iter().any(|name| name.as_str() == BUS_NAME),
        ))
    };
    match asked() {
        Ok((false, false)) => Err(unavailable(
            "the session bus has no Secret Service (org.freedesktop.secrets), and none that it could start",
        )),
        Ok((is_running, _)) => Ok(is_running),
        Err(error) => Err(unavailable(&format!(
            "the session bus does not answer: {error}"
        ))),
    }
}

fn default<'a>(service: &'a SecretService<'a>) -> Answer<Collection<'a>> {
    let found = service
        .get_default_collection()
        .map_err(|error| match error {
            Error::NoResult => unavailable("the Secret Service has no default collection"),
            error => sorted(error),
        })?;
    if found.collection_path.as_str().ends_with(IN_MEMORY) {
        return Err(unavailable(
            "the default collection of the Secret Service is kept in memory only",
        ));
    }
    Ok(found)
}

fn items<'a>(service: &'a SecretService<'a>, account: &str) -> Answer<Vec<Item<'a>>> {
    search(
        service,
        HashMap::from([("service", SERVICE), ("username", account)]),
    )
}

fn search<'a>(service: &'a SecretService<'a>, asked: HashMap<&str, &str>) -> Answer<Vec<Item<'a>>> {
    let found = service.search_items(asked).map_err(sorted)?;
    Ok(found.unlocked)
}

fn newest(items: Vec<Item<'_>>) -> Answer<Option<Item<'_>>> {
    let mut best = None;
    for item in items {
        let modified = item.get_modified().map_err(sorted)?;
        if best.as_ref().is_none_or(|(at, _)| *at < modified) {
            best = Some((modified, item));
        }
    }
    Ok(best.map(|(_, item)| item))
}

fn millis(seconds: u64) -> Option<Millis> {
    i64::try_from(seconds).ok()?.checked_mul(1_000).map(Millis)
}

fn unavailable(cause: &str) -> SecretsError {
    let cause = cause.to_owned();
    SecretsError::Unavailable { cause }
}

/// Sorts an error by what can be done about it.
fn sorted(error: Error) -> SecretsError {
    let told = error.to_string();
    match error {
        Error::Locked => SecretsError::Locked {
            why: "it stayed locked".to_owned(),
        },
        Error::Prompt => SecretsError::Locked {
            why: "the prompt was dismissed".to_owned(),
        },
        Error::Zbus(zbus::Error::MethodError(name, why, _)) => match name.as_str() {
            IS_LOCKED => SecretsError::Locked {
                why: "it stayed locked".to_owned(),
            },
            name => {
                let cause = format!("{name}: {}", why.unwrap_or_default());
                // The bus itself says so when the service is gone, does not start or is late.
                if name.starts_with(BUS_ERRORS) {
                    SecretsError::Unavailable { cause }
                } else {
                    SecretsError::Refused { cause }
                }
            }
        },
        Error::Crypto(_) | Error::Zvariant(_) => SecretsError::Refused { cause: told },
        _ => SecretsError::Unavailable { cause: told },
    }
}

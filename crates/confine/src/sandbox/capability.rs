//! Capabilities: all of them go, also for root. With one left, Landlock's and the kernel's checks have exceptions.

use rustix::thread::{self, CapabilitySet, CapabilitySets};

use super::{SandboxError, sys};

/// The bounding set's numbers to try: the kernel knows 41 today and its sets hold 64.
const NUMBERS: std::ops::Range<u32> = 0..64;

/// Empties every set and forbids new privileges. The bounding set can only be emptied by a process that may; one that
/// may not gains nothing from it, because no program it runs can raise privileges any more.
///
/// # Errors
/// [`SandboxError::Step`] where the kernel refuses.
pub fn drop_all() -> Result<(), SandboxError> {
    let step = |why: &dyn std::fmt::Display| SandboxError::Step {
        step: "drop capabilities",
        why: why.to_string(),
    };
    thread::set_no_new_privs(true).map_err(|why| step(&why))?;
    let held = thread::capabilities(None).map_err(|why| step(&why))?;
    if held.effective.contains(CapabilitySet::SETPCAP) {
        for number in NUMBERS.filter(|number| sys::in_bounding_set(*number)) {
            sys::drop_from_bounding_set(number).map_err(|why| step(&why))?;
        }
    }
    thread::clear_ambient_capability_set().map_err(|why| step(&why))?;
    let none = CapabilitySets {
        effective: CapabilitySet::empty(),
        permitted: CapabilitySet::empty(),
        inheritable: CapabilitySet::empty(),
    };
    thread::set_capabilities(None, none).map_err(|why| step(&why))
}

/// What is left, in the words of the record; `None` where nothing is that a child could use.
pub(crate) fn left() -> Option<String> {
    let mut found = Vec::new();
    match thread::capabilities(None) {
        Ok(held) => {
            for (name, set) in [
                ("effective", held.effective),
                ("permitted", held.permitted),
                ("inheritable", held.inheritable),
            ] {
                if !set.is_empty() {
                    found.push(format!("{name} {:x}", set.bits()));
                }
            }
        }
        Err(why) => found.push(why.to_string()),
    }
    if NUMBERS.clone().any(sys::in_ambient_set) {
        found.push("ambient".to_owned());
    }
    // Root keeps what the bounding set allows when it runs a program; another user gets nothing from it.
    if rustix::process::geteuid().is_root() && NUMBERS.clone().any(sys::in_bounding_set) {
        found.push("bounding".to_owned());
    }
    (!found.is_empty()).then(|| found.join(", "))
}

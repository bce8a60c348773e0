//! Is a word alone a password here? Only where nothing but a password is assigned: in lines of environments and settings,
//! in connection strings and in statements of databases.

use super::judge::{Setting, is_common_password, is_word_password};
use super::place::{Joint, Place, is_name};
use crate::sets::{Set, any_in, set};
use crate::window::Window;

/// Whether the letters `start..end` are the password of the name that begins at `name_start` and whose word begins at `word`.
pub(crate) fn is_told(
    window: &Window<'_>,
    place: &Place,
    (name_start, word): (usize, usize),
    setting: Setting,
    end: usize,
) -> bool {
    let value = window.slice(place.start, end);
    if place.gap || place.called || !value.iter().all(u8::is_ascii_alphabetic) {
        return false;
    }
    let assigned = matches!(place.joint, Joint::Equal | Joint::Colon);
    let written = assigned && matches!(setting, Setting::Quoted | Setting::Line);
    (written && is_common_password(value))
        || (is_plain_place(window, place, (name_start, word), setting)
            && !any_in(&DOES, window.slice(name_start, word))
            && is_word_password(value))
}

fn is_plain_place(
    window: &Window<'_>,
    place: &Place,
    (name_start, word): (usize, usize),
    setting: Setting,
) -> bool {
    if window
        .slice(word, place.name_end)
        .eq_ignore_ascii_case(b"identified by")
    {
        return place.quoted;
    }
    let name = window.slice(name_start, place.name_end);
    let environment = name
        .iter()
        .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_');
    let tight = place.joint == Joint::Equal && place.start <= place.name_end + 2;
    match setting {
        Setting::Quoted => environment && tight && is_name(window.at(name_start).unwrap_or(b' ')),
        Setting::Line => {
            let ends = matches!(window.at(place.end), None | Some(b'\n' | b'\r' | b' '));
            let trailing = window
                .before(place.end)
                .is_some_and(|byte| byte.is_ascii_alphabetic());
            ends && trailing && (environment || (tight && is_first(window, name_start)))
        }
        Setting::Pair => {
            (environment && tight) || matches!(window.before(name_start), Some(b';' | b'?' | b'&'))
        }
        Setting::Bare => false,
    }
}

/// No space before the name: files of settings do not indent, code does.
fn is_first(window: &Window<'_>, name_start: usize) -> bool {
    let before = window.before(name_start);
    before.is_none_or(|byte| byte == b'\n')
        || (matches!(before, Some(b'+' | b'-'))
            && window
                .before(name_start - 1)
                .is_none_or(|byte| byte == b'\n'))
}

/// Words in names of what is done with passwords.
static DOES: Set = Set::new(|| {
    set(&[
        "reset", "forgot", "change", "update", "set_", "get_", "has_", "show", "hide", "wrong",
        "missing", "no_", "require", "confirm", "recover", "hash", "check", "verify", "error",
        "field", "use_", "type", "enable", "disable", "allow", "invalid", "grant", "event",
        "action", "route", "label", "mode",
    ])
});

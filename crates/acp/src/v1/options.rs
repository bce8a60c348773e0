//! Which option of a permission may be selected (FA-24).

use super::{OptionKind, PermissionOption};

/// Words of an id or a name that promise more than one call.
const MORE: &[&str] = &[
    "all",
    "any",
    "auto",
    "every",
    "everything",
    "mode",
    "modes",
    "rule",
    "rules",
    "yolo",
    "bypass",
    "future",
];
/// The same, wherever they stand inside of a word.
const MORE_WITHIN: &[&str] = &[
    "always",
    "session",
    "switch",
    "remember",
    "forever",
    "permanent",
    "subsequent",
];

/// The id of the first `allow_once`, if it promises no more than this one call; none otherwise, even if a later one would.
pub fn allow_once(options: &[PermissionOption]) -> Option<&str> {
    let first = first(options, &OptionKind::AllowOnce)?;
    (!promises_more(&first.option_id) && !promises_more(&first.name)).then_some(&first.option_id)
}

/// The id of the first `reject_once`.
pub fn reject_once(options: &[PermissionOption]) -> Option<&str> {
    first(options, &OptionKind::RejectOnce).map(|option| option.option_id.as_str())
}

/// The first of a kind. None where another option has its id: which of them is selected would be the agent's choice.
fn first<'a>(options: &'a [PermissionOption], kind: &OptionKind) -> Option<&'a PermissionOption> {
    let first = options.iter().find(|option| option.kind == *kind)?;
    let same = |option: &&PermissionOption| option.option_id == first.option_id;
    (options.iter().filter(same).count() == 1).then_some(first)
}

fn promises_more(text: &str) -> bool {
    let words = words(text);
    let joined = words.concat();
    MORE_WITHIN.iter().any(|more| joined.contains(more))
        || words.iter().any(|word| MORE.contains(&word.as_str()))
}

/// The words of a text or an identifier in any of the usual spellings, lower case.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut lower_before = false;
    for at in text.chars() {
        if !at.is_alphanumeric() || (at.is_uppercase() && lower_before) {
            words.push(String::new());
        }
        lower_before = at.is_lowercase();
        if let (true, Some(word)) = (at.is_alphanumeric(), words.last_mut()) {
            word.extend(at.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn option(id: &str, name: &str, kind: &str) -> PermissionOption {
        PermissionOption {
            option_id: id.into(),
            name: name.into(),
            kind: OptionKind::read(kind),
        }
    }

    #[test]
    fn fa_24_only_an_option_for_this_one_call_allows() {
        for (id, name, fits) in [
            ("proceed_once", "Allow", true),
            ("allow-once", "Yes", true),
            ("allow_once", "allow_once", true),
            ("once", "Allow once", true),
            ("approve_once", "Approve this model call", true),
            ("proceed_once_and_switch_to_default", "Allow", false),
            ("proceedOnceAndSwitchMode", "Allow", false),
            ("allow", "Yes, and don't ask again this session", false),
            ("allow", "Allow All Edits", false),
            ("allowAlways", "Allow", false),
            ("ALWAYS_ALLOW", "Allow", false),
            ("alwaysallow", "Allow", false),
            ("ok", "Yes, and remember", false),
            ("ok", "Yes, auto-accept edits", false),
            ("ok", "Allow every edit", false),
            ("acceptEditsMode", "Yes", false),
            ("ok", "Allow for this se\u{200b}ssion", false),
        ] {
            let options = [option(id, name, "allow_once")];
            assert_eq!(allow_once(&options).is_some(), fits, "{id} {name}");
        }
    }

    #[test]
    fn fa_24_the_first_of_a_kind_counts_and_no_other_kind_stands_in_for_it() {
        let options = [
            option("a", "Allow", "allow_always"),
            option("b", "Allow", "allow_once"),
            option("c", "Allow and switch", "allow_once"),
            option("d", "No", "reject_always"),
            option("e", "No", "reject_once"),
        ];
        assert_eq!(allow_once(&options), Some("b"));
        assert_eq!(reject_once(&options), Some("e"));
        let (before, after) = options.split_at(2);
        assert_eq!(allow_once(after), None, "the first one switches");
        assert_eq!(reject_once(before), None);
        assert_eq!(allow_once(&options[..1]), None);
        assert_eq!(allow_once(&[option("x", "Allow", "ALLOW_ONCE")]), None);
        assert_eq!(allow_once(&[]), None);
    }

    #[test]
    fn fa_24_an_id_that_stands_for_two_options_is_not_selected() {
        let options = [
            option("x", "Allow", "allow_once"),
            option("x", "Allow", "allow_always"),
            option("n", "No", "reject_once"),
        ];
        assert_eq!(allow_once(&options), None, "it may be taken for `always`");
        assert_eq!(reject_once(&options), Some("n"));
        let options = [
            option("x", "No", "reject_once"),
            option("x", "Allow", "allow_once"),
        ];
        assert_eq!(reject_once(&options), None, "it may be taken for a yes");
        let apart = [
            option("x", "Allow", "allow_once"),
            option("y", "Allow", "allow_always"),
        ];
        assert_eq!(allow_once(&apart), Some("x"), "the twin");
    }
}

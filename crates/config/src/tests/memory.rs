//! The sections of governed memory (CFG-01).

use super::{config, mistake};
use crate::{Origin, ReviewLock};

#[test]
fn cfg_01_the_defaults_of_memory() {
    let config = config("");
    assert_eq!(*config.memory.notebook_budget, 6_000);
    assert_eq!(*config.memory.notebook_cap, 200_000);
    assert_eq!(
        (*config.recall.items, *config.recall.line_characters),
        (5, 200)
    );
    assert!((config.recall.floor_of_age.get() - 0.7).abs() < f64::EPSILON);
    assert_eq!(config.recall.half_life.to_string(), "720h");
    assert_eq!(config.recall.ageless.value, ["constraint", "decision"]);
    assert_eq!(*config.review.lock, ReviewLock::None);
    assert_eq!(config.review.unlock.to_string(), "10m");
}

#[test]
fn cfg_01_the_file_sets_them() {
    let config = config("[recall]\nfloor_of_age = 1\nfading = []\n[review]\nlock = \"passphrase\"");
    assert_eq!(
        config.recall.floor_of_age.value.get().to_bits(),
        1.0_f64.to_bits()
    );
    assert_eq!(config.recall.fading.origin, Origin::File { line: 3 });
    assert!(config.recall.fading.is_empty());
    assert_eq!(*config.review.lock, ReviewLock::Passphrase);
}

#[test]
fn cfg_01_a_value_out_of_bounds_is_refused() {
    for (text, message, hint) in MISTAKES {
        assert_eq!(
            mistake(text),
            ((*message).to_owned(), (*hint).to_owned()),
            "{text}"
        );
    }
}

const MISTAKES: &[(&str, &str, &str)] = &[
    (
        "[memory]\nnotebook_budget = 100",
        "config.toml:2:19: `memory.notebook_budget`: 100 is not from 500 to 100000",
        "",
    ),
    (
        "[recall]\nfloor_of_age = 1.5",
        "config.toml:2:16: `recall.floor_of_age` must be a number from 0 to 1 with at most three decimals, not `1.5`",
        "",
    ),
    (
        "[recall]\nageless = [\"idea\"]",
        "config.toml:2:11: `recall.ageless`: `idea` is not a memory type: decision, output, lesson, constraint, \
         open_question, failure, artifact_reference, work_log",
        "",
    ),
    (
        "[review]\nlock = \"key\"",
        "config.toml:2:8: `review.lock` must be \"none\" or \"passphrase\", not `\"key\"`",
        "",
    ),
];

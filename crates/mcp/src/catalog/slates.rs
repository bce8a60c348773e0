//! `slate.open`, `slate.writeSeed`, `slate.close`. Their limits are XSL-04, XSL-05, XSL-07 and XSL-08.

use taffrail_domain::SeedKind;

use super::{ANSWER_LIMIT, Effect, Tool, Which};
use crate::schema::{Field, Form, Kind, free, text, words};

const ID: Kind = Kind::Text {
    min: 1,
    max: 128,
    form: Form::Id,
};

const fn kinds() -> [&'static str; SeedKind::ALL.len()] {
    let mut names = [""; SeedKind::ALL.len()];
    let mut at = 0;
    while at < names.len() {
        names[at] = SeedKind::ALL[at].name();
        at += 1;
    }
    names
}

static SEED_KINDS: [&str; SeedKind::ALL.len()] = kinds();

/// 200 seeds of 4,000 characters, which as JSON have up to 6 bytes each, and the anchors: 6.1 MB.
const OPENED_LIMIT: usize = 8 * 1024 * 1024;

pub(super) static OPEN: Tool = Tool {
    which: Which::SlateOpen,
    name: "slate.open",
    title: "Open a slate",
    about: "Open (or look again at) the slate of one task, before you learn something worth keeping. Choose an id that \
            is yours alone for this task, and keep it. Opening it again changes nothing and returns what it holds. Costs \
            a few milliseconds; needs no set-up. After slate.close the same id starts its next generation.",
    input: &[
        Field::must(
            "externalSessionId",
            ID,
            "The id of your slate: 1 to 128 of A-Z a-z 0-9 _ -. One per task.",
        ),
        Field::may(
            "workspaceId",
            words(64),
            "The workspace (wsp_…) that the seeds are for, from workspace_list. Left out, the project's only one is \
             taken, or one is made.",
        ),
        Field::may(
            "anchors",
            Kind::Object(&[
                Field::may(
                    "root",
                    text(4_096),
                    "The root of the work: a folder, a repository.",
                ),
                Field::may(
                    "touched",
                    Kind::List {
                        max: 200,
                        of: &text(1_024),
                    },
                    "Files that the work touches.",
                ),
                Field::may(
                    "note",
                    text(2_000),
                    "What the work is about, in a sentence.",
                ),
            ]),
            "Where the work stands. Kept as sent; nothing is inferred from it.",
        ),
    ],
    output: &[
        Field::must("externalSessionId", free(), "The id."),
        Field::must(
            "generation",
            COUNT,
            "Which opening of the id this is, from 1.",
        ),
        Field::may("workspaceId", free(), "The workspace that it is bound to."),
        Field::must("anchors", Kind::Object(ANCHORS), "Where the work stands."),
        Field::must(
            "seeds",
            Kind::List {
                max: usize::MAX,
                of: &Kind::Object(&SEED),
            },
            "What it holds.",
        ),
        Field::must(
            "lastWriteAt",
            free(),
            "When it was opened or last written, RFC 3339.",
        ),
        Field::may("note", free(), "What you should know."),
    ],
    effect: Effect::AddsOnce,
    answer_limit: OPENED_LIMIT,
};

pub(super) static WRITE_SEED: Tool = Tool {
    which: Which::SlateWriteSeed,
    name: "slate.writeSeed",
    title: "Write a seed",
    about: "Drop one seed into an open slate: one fact, decision or open question that the next person or agent will \
            need, with its reason, in a few sentences that stand on their own. Not a log, not a summary of the code. \
            It is on disk when this answers (about a millisecond). Secrets are masked. It steers nobody until a person \
            has reviewed it.",
    input: &[
        Field::must("externalSessionId", ID, "The id of an open slate."),
        Field::must(
            "text",
            words(4_000),
            "The seed, at most 4,000 characters; longer texts are refused, never cut.",
        ),
        Field::may(
            "kind",
            Kind::Word(&SEED_KINDS),
            "What it is; follow-up where you leave it out.",
        ),
        Field::may(
            "idempotencyKey",
            words(200),
            "The same key again returns the first seed and stores nothing: for retries.",
        ),
    ],
    output: &WRITTEN,
    effect: Effect::Adds,
    answer_limit: ANSWER_LIMIT,
};

pub(super) static CLOSE: Tool = Tool {
    which: Which::SlateClose,
    name: "slate.close",
    title: "Close a slate",
    about: "Close your slate when the task is done: its seeds become proposals that wait for a person. Closing it again \
            is harmless and returns the same outcome. A slate that nobody writes to for hours is closed by itself.",
    input: &[Field::must(
        "externalSessionId",
        ID,
        "The id of your slate.",
    )],
    output: &[
        Field::must("externalSessionId", free(), "The id."),
        Field::must("closed", Kind::Flag, "Always true."),
        Field::must("generation", COUNT, "Which opening of the id was closed."),
        Field::may(
            "workspaceId",
            free(),
            "The workspace that holds the proposals.",
        ),
        Field::must(
            "proposals",
            Kind::List {
                max: usize::MAX,
                of: &Kind::Object(&[
                    Field::must("id", free(), "The proposal (prp_…)."),
                    Field::must("kind", Kind::Word(&SEED_KINDS), "The kind of its seeds."),
                    Field::must("candidates", COUNT, "How many wait for a person."),
                ]),
            },
            "One for each kind of seed.",
        ),
        Field::must(
            "unbound",
            Kind::Flag,
            "Whether the seeds wait for a person to bind them to a workspace.",
        ),
        Field::may(
            "blocked",
            Kind::List {
                max: usize::MAX,
                of: &Kind::Object(&[
                    Field::must("seed", free(), "Which seed."),
                    Field::must("reason", free(), "Why."),
                ]),
            },
            "Seeds that are no candidates, with the reason.",
        ),
    ],
    effect: Effect::AddsOnce,
    answer_limit: ANSWER_LIMIT,
};

const COUNT: Kind = Kind::Integer {
    min: 0,
    max: u64::MAX,
};

const ANCHORS: &[Field] = &[
    Field::must("root", free(), "Empty where none was sent."),
    Field::may(
        "touched",
        Kind::List {
            max: usize::MAX,
            of: &free(),
        },
        "",
    ),
    Field::may("note", free(), ""),
];

const ORIGIN: &[Field] = &[
    Field::must("harness", free(), "mcp-external."),
    Field::may(
        "client",
        Kind::Object(&[
            Field::must("name", free(), ""),
            Field::must("version", free(), ""),
        ]),
        "What the client calls itself.",
    ),
];

const SEED_ID: Field = Field::must("id", free(), "seed- and a UUID.");
const SEED_TEXT: Field = Field::must("text", free(), "The text, with secrets masked.");
const SEED_TS: Field = Field::must("ts", free(), "When it was written, RFC 3339.");
const SEED_KIND: Field = Field::may(
    "kind",
    Kind::Word(&SEED_KINDS),
    "Absent counts as follow-up.",
);
const SEED_ORIGIN: Field = Field::must("origin", Kind::Object(ORIGIN), "Who wrote it.");
const SEED_TRUST: Field = Field::must("trust", free(), "external-unverified.");

static SEED: [Field; 6] = [
    SEED_ID,
    SEED_TEXT,
    SEED_TS,
    SEED_KIND,
    SEED_ORIGIN,
    SEED_TRUST,
];

static WRITTEN: [Field; 8] = [
    SEED_ID,
    SEED_TEXT,
    SEED_TS,
    SEED_KIND,
    SEED_ORIGIN,
    SEED_TRUST,
    Field::may(
        "redacted",
        Kind::List {
            max: usize::MAX,
            of: &free(),
        },
        "What was masked in the text, by family.",
    ),
    Field::may("note", free(), "What you should know."),
];

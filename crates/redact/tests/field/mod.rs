//! Secrets as they lie about: the formats of providers in the settings of files, shells, logs and screens, and whole forms.
//!
//! The files hold templates: `⟨class:count⟩` is filled by the seeded generator of the corpus, `«…»` is the secret, `¤` a token,
//! `#` a name, `⏎ ␍ ␉ ␛` are the characters that they draw. So no file holds anything that looks alive.
#![allow(clippy::panic, clippy::expect_used)] // test code: a mistyped template must fail loudly

use super::corpus::{Dice, base64, fill};

const TOKENS: &str = include_str!("tokens.txt");
const CONTEXTS: &str = include_str!("contexts.txt");
const NAMED: &str = include_str!("named.txt");
const ASSIGNMENTS: &str = include_str!("assignments.txt");
const FORMS: &str = include_str!("forms.txt");
const HARMLESS: &str = include_str!("harmless.txt");

/// A text and the secrets that stand in it.
pub struct Case {
    /// Its line in the file of formats.
    pub format: String,
    pub text: String,
    pub secrets: Vec<String>,
}

/// Every format in `settings` of the contexts, every name in `settings` of the assignments, and every form once.
pub fn cases(dice: &mut Dice, settings: usize) -> Vec<Case> {
    let mut cases = Vec::new();
    placed(
        dice,
        (TOKENS, CONTEXTS, settings),
        &mut cases,
        |context, _, value| context.replace('¤', value),
    );
    placed(
        dice,
        (NAMED, ASSIGNMENTS, settings),
        &mut cases,
        |context, name, value| context.replace('#', name).replace('¤', value),
    );
    for line in FORMS.lines() {
        let (kind, form) = line.split_once('\t').expect("kind and form");
        cases.push(case(kind, &filled(form, dice)));
    }
    cases
}

/// How many formats, settings, names and forms there are.
pub fn sizes() -> [usize; 4] {
    [TOKENS, CONTEXTS, NAMED, FORMS].map(|text| text.lines().count())
}

fn placed(
    dice: &mut Dice,
    (formats, contexts, settings): (&str, &str, usize),
    cases: &mut Vec<Case>,
    place: impl Fn(&str, &str, &str) -> String,
) {
    let contexts: Vec<&str> = contexts.lines().collect();
    let mut next = dice.below(contexts.len());
    for line in formats.lines() {
        let (name, format) = line.split_once('\t').expect("name and format");
        for _ in 0..settings.min(contexts.len()) {
            next = (next + 1) % contexts.len();
            let context = contexts[next];
            let value = format!("«{}»", filled(format, dice));
            cases.push(case(line, &place(context, name, &value)));
        }
    }
}

fn filled(template: &str, dice: &mut Dice) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('⟨') {
        let (spec, tail) = after.split_once('⟩').expect("closed");
        out.push_str(before);
        out.push_str(&match spec {
            "basic" => base64(fill("svc:{w:16}", dice).as_bytes()),
            _ => fill(&format!("{{{spec}}}"), dice),
        });
        rest = tail;
    }
    out + rest
}

fn case(format: &str, marked: &str) -> Case {
    let marked = drawn(marked);
    let (mut text, mut secrets, mut rest) = (String::new(), Vec::new(), marked.as_str());
    while let Some((before, after)) = rest.split_once('«') {
        let (secret, tail) = after.split_once('»').expect("closed");
        text = text + before + secret;
        secrets.push(secret.to_owned());
        rest = tail;
    }
    text.push_str(rest);
    Case {
        format: format.to_owned(),
        text,
        secrets,
    }
}

/// Every harmless text once.
pub fn harmless(dice: &mut Dice) -> Vec<String> {
    let texts = HARMLESS.lines().filter(|line| !line.is_empty());
    texts.map(|line| drawn(&filled(line, dice))).collect()
}

fn drawn(text: &str) -> String {
    let signs = [("⏎", "\n"), ("␍", "\r"), ("␉", "\t"), ("␛", "\x1b")];
    signs.iter().fold(text.to_owned(), |text, (sign, real)| {
        text.replace(sign, real)
    })
}

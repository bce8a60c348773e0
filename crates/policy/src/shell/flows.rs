//! Texts that a line makes and runs itself: out of a pipe, a here-document, a file that it has just written, a download.

use std::collections::BTreeSet;
use std::ops::Range;

use taffrail_domain::Risk;

use super::judge::Part;
use super::seat::Seat;
use super::sink::{Sink, sink};
use super::tree::{Tree, Word};
use super::{Odd, assess_inside, base, database, destructive, literal, loose, reach};
use crate::reason::{Reason, Why};

/// So many texts are looked at; a line with more is not followed.
const MOST_TEXTS: usize = 64;

/// A line that was taken apart, and what its commands are.
pub struct Flow<'a> {
    /// The line.
    pub tree: &'a Tree,
    /// The parts of each command of the tree.
    pub ranges: &'a [Range<usize>],
    /// All parts.
    pub parts: &'a [Part],
    /// Where those of this line begin.
    pub start: usize,
}

/// What comes into a program that runs it.
enum Source {
    /// These texts.
    Known(Vec<Vec<u8>>),
    /// What another machine sent.
    Downloaded,
    /// Nobody can say.
    Unknown,
}

/// A text, and the name of the program that runs it.
type Run = (String, Vec<u8>);

/// Looks for such texts. What they hold is held against the line; the commands in them are added to `more`.
pub fn look(seat: &Seat<'_>, flow: &Flow<'_>, odd: &mut Odd, more: &mut Vec<Part>) {
    let mut runs = BTreeSet::new();
    flow.pipes(odd, &mut runs);
    flow.words(odd, &mut runs);
    flow.here(&mut runs);
    flow.read_in(odd);
    flow.files(odd, &mut runs);
    let hidden = flow.tree.hidden.iter();
    runs.extend(hidden.map(|text| ("sh".to_owned(), text.clone())));
    if runs.len() > MOST_TEXTS {
        return odd.unreadable(Why::TooLong);
    }
    for (name, text) in runs {
        run(seat, &name, &text, odd, more);
    }
}

fn run(seat: &Seat<'_>, name: &str, text: &[u8], odd: &mut Odd, more: &mut Vec<Part>) {
    if !is_shell(name) {
        let word = Word {
            raw: text.to_vec(),
            value: Some(text.to_vec()),
        };
        let words = [word];
        let about = destructive::about(name, &words).or_else(|| loose::about(name, &words));
        if let Some(about) = about {
            odd.add(Risk::Destructive, Reason::new(Why::Destroys, about));
        }
        return;
    }
    let inside = Seat {
        depth: seat.depth + 1,
        ..seat.clone()
    };
    let found = assess_inside(&inside, text, more);
    for reason in found.reasons {
        odd.add(found.risk, reason);
    }
    odd.destructive |= found.destructive;
    odd.touched.extend(found.touched);
    for floor in found.floors {
        odd.floor(found.risk, floor);
    }
}

fn is_shell(name: &str) -> bool {
    !database::is_client(name) && !destructive::runs_code(name) && !loose::is_told_in_a_text(name)
}

impl Flow<'_> {
    fn parts(&self, commands: Range<usize>) -> impl Iterator<Item = &Part> {
        let ranges = self.ranges.get(commands).unwrap_or_default().iter();
        ranges.flat_map(|range| self.parts.get(range.clone()).unwrap_or_default())
    }

    /// All parts of the line.
    fn own(&self) -> &[Part] {
        self.parts.get(self.start..).unwrap_or_default()
    }

    fn downloads(&self, commands: Range<usize>) -> bool {
        self.parts(commands)
            .any(|part| reach::downloader(&part.base()))
    }

    /// `echo … | sh`.
    fn pipes(&self, odd: &mut Odd, runs: &mut BTreeSet<Run>) {
        for stages in &self.tree.pipes {
            for (place, stage) in stages.iter().enumerate().skip(1) {
                for part in self.parts(stage.clone()) {
                    if let Some(Sink::Input { is_told }) = sink(&part.argv) {
                        let before = stages.get(..place).unwrap_or_default();
                        self.take(part, is_told, self.source(before), odd, runs);
                    }
                }
            }
        }
    }

    /// What goes into a program is known, or held against it.
    fn take(
        &self,
        part: &Part,
        is_told: bool,
        from: Source,
        odd: &mut Odd,
        runs: &mut BTreeSet<Run>,
    ) {
        match from {
            Source::Known(texts) => {
                runs.extend(texts.into_iter().map(|text| (part.base(), text)));
            }
            Source::Downloaded => odd.add(Risk::Destructive, Reason::new(Why::Downloaded, "")),
            Source::Unknown if is_told => {
                let reason = Reason::new(Why::MayDestroy, part.base());
                odd.add(Risk::Destructive, reason);
            }
            Source::Unknown => {}
        }
    }

    /// What these stages of a pipe put out.
    fn source(&self, stages: &[Range<usize>]) -> Source {
        if stages.iter().any(|stage| self.downloads(stage.clone())) {
            return Source::Downloaded;
        }
        for stage in stages.iter().rev() {
            let parts: Vec<&Part> = self.parts(stage.clone()).collect();
            let [part] = parts.as_slice() else {
                return Source::Unknown;
            };
            if let Some(texts) = literal::texts(part) {
                return Source::Known(texts);
            }
            let passes = part.base() == "tee" || part.argv == [b"cat"];
            if !passes {
                return Source::Unknown;
            }
        }
        if self.tree.texts.is_empty() {
            Source::Unknown
        } else {
            Source::Known(Vec::new())
        }
    }

    /// `bash <(echo …)`, `sh -c "$(curl …)"`.
    fn words(&self, odd: &mut Odd, runs: &mut BTreeSet<Run>) {
        for (place, command) in self.tree.commands.iter().enumerate() {
            for part in self.parts(place..place + 1) {
                let inside = command.inside.clone();
                if destructive::is_interpreter(&part.base()) && self.downloads(inside.clone()) {
                    odd.add(Risk::Destructive, Reason::new(Why::Downloaded, ""));
                }
                if let Some(Sink::File(file)) = sink(&part.argv)
                    && file.starts_with(b"<(")
                {
                    let stages: Vec<_> = inside.map(|place| place..place + 1).collect();
                    self.take(part, true, self.source(&stages), odd, runs);
                }
            }
        }
    }

    /// A here-document may be what any of the programs is given that wait for a text.
    fn here(&self, runs: &mut BTreeSet<Run>) {
        for part in self.own().iter().filter(|_| !self.tree.texts.is_empty()) {
            if matches!(sink(&part.argv), Some(Sink::Input { .. })) {
                let texts = self.tree.texts.iter();
                runs.extend(texts.map(|text| (part.base(), text.clone())));
            }
        }
    }

    /// `psql < FILE`. Which command of a line the file is for is not followed.
    fn read_in(&self, odd: &mut Odd) {
        if self.tree.redirects.iter().all(|redirect| redirect.writes) {
            return;
        }
        if let Some(part) = self.own().iter().find(|part| database::waits(&part.argv)) {
            let reason = Reason::new(Why::MayDestroy, part.base());
            odd.add(Risk::Destructive, reason);
        }
    }

    /// `echo … > x; sh x`, `curl -O …/x && ./x`.
    fn files(&self, odd: &mut Odd, runs: &mut BTreeSet<Run>) {
        let (written, downloaded) = self.made();
        for part in self.own() {
            let Some(Sink::File(file)) = sink(&part.argv) else {
                continue;
            };
            let file = base(file);
            if downloaded.contains(&file) {
                odd.add(Risk::Destructive, Reason::new(Why::Downloaded, &file));
            } else if written.contains(&file) {
                let mut texts: Vec<Vec<u8>> = self
                    .own()
                    .iter()
                    .filter_map(literal::texts)
                    .flatten()
                    .collect();
                texts.extend(self.tree.texts.iter().cloned());
                if self.changes_texts() {
                    self.take(part, true, Source::Unknown, odd, runs);
                }
                let from = if texts.is_empty() {
                    Source::Unknown
                } else {
                    Source::Known(texts)
                };
                self.take(part, true, from, odd, runs);
            }
        }
    }

    /// Whether a text goes through a program that makes another of it.
    fn changes_texts(&self) -> bool {
        let stages = self.tree.pipes.iter().flatten();
        let mut parts = stages.flat_map(|stage| self.parts(stage.clone()));
        parts.any(|part| !matches!(part.base().as_str(), "echo" | "printf" | "cat" | "tee"))
    }

    /// The last names of the files that the line writes, and of those that it may have from another machine.
    fn made(&self) -> (BTreeSet<String>, BTreeSet<String>) {
        let written = self
            .tree
            .redirects
            .iter()
            .filter(|redirect| redirect.writes);
        let mut written: BTreeSet<String> = written
            .map(|redirect| base(redirect.target.text()))
            .collect();
        let mut downloaded = BTreeSet::new();
        for part in self.own() {
            let words = part.argv.iter().skip(1).map(|word| base(word));
            if reach::downloader(&part.base()) {
                downloaded.extend(words);
                downloaded.append(&mut written);
            } else if part.base() == "tee" {
                written.extend(words);
            }
        }
        downloaded.remove("");
        (written, downloaded)
    }
}

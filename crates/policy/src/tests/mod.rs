//! Tests over corpora of command lines, and over what holds for every command line.

mod actions;
mod corpus;
mod fingerprints;
mod named;
mod properties;
mod rules;

use taffrail_domain::{Action, Actor, Held, Mode, RepoPath};

use crate::{Context, Decision, Facts, Place, Rules, Whole, decide};

/// Names as the rims know them, as far as the tests need.
struct Names;

impl Facts for Names {
    fn is_credential(&self, path: &RepoPath) -> bool {
        let text = path.to_text();
        let last = text.rsplit('/').next().unwrap_or_default();
        let shared = [".env.example", ".env.sample", ".env.template"];
        last.starts_with(".env") && !last.starts_with(".envrc") && !shared.contains(&last)
            || last.starts_with("id_")
            || last.ends_with(".pem")
            || [".npmrc", "credentials"].contains(&last)
            || text.split('/').any(|part| part == ".ssh" || part == ".aws")
    }

    fn is_obeyed(&self, path: &RepoPath) -> bool {
        let text = path.to_text();
        let folders = [".github", ".vscode", ".husky"];
        text.split('/').any(|part| folders.contains(&part))
            || ["agents.md", "claude.md", ".envrc"]
                .contains(&text.rsplit('/').next().unwrap_or_default())
    }

    fn leads(&self, path: &[u8]) -> Place {
        if path.ends_with(b"/link-out") {
            Place::Outside
        } else if path.ends_with(b"/link-key") {
            Place::Credential
        } else {
            Place::Inside
        }
    }

    fn is_unfit_whole(&self, path: &[u8], _whole: Whole) -> bool {
        path.ends_with(b"/with-keys")
    }
}

fn context(held: Held) -> Context<'static> {
    Context {
        actor: Actor::BuiltIn,
        held,
        grant: false,
        root: b"/home/u/project",
        cwd: b"/home/u/project",
        home: b"/home/u/.taffrail",
        facts: &Names,
    }
}

fn line(command: &[u8], mode: Mode, held: Held) -> Decision {
    let action = Action::Shell {
        command: command.to_vec(),
        paths: Vec::new(),
    };
    decide(&action, mode, &Rules::default(), &context(held))
}

//! Why a sandbox could not be put in force. Every one of them means: the child is not started.

use std::path::PathBuf;

use taffrail_domain::{ErrorCode, Probe};

/// A sandbox that is not in force.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// The operating system is not supported.
    #[error("the sandbox needs Linux")]
    Platform,
    /// The kernel's Landlock lacks a right that the sandbox needs, or is not there (0).
    #[error("the kernel's Landlock has version {have}, the sandbox needs {need} or newer")]
    LandlockTooOld {
        /// What the kernel has.
        have: i32,
        /// What is needed.
        need: i32,
    },
    /// The policy cannot be enforced as it is written.
    #[error("the sandbox cannot be built around {}: {why}", path.display())]
    Policy {
        /// The path in question.
        path: PathBuf,
        /// What is wrong with it.
        why: &'static str,
    },
    /// Restrictions of one thread would leave the others free.
    #[error("{count} threads run where only one may when the sandbox is entered")]
    Threads {
        /// How many were found.
        count: usize,
    },
    /// The kernel refused a step.
    #[error("the sandbox could not be put in force: {step}: {why}")]
    Step {
        /// The step in a few words.
        step: &'static str,
        /// The kernel's or the library's words.
        why: String,
    },
    /// A file or directory could not be looked at.
    #[error("{}: {source}", path.display())]
    Io {
        /// Which one.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// Something that must fail inside did not fail, or the other way round.
    #[error("the sandbox does not hold: {}", failed(probes))]
    Broken {
        /// Every probe, the ones that held included.
        probes: Vec<Probe>,
    },
    /// A regular file in the checkout has another name elsewhere; a write through it would go past every layer.
    #[error("{} has {links} hard links; a write to it would reach the other names", path.display())]
    HardLink {
        /// The file.
        path: PathBuf,
        /// Its link count.
        links: u64,
    },
}

impl SandboxError {
    /// The stable code for surfaces.
    pub const fn code(&self) -> ErrorCode {
        match self {
            Self::Platform | Self::LandlockTooOld { .. } | Self::Step { .. } => {
                ErrorCode::SandboxUnavailable
            }
            Self::Policy { .. } | Self::Broken { .. } => ErrorCode::SandboxBroken,
            Self::Threads { .. } => ErrorCode::Internal,
            Self::Io { .. } => ErrorCode::Io,
            Self::HardLink { .. } => ErrorCode::CheckoutFailed,
        }
    }
}

fn failed(probes: &[Probe]) -> String {
    let rows: Vec<String> = probes
        .iter()
        .filter(|probe| !probe.held)
        .map(|probe| format!("{}: {}", probe.what, probe.saw))
        .collect();
    rows.join("; ")
}

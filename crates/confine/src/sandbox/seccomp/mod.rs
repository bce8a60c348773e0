//! seccomp: the system calls that a child never gets. A deny-list, in filters stacked one on the other because each
//! answers with one error of its own.

mod deny;

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, sock_filter,
};
use taffrail_domain::Rung;

use super::{Policy, SandboxError};

/// What makes a call a refused one: every condition of one row; a call without rows is refused always.
type Rows = Vec<Vec<Condition>>;

/// A comparison of the low 32 bits of one argument, as the kernel reads an `int` and a `flags`.
#[derive(Debug, Clone, Copy)]
struct Condition {
    argument: u8,
    test: Test,
}

#[derive(Debug, Clone, Copy)]
enum Test {
    Is(u32),
    Not(u32),
    /// These bits of the argument are exactly this.
    Bits {
        mask: u32,
        value: u32,
    },
}

/// Installs the filters on every thread of this process.
///
/// # Errors
/// [`SandboxError::Step`] where the kernel refuses one.
pub fn install(policy: &Policy) -> Result<(), SandboxError> {
    for program in programs(policy)? {
        seccompiler::apply_filter_all_threads(&program).map_err(|why| step(&why))?;
    }
    Ok(())
}

fn programs(policy: &Policy) -> Result<Vec<BpfProgram>, SandboxError> {
    let mut refused = deny::refused();
    if policy.rung != Rung::Full {
        refused.extend(deny::other_processes());
    }
    let sockets = deny::sockets(
        policy.own_network() || !policy.connect().is_empty(),
        can_listen(policy),
    );
    Ok(vec![
        foreign_numbers(),
        filter(refused, libc::EPERM)?,
        filter(deny::missing(), libc::ENOSYS)?,
        filter(sockets, libc::EACCES)?,
    ])
}

fn can_listen(policy: &Policy) -> bool {
    policy.own_network() || !policy.bind_ports.is_empty()
}

fn filter(calls: Vec<(libc::c_long, Rows)>, errno: i32) -> Result<BpfProgram, SandboxError> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
    for (call, rows) in calls {
        let rules = rules.entry(call).or_default();
        for row in rows {
            rules.push(rule(&row)?);
        }
    }
    let arch = TargetArch::try_from(std::env::consts::ARCH).map_err(|why| step(&why))?;
    let refuse = SeccompAction::Errno(errno.unsigned_abs());
    SeccompFilter::new(rules, SeccompAction::Allow, refuse, arch)
        .and_then(BpfProgram::try_from)
        .map_err(|why| step(&why))
}

fn rule(row: &[Condition]) -> Result<SeccompRule, SandboxError> {
    let conditions: Result<Vec<_>, _> = row
        .iter()
        .map(|condition| {
            let (compare, value) = match condition.test {
                Test::Is(value) => (SeccompCmpOp::Eq, value),
                Test::Not(value) => (SeccompCmpOp::Ne, value),
                Test::Bits { mask, value } => (SeccompCmpOp::MaskedEq(mask.into()), value),
            };
            let length = SeccompCmpArgLen::Dword;
            SeccompCondition::new(condition.argument, length, compare, value.into())
        })
        .collect();
    conditions
        .and_then(SeccompRule::new)
        .map_err(|why| step(&why))
}

/// Kills the process at a number of the x32 interface, which the x86-64 filters would not recognise. On other machines
/// no call has such a number.
fn foreign_numbers() -> BpfProgram {
    const LOAD: u16 = 0x20; // BPF_LD | BPF_W | BPF_ABS
    const AT_LEAST: u16 = 0x35; // BPF_JMP | BPF_JGE | BPF_K
    const RETURN: u16 = 0x06; // BPF_RET | BPF_K
    const NUMBER: u32 = 0; // offset of `nr` in struct seccomp_data
    const X32: u32 = 0x4000_0000;
    let line = |code, jt, jf, k| sock_filter { code, jt, jf, k };
    vec![
        line(LOAD, 0, 0, NUMBER),
        line(AT_LEAST, 0, 1, X32),
        line(RETURN, 0, 0, libc::SECCOMP_RET_KILL_PROCESS),
        line(RETURN, 0, 0, libc::SECCOMP_RET_ALLOW),
    ]
}

fn step(why: &dyn std::fmt::Display) -> SandboxError {
    SandboxError::Step {
        step: "seccomp",
        why: why.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffrail_domain::Net;

    #[test]
    fn cnf_03_every_filter_fits_the_kernels_limit() {
        let folder = tempfile::tempdir().unwrap();
        for rung in [Rung::Full, Rung::Partial] {
            for net in [Net::Off, Net::Ports(vec![443])] {
                let mut policy = Policy::common(rung, folder.path(), folder.path()).unwrap();
                policy.net = net;
                let programs = programs(&policy).unwrap();
                assert_eq!(programs.len(), 4);
                // BPF_MAXINSNS is 4096.
                assert!(programs.iter().all(|program| program.len() < 4096));
            }
        }
    }
}

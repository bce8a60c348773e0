//! The calls themselves, as data, by the error that they answer with.

use super::{Condition, Rows, Test};

type Calls = Vec<(libc::c_long, Rows)>;

/// Newer than the library's list of numbers; the same on every architecture.
const SYS_MOUNT_SETATTR: libc::c_long = 442;
const SYS_QUOTACTL_FD: libc::c_long = 443;
const SYS_PROCESS_MRELEASE: libc::c_long = 448;
const SYS_OPEN_TREE_ATTR: libc::c_long = 467;

/// EPERM: other processes' memory, keys, the kernel's own tools, mounts, namespaces, files by handle, modules, clocks,
/// terminal injection, TCP Fast Open.
pub(super) fn refused() -> Calls {
    let mut calls: Calls = ALWAYS.iter().map(|call| (*call, Vec::new())).collect();
    #[cfg(target_arch = "x86_64")]
    calls.extend([libc::SYS_iopl, libc::SYS_ioperm].map(|call| (call, Vec::new())));
    calls.push((libc::SYS_clone, namespaces()));
    calls.push((
        libc::SYS_ioctl,
        vec![
            vec![is(1, libc::TIOCSTI as u32)],
            vec![is(1, libc::TIOCLINUX as u32)],
        ],
    ));
    for (call, flags) in [
        (libc::SYS_sendto, 3),
        (libc::SYS_sendmsg, 2),
        (libc::SYS_sendmmsg, 3),
    ] {
        calls.push((call, vec![vec![any(flags, libc::MSG_FASTOPEN as u32)]]));
    }
    calls
}

const ALWAYS: &[libc::c_long] = &[
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    SYS_PROCESS_MRELEASE,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_memfd_secret,
    libc::SYS_fanotify_init,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_open_tree,
    SYS_OPEN_TREE_ATTR,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    SYS_MOUNT_SETATTR,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_setns,
    libc::SYS_unshare,
    libc::SYS_open_by_handle_at,
    libc::SYS_name_to_handle_at,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_reboot,
    libc::SYS_acct,
    libc::SYS_syslog,
    libc::SYS_vhangup,
    libc::SYS_quotactl,
    SYS_QUOTACTL_FD,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
];

/// `clone` that asks for a namespace. `clone3` keeps its flags in memory and is refused as missing.
fn namespaces() -> Rows {
    [
        libc::CLONE_NEWNS,
        libc::CLONE_NEWCGROUP,
        libc::CLONE_NEWUTS,
        libc::CLONE_NEWIPC,
        libc::CLONE_NEWUSER,
        libc::CLONE_NEWPID,
        libc::CLONE_NEWNET,
    ]
    .into_iter()
    .map(|flag| vec![any(0, flag as u32)])
    .collect()
}

/// EPERM where processes and IPC are shared with the operator: limits and priorities of others, System V and POSIX IPC.
pub(super) fn other_processes() -> Calls {
    let others = |argument| vec![vec![not(argument, 0)]];
    // PRIO_USER (2) and IOPRIO_WHO_USER (3) reach every process of the user, with 0 too.
    let of_user = |kind| vec![vec![not(1, 0)], vec![is(0, kind)]];
    let mut calls: Calls = vec![
        (libc::SYS_prlimit64, others(0)),
        (libc::SYS_sched_setaffinity, others(0)),
        (libc::SYS_sched_setparam, others(0)),
        (libc::SYS_sched_setscheduler, others(0)),
        (libc::SYS_sched_setattr, others(0)),
        (libc::SYS_migrate_pages, others(0)),
        (libc::SYS_move_pages, others(0)),
        (libc::SYS_setpriority, of_user(2)),
        (libc::SYS_ioprio_set, of_user(3)),
    ];
    calls.extend(SHARED_IPC.iter().map(|call| (*call, Vec::new())));
    calls
}

const SHARED_IPC: &[libc::c_long] = &[
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_semctl,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
];

/// ENOSYS: calls that programs do without when the kernel lacks them. io_uring opens sockets without `socket`.
pub(super) fn missing() -> Calls {
    [
        libc::SYS_io_uring_setup,
        libc::SYS_io_uring_enter,
        libc::SYS_io_uring_register,
        libc::SYS_clone3,
    ]
    .into_iter()
    .map(|call| (call, Vec::new()))
    .collect()
}

/// EACCES: every socket but TCP (where there is a network at all) and the kernel's route socket; socket pairs but
/// connected ones (a datagram pair can be aimed anew at a path); listening where nothing may be listened on (a socket
/// that was never bound would get a port past Landlock's rules).
pub(super) fn sockets(inet: bool, listen: bool) -> Calls {
    let mut calls = vec![
        (libc::SYS_socket, socket(inet)),
        (libc::SYS_socketpair, socketpair()),
    ];
    if !listen {
        calls.push((libc::SYS_listen, Vec::new()));
    }
    calls
}

const KIND: u32 = 0xf; // SOCK_TYPE_MASK: the rest of the argument is flags

fn socket(inet: bool) -> Rows {
    let mut families = vec![libc::AF_NETLINK as u32];
    if inet {
        families.extend([libc::AF_INET as u32, libc::AF_INET6 as u32]);
    }
    let mut rows = vec![families.iter().map(|family| not(0, *family)).collect()];
    rows.push(vec![
        is(0, libc::AF_NETLINK as u32),
        not(2, libc::NETLINK_ROUTE as u32),
    ]);
    if inet {
        for family in [libc::AF_INET as u32, libc::AF_INET6 as u32] {
            rows.extend(
                other_kinds(1, libc::SOCK_STREAM as u32).map(|kind| vec![is(0, family), kind]),
            );
            let protocol = [not(2, 0), not(2, libc::IPPROTO_TCP as u32)];
            rows.push([&[is(0, family)], &protocol[..]].concat());
        }
    }
    rows
}

/// STREAM is 1 and SEQPACKET is 5: bit 0 set, bits 1 and 3 clear.
fn socketpair() -> Rows {
    vec![
        vec![not(0, libc::AF_UNIX as u32)],
        vec![bits(1, 0b0001, 0)],
        vec![bits(1, 0b0010, 0b0010)],
        vec![bits(1, 0b1000, 0b1000)],
    ]
}

/// One condition per bit of the socket's kind that differs from this one.
fn other_kinds(argument: u8, kind: u32) -> impl Iterator<Item = Condition> {
    (0..4).map(move |at| {
        let bit = 1u32 << at;
        bits(argument, bit & KIND, !kind & bit)
    })
}

fn is(argument: u8, value: u32) -> Condition {
    let test = Test::Is(value);
    Condition { argument, test }
}

fn not(argument: u8, value: u32) -> Condition {
    let test = Test::Not(value);
    Condition { argument, test }
}

fn any(argument: u8, flag: u32) -> Condition {
    bits(argument, flag, flag)
}

fn bits(argument: u8, mask: u32, value: u32) -> Condition {
    let test = Test::Bits { mask, value };
    Condition { argument, test }
}

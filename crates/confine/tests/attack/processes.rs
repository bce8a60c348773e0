//! Attacks on processes and on what processes share.

use std::fs;
use std::io::{Read, Seek};
use std::process::Command;

use super::raw::{Answer, at, call, done, number, reached};
use super::world::Target;

fn pid(t: &Target) -> usize {
    usize::try_from(t.victim).unwrap()
}
fn read(t: &Target, part: &str) -> Answer {
    done(fs::read(format!("/proc/{}/{part}", t.victim)).map_err(number))
}
fn plain(number: libc::c_long, args: [usize; 3]) -> Answer {
    let [a, b, c] = args;
    done(call(number, [a, b, c, 0, 0, 0]))
}

pub fn command_line(t: &Target) -> Answer {
    read(t, "cmdline")
}
pub fn environment(t: &Target) -> Answer {
    read(t, "environ")
}
pub fn maps(t: &Target) -> Answer {
    read(t, "maps")
}
pub fn descriptors(t: &Target) -> Answer {
    done(fs::read_dir(format!("/proc/{}/fd", t.victim)).map_err(number))
}
pub fn descriptor(t: &Target) -> Answer {
    done(fs::read_link(format!("/proc/{}/fd/0", t.victim)).map_err(number))
}
pub fn memory(t: &Target) -> Answer {
    let mut file = fs::File::open(format!("/proc/{}/mem", t.operator)).map_err(number)?;
    file.seek(std::io::SeekFrom::Start(t.secret as u64))
        .map_err(number)?;
    file.read_exact(&mut [0; 16]).map_err(number)
}
pub fn vm_read(t: &Target) -> Answer {
    let mut room = [0u8; 16];
    let local = [std::ptr::from_mut(&mut room) as usize, 16];
    let remote = [t.secret, 16];
    let operator = usize::try_from(t.operator).unwrap();
    done(call(
        libc::SYS_process_vm_readv,
        [operator, at(&local), 1, at(&remote), 1, 0],
    ))
}
pub fn signal_zero(t: &Target) -> Answer {
    plain(libc::SYS_kill, [pid(t), 0, 0])
}
pub fn signal(t: &Target) -> Answer {
    plain(libc::SYS_kill, [pid(t), libc::SIGUSR1 as usize, 0])
}
pub fn signal_thread(t: &Target) -> Answer {
    plain(libc::SYS_tgkill, [pid(t), pid(t), libc::SIGUSR1 as usize])
}
pub fn signal_queue(t: &Target) -> Answer {
    let mut info = [0i32; 32];
    info[0] = libc::SIGUSR1;
    info[2] = libc::SI_QUEUE;
    let args = [pid(t), libc::SIGUSR1 as usize, at(&info)];
    plain(libc::SYS_rt_sigqueueinfo, args)
}
pub fn pidfd_open(t: &Target) -> Answer {
    plain(libc::SYS_pidfd_open, [pid(t), 0, 0])
}
pub fn pidfd_signal(t: &Target) -> Answer {
    let victim = call(libc::SYS_pidfd_open, [pid(t), 0, 0, 0, 0, 0])?;
    plain(
        libc::SYS_pidfd_send_signal,
        [victim, libc::SIGUSR1 as usize, 0],
    )
}
pub fn pidfd_getfd(t: &Target) -> Answer {
    let victim = call(libc::SYS_pidfd_open, [pid(t), 0, 0, 0, 0, 0])?;
    plain(libc::SYS_pidfd_getfd, [victim, 0, 0])
}
pub fn ptrace(t: &Target) -> Answer {
    plain(libc::SYS_ptrace, [libc::PTRACE_SEIZE as usize, pid(t), 0])
}
pub fn ptrace_own(_: &Target) -> Answer {
    let mut child = Command::new("/bin/sleep")
        .arg("60")
        .spawn()
        .map_err(number)?;
    let answer = plain(
        libc::SYS_ptrace,
        [libc::PTRACE_SEIZE as usize, child.id() as usize, 0],
    );
    child.kill().map_err(number)?;
    child.wait().map_err(number)?;
    answer
}
pub fn compare(t: &Target) -> Answer {
    let own = std::process::id() as usize;
    done(call(libc::SYS_kcmp, [own, pid(t), 1, 0, 0, 0])) // KCMP_VM
}
pub fn limit(t: &Target) -> Answer {
    let limit = [0u64, 0];
    plain(
        libc::SYS_prlimit64,
        [pid(t), libc::RLIMIT_CORE as usize, at(&limit)],
    )
}
pub fn nice(t: &Target) -> Answer {
    plain(libc::SYS_setpriority, [0, pid(t), 5])
}
pub fn nice_user(_: &Target) -> Answer {
    plain(libc::SYS_setpriority, [2, 0, 5]) // PRIO_USER
}
pub fn affinity(t: &Target) -> Answer {
    let mask = [u64::MAX; 16];
    plain(libc::SYS_sched_setaffinity, [pid(t), 128, at(&mask)])
}
pub fn io_priority(t: &Target) -> Answer {
    plain(libc::SYS_ioprio_set, [1, pid(t), 3 << 13]) // IOPRIO_WHO_PROCESS, idle class
}
pub fn shared_memory(t: &Target) -> Answer {
    plain(libc::SYS_shmat, [usize::try_from(t.shared).unwrap(), 0, 0])
}
pub fn message_queue(_: &Target) -> Answer {
    let name = c"taffrail-test";
    let flags = (libc::O_CREAT | libc::O_RDWR) as usize;
    done(call(
        libc::SYS_mq_open,
        [name.as_ptr() as usize, flags, 0o600, 0, 0, 0],
    ))?;
    plain(libc::SYS_mq_unlink, [name.as_ptr() as usize, 0, 0])
}
pub fn keys(_: &Target) -> Answer {
    let (kind, name, value) = (c"user", c"taffrail-test", b"x");
    let session = -3isize as usize; // KEY_SPEC_SESSION_KEYRING
    let (kind, name) = (kind.as_ptr() as usize, name.as_ptr() as usize);
    done(call(
        libc::SYS_add_key,
        [kind, name, at(value), 1, session, 0],
    ))
}
pub fn ring(_: &Target) -> Answer {
    let parameters = [0u32; 30];
    plain(libc::SYS_io_uring_setup, [1, at(&parameters), 0])
}
pub fn fault(_: &Target) -> Answer {
    plain(libc::SYS_userfaultfd, [1, 0, 0]) // UFFD_USER_MODE_ONLY
}
pub fn measure(_: &Target) -> Answer {
    // With no attributes the call is bad for everybody who may make it.
    reached(
        call(libc::SYS_perf_event_open, [0, 0, 0, 0, 0, 0]),
        libc::EFAULT,
    )
}
pub fn program_kernel(_: &Target) -> Answer {
    reached(call(libc::SYS_bpf, [9_999, 0, 0, 0, 0, 0]), libc::EINVAL)
}
pub fn type_ahead(_: &Target) -> Answer {
    let answer = call(
        libc::SYS_ioctl,
        [usize::MAX, libc::TIOCSTI as usize, 0, 0, 0, 0],
    );
    reached(answer, libc::EBADF)
}
/// The same with rubbish in the upper half of the request, which the kernel ignores.
pub fn type_ahead_wide(_: &Target) -> Answer {
    let request = libc::TIOCSTI as usize | 1 << 40;
    let answer = call(libc::SYS_ioctl, [usize::MAX, request, 0, 0, 0, 0]);
    reached(answer, libc::EBADF)
}
pub fn user_namespace(_: &Target) -> Answer {
    plain(libc::SYS_unshare, [libc::CLONE_NEWUSER as usize, 0, 0])
}
pub fn clone_namespace(_: &Target) -> Answer {
    let flags = (libc::CLONE_NEWUSER | libc::SIGCHLD) as usize;
    match call(libc::SYS_clone, [flags, 0, 0, 0, 0, 0])? {
        0 => std::process::exit(0),
        child => plain(libc::SYS_wait4, [child, 0, 0]),
    }
}
pub fn clone3_namespace(_: &Target) -> Answer {
    let mut arguments = [0u64; 11];
    arguments[0] = libc::CLONE_NEWUSER as u64;
    arguments[4] = libc::SIGCHLD as u64;
    match call(
        libc::SYS_clone3,
        [at(&arguments), size_of_val(&arguments), 0, 0, 0, 0],
    )? {
        0 => std::process::exit(0),
        child => plain(libc::SYS_wait4, [child, 0, 0]),
    }
}
pub fn bind_mount(t: &Target) -> Answer {
    let both = (libc::CLONE_NEWUSER | libc::CLONE_NEWNS) as usize;
    plain(libc::SYS_unshare, [both, 0, 0])?;
    let path = |path: &std::path::Path| std::ffi::CString::new(path.to_str().unwrap()).unwrap();
    let (from, to) = (path(&t.project), path(&t.checkout));
    let (from, to) = (from.as_ptr() as usize, to.as_ptr() as usize);
    let bind = (libc::MS_BIND | libc::MS_REC) as usize;
    done(call(libc::SYS_mount, [from, to, 0, bind, 0, 0]))
}
pub fn nested_bwrap(_: &Target) -> Answer {
    let mut bwrap = Command::new("/usr/bin/bwrap");
    let output = bwrap
        .args(["--ro-bind", "/", "/", "/bin/true"])
        .output()
        .map_err(number)?;
    if output.status.success() {
        Ok(())
    } else {
        Err(libc::EPERM)
    }
}
pub fn change_root(t: &Target) -> Answer {
    let path = std::ffi::CString::new(t.boxed.to_str().unwrap()).unwrap();
    plain(libc::SYS_chroot, [path.as_ptr() as usize, 0, 0])
}
/// A call by its number in the x32 interface. The kernel may lack that; then it says so and the process lives.
pub fn foreign_number(_: &Target) -> Answer {
    reached(call(0x4000_0000 + libc::SYS_getpid, [0; 6]), libc::ENOSYS)
}
/// getpid by its old number through the old door; a kernel without that door ends the process too.
#[cfg(target_arch = "x86_64")]
pub fn foreign_interface(_: &Target) -> Answer {
    let answer: u64;
    // SAFETY: getpid takes nothing and touches no memory; the registers that the old entry clears are declared.
    unsafe {
        std::arch::asm!(
            "int 0x80",
            inlateout("rax") 20u64 => answer,
            out("r8") _, out("r9") _, out("r10") _, out("r11") _,
        );
    }
    if answer > 0 {
        Ok(())
    } else {
        Err(libc::ENOSYS)
    }
}
#[cfg(not(target_arch = "x86_64"))]
pub fn foreign_interface(_: &Target) -> Answer {
    Err(libc::ENOSYS)
}
pub fn own_signal(t: &Target) -> Answer {
    let mut child = Command::new("/bin/sleep")
        .arg("60")
        .current_dir(&t.checkout)
        .spawn()
        .map_err(number)?;
    child.kill().map_err(number)?;
    done(child.wait().map_err(number))?;
    done(std::thread::spawn(|| 1).join().map_err(|_| libc::EAGAIN))
}
pub fn run_script(t: &Target) -> Answer {
    use std::os::unix::fs::PermissionsExt;
    let script = t.checkout.join("script");
    fs::write(&script, "#!/bin/sh\nexit 0\n").map_err(number)?;
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).map_err(number)?;
    let status = Command::new(script).status().map_err(number)?;
    if status.success() {
        Ok(())
    } else {
        Err(libc::EPERM)
    }
}

//! Attacks on files.

use std::ffi::CString;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use super::raw::{Answer, at, call, done, number};
use super::world::Target;

fn append(path: &Path) -> Answer {
    let mut file = OpenOptions::new().append(true).open(path).map_err(number)?;
    file.write_all(b"attacked").map_err(number)
}

fn read(path: &Path) -> Answer {
    done(fs::read(path).map_err(number))
}

fn c(path: &Path) -> CString {
    CString::new(path.as_os_str().as_bytes()).unwrap()
}

/// The path of something of the victim's in `/proc`, followed by more.
fn proc(target: &Target, part: &str, rest: &Path) -> PathBuf {
    let base = format!("/proc/{}/{part}", target.victim);
    Path::new(&base).join(rest.strip_prefix("/").unwrap_or(rest))
}

pub fn write_absolute(t: &Target) -> Answer {
    append(&t.project.join("file"))
}
pub fn write_dot_dot(t: &Target) -> Answer {
    append(&t.checkout.join("../../project/file"))
}
pub fn write_by_link(t: &Target) -> Answer {
    append(&t.checkout.join("out"))
}
pub fn write_by_new_link(t: &Target) -> Answer {
    let link = t.checkout.join("new");
    symlink(t.project.join("file"), &link).map_err(number)?;
    append(&link)
}
pub fn write_by_directory_link(t: &Target) -> Answer {
    fs::write(t.checkout.join("out_dir/made"), "x").map_err(number)
}
pub fn write_own_root(t: &Target) -> Answer {
    append(
        &Path::new("/proc/self/root")
            .join(t.project.strip_prefix("/").unwrap())
            .join("file"),
    )
}
pub fn write_first_root(t: &Target) -> Answer {
    append(
        &Path::new("/proc/1/root")
            .join(t.project.strip_prefix("/").unwrap())
            .join("file"),
    )
}
pub fn write_victim_root(t: &Target) -> Answer {
    append(&proc(t, "root", &t.project.join("file")))
}
pub fn write_victim_cwd(t: &Target) -> Answer {
    append(&proc(t, "cwd", Path::new("file")))
}
pub fn write_new_hard_link(t: &Target) -> Answer {
    let link = t.checkout.join("linked");
    fs::hard_link(t.project.join("file"), &link).map_err(number)?;
    append(&link)
}
pub fn write_planted_hard_link(t: &Target) -> Answer {
    append(&t.checkout.join("planted"))
}
pub fn rename_into(t: &Target) -> Answer {
    fs::rename(t.checkout.join("README"), t.project.join("made")).map_err(number)
}
pub fn rename_over(t: &Target) -> Answer {
    fs::rename(t.checkout.join("README"), t.project.join("file")).map_err(number)
}
pub fn rename_out(t: &Target) -> Answer {
    fs::rename(t.project.join("file"), t.checkout.join("taken")).map_err(number)
}
pub fn unlink(t: &Target) -> Answer {
    fs::remove_file(t.project.join("file")).map_err(number)
}
pub fn truncate(t: &Target) -> Answer {
    let path = c(&t.project.join("file"));
    done(call(
        libc::SYS_truncate,
        [path.as_ptr() as usize, 0, 0, 0, 0, 0],
    ))
}
pub fn git_config(t: &Target) -> Answer {
    append(&t.project.join(".git/config"))
}
pub fn git_hook(t: &Target) -> Answer {
    fs::write(t.project.join(".git/hooks/post-checkout"), "#!/bin/sh\n").map_err(number)
}
pub fn agent_hook(t: &Target) -> Answer {
    append(&t.home.join(".claude/settings.json"))
}
pub fn chmod(t: &Target) -> Answer {
    fs::set_permissions(t.project.join("file"), fs::Permissions::from_mode(0o777)).map_err(number)
}
pub fn chmod_keys(t: &Target) -> Answer {
    fs::set_permissions(t.home.join(".ssh"), fs::Permissions::from_mode(0o777)).map_err(number)
}
pub fn utime(t: &Target) -> Answer {
    let path = c(&t.project.join("file"));
    let times = [0i64; 4];
    let cwd = libc::AT_FDCWD as usize;
    done(call(
        libc::SYS_utimensat,
        [cwd, path.as_ptr() as usize, at(&times), 0, 0, 0],
    ))
}
pub fn setxattr(t: &Target) -> Answer {
    let path = c(&t.project.join("file"));
    let (name, value) = (c"user.attack", b"x");
    let name = name.as_ptr() as usize;
    done(call(
        libc::SYS_setxattr,
        [path.as_ptr() as usize, name, at(value), 1, 0, 0],
    ))
}
pub fn shell_start(t: &Target) -> Answer {
    append(&t.home.join(".bashrc"))
}
pub fn own_config(t: &Target) -> Answer {
    append(&t.home.join(".taffrail/config.toml"))
}
pub fn new_in_home(t: &Target) -> Answer {
    done(File::create(t.home.join(".profile")).map_err(number))
}
pub fn scratch_tmp(t: &Target) -> Answer {
    fs::write(Path::new("/tmp").join(&t.name), "x").map_err(number)
}
pub fn scratch_var_tmp(t: &Target) -> Answer {
    fs::write(Path::new("/var/tmp").join(&t.name), "x").map_err(number)
}
pub fn scratch_shm(t: &Target) -> Answer {
    fs::write(Path::new("/dev/shm").join(&t.name), "x").map_err(number)
}
pub fn system_program(t: &Target) -> Answer {
    let path = Path::new("/usr/local/bin").join(&t.name);
    File::create(&path).map_err(number)?;
    fs::remove_file(path).map_err(number)
}
pub fn kernel_setting(_: &Target) -> Answer {
    let path = "/proc/sys/kernel/core_pattern";
    done(OpenOptions::new().write(true).open(path).map_err(number))
}
pub fn make_device(t: &Target) -> Answer {
    let path = c(&t.checkout.join("device"));
    let cwd = libc::AT_FDCWD as usize;
    let mode = libc::S_IFCHR as usize | 0o600;
    let device = libc::makedev(1, 5) as usize;
    done(call(
        libc::SYS_mknodat,
        [cwd, path.as_ptr() as usize, mode, device, 0, 0],
    ))
}
pub fn read_key(t: &Target) -> Answer {
    read(&t.home.join(".ssh/id_test"))
}
pub fn read_cloud(t: &Target) -> Answer {
    read(&t.home.join(".aws/credentials"))
}
pub fn read_agent(t: &Target) -> Answer {
    read(&t.home.join(".claude/settings.json"))
}
pub fn read_store(t: &Target) -> Answer {
    read(&t.home.join(".taffrail/taffrail.db"))
}
pub fn read_project(t: &Target) -> Answer {
    read(&t.project.join("file"))
}
pub fn read_shadow(_: &Target) -> Answer {
    read(Path::new("/etc/shadow"))
}
pub fn read_masked_directory(_: &Target) -> Answer {
    let mut entries = fs::read_dir("/etc/sudoers.d").map_err(number)?;
    let first = entries.next().ok_or(libc::ENOENT)?.map_err(number)?;
    read(&first.path())
}
pub fn list_home(t: &Target) -> Answer {
    done(fs::read_dir(&t.home).map_err(number))
}
pub fn stat(t: &Target) -> Answer {
    done(t.home.join(".ssh/id_test").metadata().map_err(number))
}
pub fn readlink(t: &Target) -> Answer {
    done(fs::read_link(t.home.join("link")).map_err(number))
}
pub fn watch(t: &Target) -> Answer {
    let queue = call(libc::SYS_inotify_init1, [0; 6])?;
    let path = c(&t.home);
    let modify = libc::IN_MODIFY as usize;
    done(call(
        libc::SYS_inotify_add_watch,
        [queue, path.as_ptr() as usize, modify, 0, 0, 0],
    ))
}
pub fn handle(t: &Target) -> Answer {
    let path = c(&t.project.join("file"));
    let mut room = [0u32; 34];
    room[0] = 128;
    let mut mount = 0i32;
    let cwd = libc::AT_FDCWD as usize;
    let (room, mount) = (
        std::ptr::from_mut(&mut room) as usize,
        std::ptr::from_mut(&mut mount) as usize,
    );
    done(call(
        libc::SYS_name_to_handle_at,
        [cwd, path.as_ptr() as usize, room, mount, 0, 0],
    ))
}
pub fn terminal(t: &Target) -> Answer {
    let mut options = OpenOptions::new();
    done(
        options
            .read(true)
            .write(true)
            .open(&t.terminal)
            .map_err(number),
    )
}

/// Both sides of a pseudo-terminal, the other side by its name.
pub fn new_terminal(_: &Target) -> Answer {
    use rustix::pty;
    let flags = pty::OpenptFlags::RDWR | pty::OpenptFlags::NOCTTY;
    let master = pty::openpt(flags).map_err(rustix::io::Errno::raw_os_error)?;
    pty::unlockpt(&master).map_err(rustix::io::Errno::raw_os_error)?;
    let name = pty::ptsname(&master, Vec::new()).map_err(rustix::io::Errno::raw_os_error)?;
    let mut options = OpenOptions::new();
    let options = options.read(true).write(true);
    done(options.open(name.to_str().unwrap()).map_err(number))
}

// What a child needs.

pub fn work(t: &Target) -> Answer {
    let (made, moved) = (t.checkout.join("made"), t.boxed.join("tmp/moved"));
    fs::write(&made, "x").map_err(number)?;
    fs::rename(&made, &moved).map_err(number)?;
    fs::create_dir(t.checkout.join("folder")).map_err(number)?;
    symlink("README", t.checkout.join("folder/link")).map_err(number)?;
    fs::hard_link(&moved, t.checkout.join("second")).map_err(number)?;
    fs::set_permissions(&moved, fs::Permissions::from_mode(0o755)).map_err(number)?;
    fs::write(&moved, "shorter").map_err(number)?;
    fs::remove_dir_all(t.checkout.join("folder")).map_err(number)?;
    let pipe = c(&t.checkout.join("pipe"));
    let cwd = libc::AT_FDCWD as usize;
    let mode = libc::S_IFIFO as usize | 0o600;
    done(call(
        libc::SYS_mknodat,
        [cwd, pipe.as_ptr() as usize, mode, 0, 0, 0],
    ))
}
pub fn system_files(_: &Target) -> Answer {
    read(Path::new("/etc/passwd"))?;
    done(fs::read_dir("/etc").map_err(number))?;
    done(fs::read_dir("/usr/bin").map_err(number))?;
    read(Path::new("/proc/meminfo"))?;
    fs::write("/dev/null", "x").map_err(number)?;
    let mut random = File::open("/dev/urandom").map_err(number)?;
    std::io::Read::read_exact(&mut random, &mut [0; 8]).map_err(number)
}
pub fn own_processes(_: &Target) -> Answer {
    read(Path::new("/proc/self/status"))?;
    done(fs::read_dir("/proc/self/fd").map_err(number))
}

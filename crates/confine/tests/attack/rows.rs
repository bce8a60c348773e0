//! The table: every attack, and what becomes of it without a sandbox and on each rung.

use super::raw::Answer;
use super::world::Target;
use super::{files as f, network as n, processes as p};

/// What must come out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expect {
    /// It succeeds.
    A,
    /// It fails, and nothing outside has changed.
    D,
    /// It succeeds on a private copy: nothing outside has changed.
    P,
    /// It succeeds for root and fails for others.
    R,
    /// It depends on the machine (Yama, a module, an administrator's setting).
    U,
}

/// One attack.
pub struct Row {
    pub name: &'static str,
    pub act: fn(&Target) -> Answer,
    pub none: Expect,
    pub partial: Expect,
    pub full: Expect,
}

macro_rules! rows {
    ($($name:literal $none:ident $partial:ident $full:ident $act:expr;)+) => {
        &[$(Row {
            name: $name,
            act: $act,
            none: Expect::$none,
            partial: Expect::$partial,
            full: Expect::$full,
        }),+]
    };
}

/// With one port granted, so that the network is shared on both rungs.
pub const WITH_A_PORT: &[Row] = rows! {
    "write the project: absolute path" A D D f::write_absolute;
    "write the project: .." A D D f::write_dot_dot;
    "write the project: link in the checkout" A D D f::write_by_link;
    "write the project: new link in the checkout" A D D f::write_by_new_link;
    "write the project: link to a directory" A D D f::write_by_directory_link;
    "write the project: /proc/self/root" A D D f::write_own_root;
    "write the project: /proc/<out>/root" A D D f::write_victim_root;
    "write the project: /proc/<out>/cwd" A D D f::write_victim_cwd;
    "write the project: /proc/1/root" U D D f::write_first_root;
    "write the project: new hard link" A D D f::write_new_hard_link;
    // Nothing stops this one: a checkout with such a file is refused before anything starts.
    "write the project: hard link already in the checkout" A A A f::write_planted_hard_link;
    "rename into the project" A D D f::rename_into;
    "rename over a project file" A D D f::rename_over;
    "rename a project file away" A D D f::rename_out;
    "unlink a project file" A D D f::unlink;
    "truncate a project file" A D D f::truncate;
    "write .git/config of the project" A D D f::git_config;
    "make a hook in the project" A D D f::git_hook;
    "write an agent's settings in the home" A D D f::agent_hook;
    "chmod a project file" A A D f::chmod;
    "chmod 777 ~/.ssh" A A D f::chmod_keys;
    "change a project file's times" A A D f::utime;
    "set an attribute on a project file" U U D f::setxattr;
    "write ~/.bashrc" A D D f::shell_start;
    "write taffrail's configuration" A D D f::own_config;
    "make a file in the home" A D D f::new_in_home;
    "write /tmp" A D P f::scratch_tmp;
    "write /var/tmp" A D P f::scratch_var_tmp;
    "write /dev/shm" A D P f::scratch_shm;
    "write /usr/local/bin" R D D f::system_program;
    "write a kernel setting" R D D f::kernel_setting;
    "make a device" R D D f::make_device;
    "read ~/.ssh" A D D f::read_key;
    "read ~/.aws" A D D f::read_cloud;
    "read another agent's folder" A D D f::read_agent;
    "read taffrail's store" A D D f::read_store;
    "read the project" A D D f::read_project;
    "read /etc/shadow" R D D f::read_shadow;
    "read a masked directory" U D D f::read_masked_directory;
    "list the home" A D D f::list_home;
    "stat a key" A A D f::stat;
    "read a link in the home" A A D f::readlink;
    "watch the home" A A D f::watch;
    "take a file's handle" U D D f::handle;
    "open another terminal of the operator's" A D D f::terminal;
    "work: a new terminal" A D D f::new_terminal;

    "read /proc/<out>/cmdline" A D D p::command_line;
    "read /proc/<out>/environ" A D D p::environment;
    "read /proc/<out>/maps" A D D p::maps;
    "list /proc/<out>/fd" A D D p::descriptors;
    "read the link /proc/<out>/fd/0" A D D p::descriptor;
    "read /proc/<out>/mem" U D D p::memory;
    "process_vm_readv" U D D p::vm_read;
    "signal 0" A D D p::signal_zero;
    "SIGUSR1" A D D p::signal;
    "tgkill" A D D p::signal_thread;
    "rt_sigqueueinfo" A D D p::signal_queue;
    "pidfd_open" A A D p::pidfd_open;
    "pidfd_send_signal" A D D p::pidfd_signal;
    "pidfd_getfd" U D D p::pidfd_getfd;
    "ptrace" U D D p::ptrace;
    "ptrace of an own child" A D D p::ptrace_own;
    "kcmp" U D D p::compare;
    "prlimit" A D D p::limit;
    "setpriority of a process" A D D p::nice;
    "setpriority of the whole user" A D P p::nice_user;
    "sched_setaffinity" A D D p::affinity;
    "ioprio_set" A D D p::io_priority;
    "System V shared memory" A D D p::shared_memory;
    "POSIX message queue" U D U p::message_queue;
    "add_key" U D D p::keys;
    "io_uring" U D D p::ring;
    "userfaultfd" U D D p::fault;
    "perf_event_open" U D D p::measure;
    "bpf" U D D p::program_kernel;
    "TIOCSTI" A D D p::type_ahead;
    "TIOCSTI with a wide number" A D D p::type_ahead_wide;
    "user namespace: unshare" U D D p::user_namespace;
    "user namespace: clone" U D D p::clone_namespace;
    "user namespace: clone3" U D D p::clone3_namespace;
    "bind mount of the project" U D D p::bind_mount;
    "bubblewrap inside" U D D p::nested_bwrap;
    "chroot" R D D p::change_root;
    "a number of the x32 interface" U D D p::foreign_number;
    "a call of the 32-bit interface" U D D p::foreign_interface;

    "docker.sock in /run" A D D n::docker_in_run;
    "docker.sock in the home" A D D n::docker_in_home;
    "ssh-agent" A D D n::key_agent;
    "session bus, secret service" A D D n::session_bus;
    "systemd-run --user" A D D n::user_systemd;
    "abstract Unix socket" A D D n::abstract_name;
    "socket pair aimed anew" A D D n::aimed_anew;
    "TCP to another port" A D D n::other_port;
    "TCP to another port, IPv6" U D D n::other_port_6;
    "TCP Fast Open: sendto" A D D n::fast_open;
    "TCP Fast Open: sendmsg" A D D n::fast_open_message;
    "multipath TCP" U D D n::multipath;
    "bind and listen" A D D n::bind;
    "listen without bind" A D D n::listen;
    "UDP" A D D n::udp;
    "UDP with wide numbers" A D D n::udp_wide;
    "raw socket" R D D n::raw;
    "packet socket" R D D n::packets;
    "vsock" U D D n::virtual_machine;
    "kernel crypto socket" U D D n::crypto;
    "audit socket" A D D n::audit;

    "work: files in the box" A A A f::work;
    "work: system files and devices" A A A f::system_files;
    "work: a script of the checkout" A A A p::run_script;
    "work: start, signal and await a child, a thread" A A A p::own_signal;
    "work: the granted port" A A A n::granted;
    "work: a stream pair" A A A n::stream_pair;
    "work: the route socket" A A A n::routes;
    "work: own processes in /proc" A D A f::own_processes;
};

/// With no network at all.
pub const WITHOUT_NETWORK: &[Row] = rows! {
    "the machine's loopback" A D D n::granted;
    "the machine's loopback by TCP Fast Open" A D D n::fast_open;
    "UDP" A D D n::udp;
    "Unix socket by path" A D D n::docker_in_run;
    "abstract Unix socket" A D D n::abstract_name;
    "work: a server of its own" A D A n::own_server;
};

/// The row of this name in either table.
pub fn find(name: &str) -> &'static Row {
    WITH_A_PORT
        .iter()
        .chain(WITHOUT_NETWORK)
        .find(|row| row.name == name)
        .unwrap()
}

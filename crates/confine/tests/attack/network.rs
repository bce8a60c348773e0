//! Attacks through sockets, and the few that must work.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::os::fd::AsRawFd;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{UnixDatagram, UnixStream};

use super::raw::{Answer, at, call, done, number};
use super::world::Target;

fn unix(t: &Target, name: &str) -> Answer {
    done(UnixStream::connect(t.root.join(name)).map_err(number))
}
fn socket(family: i32, kind: i32, protocol: i32) -> Result<usize, i32> {
    call(
        libc::SYS_socket,
        [family as usize, kind as usize, protocol as usize, 0, 0, 0],
    )
}
fn loopback(port: u16) -> [u8; 16] {
    let mut address = [0u8; 16];
    address[0] = libc::AF_INET as u8;
    address[2..4].copy_from_slice(&port.to_be_bytes());
    address[4..8].copy_from_slice(&Ipv4Addr::LOCALHOST.octets());
    address
}
fn connect(address: impl Into<SocketAddr>) -> Answer {
    done(TcpStream::connect(address.into()).map_err(number))
}

pub fn docker_in_run(t: &Target) -> Answer {
    unix(t, "run/docker.sock")
}
pub fn docker_in_home(t: &Target) -> Answer {
    unix(t, "home/.docker/run/docker.sock")
}
pub fn key_agent(t: &Target) -> Answer {
    unix(t, "ssh-agent/agent.1")
}
/// The secret service answers here.
pub fn session_bus(t: &Target) -> Answer {
    unix(t, "run/user/bus")
}
/// `systemd-run --user` speaks here.
pub fn user_systemd(t: &Target) -> Answer {
    unix(t, "run/user/systemd/private")
}
pub fn abstract_name(t: &Target) -> Answer {
    let name = std::os::unix::net::SocketAddr::from_abstract_name(&t.name).map_err(number)?;
    done(UnixStream::connect_addr(&name).map_err(number))
}
pub fn aimed_anew(t: &Target) -> Answer {
    let (pair, _other) = UnixDatagram::pair().map_err(number)?;
    pair.connect(t.root.join("run/log")).map_err(number)?;
    done(pair.send(b"x").map_err(number))
}
pub fn stream_pair(_: &Target) -> Answer {
    done(UnixStream::pair().map_err(number))
}
pub fn granted(t: &Target) -> Answer {
    connect((Ipv4Addr::LOCALHOST, t.granted))
}
pub fn other_port(t: &Target) -> Answer {
    connect((Ipv4Addr::LOCALHOST, t.other))
}
pub fn other_port_6(t: &Target) -> Answer {
    connect((Ipv6Addr::LOCALHOST, t.other6))
}
pub fn fast_open(t: &Target) -> Answer {
    let tcp = socket(libc::AF_INET, libc::SOCK_STREAM, 0)?;
    let (address, fast) = (loopback(t.other), libc::MSG_FASTOPEN as usize);
    done(call(
        libc::SYS_sendto,
        [tcp, at(b"x"), 1, fast, at(&address), 16],
    ))
}
pub fn fast_open_message(t: &Target) -> Answer {
    let tcp = socket(libc::AF_INET, libc::SOCK_STREAM, 0)?;
    let address = loopback(t.other);
    let part = [at(b"x"), 1];
    let message = [at(&address), 16, at(&part), 1, 0, 0, 0];
    let fast = libc::MSG_FASTOPEN as usize;
    done(call(libc::SYS_sendmsg, [tcp, at(&message), fast, 0, 0, 0]))
}
pub fn multipath(t: &Target) -> Answer {
    let tcp = socket(libc::AF_INET, libc::SOCK_STREAM, libc::IPPROTO_MPTCP)?;
    done(call(
        libc::SYS_connect,
        [tcp, at(&loopback(t.other)), 16, 0, 0, 0],
    ))
}
pub fn bind(_: &Target) -> Answer {
    done(TcpListener::bind("127.0.0.1:0").map_err(number))
}
pub fn listen(_: &Target) -> Answer {
    let tcp = socket(libc::AF_INET, libc::SOCK_STREAM, 0)?;
    done(call(libc::SYS_listen, [tcp, 1, 0, 0, 0, 0]))
}
pub fn udp(t: &Target) -> Answer {
    let socket = UdpSocket::bind("127.0.0.1:0").map_err(number)?;
    done(
        socket
            .send_to(b"x", (Ipv4Addr::LOCALHOST, t.udp))
            .map_err(number),
    )
}
/// The upper half of a number is not read by the kernel, and must not be by a filter.
pub fn udp_wide(_: &Target) -> Answer {
    let (family, kind) = (
        libc::AF_INET as usize | 1 << 40,
        libc::SOCK_DGRAM as usize | 1 << 40,
    );
    done(call(libc::SYS_socket, [family, kind, 0, 0, 0, 0]))
}
pub fn raw(_: &Target) -> Answer {
    done(socket(libc::AF_INET, libc::SOCK_RAW, libc::IPPROTO_ICMP))
}
pub fn packets(_: &Target) -> Answer {
    done(socket(libc::AF_PACKET, libc::SOCK_RAW, 0))
}
pub fn virtual_machine(_: &Target) -> Answer {
    done(socket(libc::AF_VSOCK, libc::SOCK_STREAM, 0))
}
pub fn crypto(_: &Target) -> Answer {
    done(socket(libc::AF_ALG, libc::SOCK_SEQPACKET, 0))
}
pub fn audit(_: &Target) -> Answer {
    done(socket(
        libc::AF_NETLINK,
        libc::SOCK_RAW,
        libc::NETLINK_AUDIT,
    ))
}
pub fn routes(_: &Target) -> Answer {
    done(socket(
        libc::AF_NETLINK,
        libc::SOCK_RAW,
        libc::NETLINK_ROUTE,
    ))
}
pub fn own_server(_: &Target) -> Answer {
    let listener = TcpListener::bind("127.0.0.1:0").map_err(number)?;
    assert!(listener.as_raw_fd() > 2);
    connect(listener.local_addr().map_err(number)?)
}

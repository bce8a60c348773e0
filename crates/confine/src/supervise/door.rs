//! A door into a network of the run's own: the warden listens inside and hands the listeners up, so that Taffrail
//! accepts outside what connects inside. No process of ours stays in there, and no port of the machine is opened.

#[cfg(target_os = "linux")]
use std::io::{IoSlice, IoSliceMut};
#[cfg(target_os = "linux")]
use std::mem::MaybeUninit;
#[cfg(target_os = "linux")]
use std::net::Ipv4Addr;
#[cfg(target_os = "linux")]
use std::sync::PoisonError;

use std::io;
use std::net::TcpListener;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex};

#[cfg(target_os = "linux")]
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags,
};

/// Most ports of one door: the proxy's and what is passed through.
pub const MOST_PORTS: usize = 32;

/// The run's end, for [`Launch::door`](super::Launch::door). For one start.
#[derive(Debug, Clone)]
pub struct Door(Arc<Mutex<Option<OwnedFd>>>);

/// Taffrail's end.
#[derive(Debug)]
pub struct Doorway(UnixStream);

/// Both ends of a door.
///
/// # Errors
/// The system's own: no descriptor is left.
pub fn door() -> io::Result<(Door, Doorway)> {
    let (far, near) = UnixStream::pair()?;
    let door = Door(Arc::new(Mutex::new(Some(far.into()))));
    Ok((door, Doorway(near)))
}

impl Door {
    /// The end itself, once: a copy that stayed here would hide the end of the run.
    #[cfg(target_os = "linux")]
    pub(super) fn take(&self) -> Option<OwnedFd> {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.take()
    }
}

impl Doorway {
    /// Waits until the sandbox is about to be entered, and gives the listeners in the order of their ports: the proxy's
    /// first, then what is passed through. `None` where the run ended before.
    ///
    /// # Errors
    /// The system's own, and words that no warden says.
    #[cfg(target_os = "linux")]
    pub fn listeners(&self) -> io::Result<Option<Vec<TcpListener>>> {
        let mut count = [0];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_PORTS))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let got = rustix::io::retry_on_intr(|| {
            rustix::net::recvmsg(
                &self.0,
                &mut [IoSliceMut::new(&mut count)],
                &mut control,
                RecvFlags::CMSG_CLOEXEC,
            )
        })?;
        let rights = control.drain().filter_map(|message| match message {
            RecvAncillaryMessage::ScmRights(rights) => Some(rights),
            _ => None,
        });
        let listeners: Vec<TcpListener> = rights.flatten().map(TcpListener::from).collect();
        if got.bytes == 0 {
            return Ok(None);
        }
        let whole = !got.flags.contains(ReturnFlags::CTRUNC);
        if whole && usize::from(count[0]) == listeners.len() {
            Ok(Some(listeners))
        } else {
            Err(io::Error::other("not every listener came through the door"))
        }
    }

    /// No run has a network of its own on this system.
    ///
    /// # Errors
    /// None.
    #[cfg(not(target_os = "linux"))]
    pub fn listeners(&self) -> io::Result<Option<Vec<TcpListener>>> {
        Ok(None)
    }
}

impl AsFd for Doorway {
    /// Ready, once the listeners were received, when the run is over.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl From<Doorway> for OwnedFd {
    fn from(doorway: Doorway) -> Self {
        doorway.0.into()
    }
}

/// The warden's side, before it enters the sandbox: listens on each port of the loopback and hands the listeners up.
#[cfg(target_os = "linux")]
pub(super) fn hand_up(to: BorrowedFd<'_>, ports: &[u16]) -> io::Result<()> {
    let count = u8::try_from(ports.len())
        .ok()
        .filter(|_| ports.len() <= MOST_PORTS)
        .ok_or_else(|| io::Error::other("too many ports for one door"))?;
    let listeners: Vec<TcpListener> = ports
        .iter()
        .map(|port| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)))
        .collect::<io::Result<_>>()?;
    let rights: Vec<BorrowedFd<'_>> = listeners.iter().map(AsFd::as_fd).collect();
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_PORTS))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !rights.is_empty() && !control.push(SendAncillaryMessage::ScmRights(&rights)) {
        return Err(io::Error::other("too many ports for one door"));
    }
    rustix::io::retry_on_intr(|| {
        rustix::net::sendmsg(
            to,
            &[IoSlice::new(&[count])],
            &mut control,
            SendFlags::NOSIGNAL,
        )
    })?;
    Ok(())
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::TcpStream;

    fn free_ports<const N: usize>() -> [u16; N] {
        let held = [(); N].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
        held.map(|listener| listener.local_addr().unwrap().port())
    }

    #[test]
    fn cnf_08_listeners_come_up_through_the_door_in_their_order() {
        // A port that was free a moment ago may be somebody's by now.
        let handed_up = (0..100).find_map(|_| {
            let (door, doorway) = door().unwrap();
            let far = door.take().unwrap();
            assert!(door.take().is_none(), "one start, one end");
            let ports: [u16; 2] = free_ports();
            hand_up(far.as_fd(), &ports).ok()?;
            Some((ports, doorway))
        });
        let (ports, doorway) = handed_up.unwrap();
        let listeners = doorway.listeners().unwrap().unwrap();
        let got: Vec<u16> = listeners
            .iter()
            .map(|listener| listener.local_addr().unwrap().port())
            .collect();
        assert_eq!(got, ports);
        let mut client = TcpStream::connect(("127.0.0.1", ports[0])).unwrap();
        let (mut served, _) = listeners[0].accept().unwrap();
        client.write_all(b"x").unwrap();
        let mut byte = [0];
        served.read_exact(&mut byte).unwrap();
        assert_eq!(&byte, b"x");
    }

    #[test]
    fn cnf_08_a_run_that_ends_before_it_opens_its_door_is_no_failure() {
        let (door, doorway) = door().unwrap();
        drop(door.take());
        assert!(doorway.listeners().unwrap().is_none());
    }

    #[test]
    fn cnf_08_a_door_has_a_most() {
        let (door, _doorway) = door().unwrap();
        let far = door.take().unwrap();
        let error = hand_up(far.as_fd(), &[1; MOST_PORTS + 1]).unwrap_err();
        assert!(error.to_string().contains("too many"), "{error}");
    }
}

//! Going down a tree folder by folder, each by its handle, so that what was asked of a folder is true of what is read in
//! it (CNF-01, CNF-02).

use std::fs::File;
use std::os::fd::AsFd;
use std::path::Path;

use rustix::fs::Dir;
use rustix::io::Errno;
use taffrail_domain::RepoPath;

use super::FsError;
use super::open::LIST;
use super::root::Root;

/// Which file or folder something is, whatever its names are: its device and its number there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Identity {
    /// The device.
    pub dev: u64,
    /// The number on the device.
    pub ino: u64,
}

impl Identity {
    /// What is at a path now, symlinks followed: the operator's own word. None where nothing is, or nothing can be seen.
    pub fn of_path(path: &Path) -> Option<Self> {
        rustix::fs::stat(path).ok().map(|stat| of(&stat))
    }

    /// An opened file.
    ///
    /// # Errors
    /// The system's own.
    pub fn of_file(file: &File) -> std::io::Result<Self> {
        Ok(rustix::fs::fstat(file).map(|stat| of(&stat))?)
    }
}

// The widths of these fields differ between platforms; on some the conversions do nothing.
#[allow(clippy::useless_conversion, clippy::unnecessary_cast)]
fn of(stat: &rustix::fs::Stat) -> Identity {
    Identity {
        dev: stat.st_dev as u64,
        ino: u64::from(stat.st_ino),
    }
}

impl Root {
    /// Which folder this is.
    ///
    /// # Errors
    /// `Io`.
    pub fn identity(&self) -> Result<Identity, FsError> {
        let stat =
            rustix::fs::fstat(self.handle()).map_err(|errno| FsError::new(self.path(), errno))?;
        Ok(of(&stat))
    }

    /// The same folder by a handle of its own.
    ///
    /// # Errors
    /// `Io`: no handle is left.
    pub fn again(&self) -> Result<Self, FsError> {
        let handle = self.handle().try_clone_to_owned();
        let handle = handle.map_err(|error| FsError::from_io(self.path(), error))?;
        Ok(Self::of_handle(handle, self.path().to_owned()))
    }

    /// A folder beneath this one as a root of its own. What is mounted there from another file system is outside: it may
    /// be a network that does not answer, or a window on processes.
    ///
    /// # Errors
    /// `Symlink`, `NotDirectory`, `NotFound`, `Outside`, `Denied`, `Io`.
    pub fn enter(&self, dir: &RepoPath) -> Result<Self, FsError> {
        let inner = Self::of_handle(self.folder(Some(dir), LIST)?, self.full(dir));
        if inner.identity()?.dev == self.identity()?.dev {
            Ok(inner)
        } else {
            Err(FsError::Outside {
                path: self.full(dir),
            })
        }
    }

    /// Whether a name stands in this folder letter for letter. A file system may find it by another one: in other case,
    /// in eight letters and three, without the characters that it does not see.
    ///
    /// # Errors
    /// `Denied`, `Io`.
    pub fn holds(&self, name: &[u8]) -> Result<bool, FsError> {
        let fail = |errno: Errno| FsError::new(self.path(), errno);
        let folder = self.folder(None, LIST)?;
        for found in Dir::read_from(folder.as_fd()).map_err(fail)? {
            if found.map_err(fail)?.file_name().to_bytes() == name {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::fs::EntryKind;

    fn at(text: &str) -> RepoPath {
        RepoPath::new(text).unwrap()
    }

    #[test]
    fn cnf_01_a_folder_is_entered_by_its_handle_and_a_link_never() {
        let place = tempfile::tempdir().unwrap();
        fs::create_dir_all(place.path().join("root/way/deep")).unwrap();
        fs::create_dir(place.path().join("outside")).unwrap();
        fs::write(place.path().join("root/way/deep/file"), "inside").unwrap();
        symlink("../outside", place.path().join("root/link")).unwrap();
        let root = Root::open(&place.path().join("root")).unwrap();
        let way = root.enter(&at("way")).unwrap();
        let deep = way.enter(&at("deep")).unwrap();
        assert_eq!(
            Some(deep.identity().unwrap()),
            Identity::of_path(&place.path().join("root/way/deep"))
        );
        // Its name means nothing any more: what was entered stays what is read.
        fs::rename(
            place.path().join("root/way"),
            place.path().join("root/gone"),
        )
        .unwrap();
        symlink("../outside", place.path().join("root/way")).unwrap();
        assert_eq!(deep.read(&at("file"), 10).unwrap(), b"inside");
        for bad in ["link", "way", "gone/deep/file", "absent"] {
            assert!(root.enter(&at(bad)).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_name_is_held_letter_for_letter() {
        let place = tempfile::tempdir().unwrap();
        fs::write(place.path().join(".env"), "").unwrap();
        let root = Root::open(place.path()).unwrap();
        assert!(root.holds(b".env").unwrap());
        for other in [b".ENV".as_slice(), b"ENV~1", b".env.", b"absent", b""] {
            assert!(!root.holds(other).unwrap());
        }
    }

    #[test]
    fn an_opened_file_is_the_one_at_its_path_and_its_second_name() {
        let place = tempfile::tempdir().unwrap();
        let (one, two) = (place.path().join("one"), place.path().join("two"));
        fs::write(&one, "").unwrap();
        fs::hard_link(&one, &two).unwrap();
        let root = Root::open(place.path()).unwrap();
        let file = root.open_file(&at("one")).unwrap();
        assert_eq!(
            Some(Identity::of_file(&file).unwrap()),
            Identity::of_path(&two)
        );
        assert_eq!(Identity::of_path(&place.path().join("absent")), None);
    }

    /// `/proc` is mounted where these tests run; entering it from its own file system is not crossing into it.
    #[cfg(target_os = "linux")]
    #[test]
    fn cnf_01_what_is_mounted_is_outside() {
        let root = Root::open(Path::new("/")).unwrap();
        assert!(matches!(root.stat(&at("proc")), Ok((EntryKind::Dir, _))));
        let entered = root.enter(&at("proc")).map(drop);
        assert!(
            matches!(entered, Err(FsError::Outside { .. })),
            "{entered:?}"
        );
        // The twin: opened as a root, or by path from above, it is read.
        assert!(
            Root::open(Path::new("/proc"))
                .unwrap()
                .holds(b"self")
                .unwrap()
        );
        assert!(root.entries(Some(&at("proc"))).is_ok());
    }
}

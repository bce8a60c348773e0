//! Paths as they travel to the warden: their bytes, for serde's own way with a path refuses what is not UTF-8.

/// One path.
pub(super) mod one {
    use std::ffi::OsString;
    use std::path::{Path, PathBuf};

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(path: &Path, to: S) -> Result<S::Ok, S::Error> {
        path.as_os_str().serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<PathBuf, D::Error> {
        OsString::deserialize(from).map(PathBuf::from)
    }
}

/// A list of them.
pub(super) mod all {
    use std::ffi::OsString;
    use std::path::PathBuf;

    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(paths: &[PathBuf], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(paths.iter().map(|path| path.as_os_str()))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<PathBuf>, D::Error> {
        let paths = Vec::<OsString>::deserialize(from)?;
        Ok(paths.into_iter().map(PathBuf::from).collect())
    }
}

/// One that may be missing.
pub(super) mod perhaps {
    use std::ffi::OsString;
    use std::path::{Path, PathBuf};

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[allow(clippy::ref_option)] // serde hands over the field as it is
    pub fn serialize<S: Serializer>(path: &Option<PathBuf>, to: S) -> Result<S::Ok, S::Error> {
        path.as_deref().map(Path::as_os_str).serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<PathBuf>, D::Error> {
        Ok(Option::<OsString>::deserialize(from)?.map(PathBuf::from))
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;
    use std::path::PathBuf;

    use serde::{Deserialize, Serialize};

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Blob {
        #[serde(with = "super::one")]
        one: PathBuf,
        #[serde(with = "super::all")]
        all: Vec<PathBuf>,
        #[serde(with = "super::perhaps")]
        some: Option<PathBuf>,
        #[serde(with = "super::perhaps")]
        none: Option<PathBuf>,
    }

    #[test]
    fn cnf_03_a_path_that_is_not_utf_8_travels_as_its_bytes() {
        let path = PathBuf::from(OsString::from_vec(b"/a\n\"\xff\xfe".to_vec()));
        assert!(serde_json::to_vec(&path).is_err(), "serde's own way");
        let blob = Blob {
            one: path.clone(),
            all: vec![path.clone(), PathBuf::from("/b")],
            some: Some(path),
            none: None,
        };
        let text = serde_json::to_vec(&blob).unwrap();
        assert_eq!(serde_json::from_slice::<Blob>(&text).unwrap(), blob);
    }
}

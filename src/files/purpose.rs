//! What is a file read for, how large may it be, and why could it not be read?

use std::io;

/// How a path became known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Known {
    /// Whoever runs this named it: a flag, an environment variable, their own kubeconfig. It may be a FIFO.
    Named,
    /// It was met in a directory, stands beside the work, or is named in another file. It has to be a regular file.
    Found,
}

/// What a file is read for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Purpose {
    /// So many bytes are read, and no more.
    pub most: u64,
    /// The flag that takes another limit, in MB.
    flag: Option<&'static str>,
    /// What helps besides.
    instead: &'static str,
}

const MB: u64 = 1 << 20;

impl Purpose {
    const fn of(most: u64, instead: &'static str) -> Self {
        Self {
            most,
            flag: None,
            instead,
        }
    }

    /// Objects to check: what `kubectl get -o json` prints of a large cluster has some hundred MB, and docs/performance.md measures 1466.
    pub const OBJECTS: Self = Self::of(2048 * MB, "split it: several -f are read as one");

    /// `.drain-check.yaml`, which people write.
    pub const SETTINGS: Self = Self::of(MB, "leave out what does not belong there");

    /// A baseline: 100 000 findings.
    pub const BASELINE: Self = Self::of(64 * MB, "write it anew with --write-baseline");

    /// A kubeconfig: a cluster with its certificates and user has some ten kilobytes, and kubectl reads all of the file for each command.
    pub const KUBECONFIG: Self = Self::of(
        16 * MB,
        "kubectl config view --minify --flatten --raw writes one with the current context only; name that with --kubeconfig",
    );

    /// What `--node-rules` reads: `iptables-save` writes some 200 bytes for each endpoint, `nft -j` about as much.
    pub const NODE_RULES: Self = Self::of(64 * MB, "dump kube-proxy's tables only");

    /// A README of manifests to lint, which people write.
    pub const README: Self = Self::of(MB, "nothing is lost without it");

    /// A token, which goes into one header: servers take a few KB there.
    pub const TOKEN: Self = Self::of(MB, "name the file of a token");

    /// Certificates and keys: the bundle of all public authorities has a quarter of a MB.
    pub const CERTIFICATES: Self = Self::of(4 * MB, "name a file in PEM");

    /// Manifests to lint, with the limit of `--max-file-size`.
    #[must_use]
    pub const fn manifests(most: u64) -> Self {
        Self {
            most,
            flag: Some("--max-file-size"),
            instead: "split it",
        }
    }

    /// Something that is expected to have so many bytes.
    pub(super) const fn expected(most: u64) -> Self {
        Self::of(most, "run the command again")
    }

    /// How large a file may be, in words.
    #[must_use]
    pub fn limit(&self) -> String {
        format!("{} MB", self.most.div_ceil(MB))
    }

    /// What to do about a file that is larger.
    #[must_use]
    pub fn help(&self) -> String {
        match self.flag {
            Some(flag) => format!(
                "{}, or allow more: {flag} {}",
                self.instead,
                self.most.div_ceil(MB) * 4
            ),
            None => self.instead.to_owned(),
        }
    }
}

impl Default for Purpose {
    fn default() -> Self {
        Self::OBJECTS
    }
}

/// Why a file could not be read. The words never quote it.
#[derive(Debug, thiserror::Error)]
pub enum Unread {
    /// The system refuses.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is something else than a file: `a FIFO`, `a device`, `a socket`, `a directory`.
    #[error("it is {0} and no regular file")]
    Special(&'static str),
    /// It is larger than its purpose allows. These are the first bytes.
    #[error("it has more than {}", .0.limit())]
    TooLong(Purpose, Vec<u8>),
    /// It is neither UTF-8 nor UTF-16. These are the bytes.
    #[error("it is not UTF-8 text")]
    NotText(Vec<u8>),
}

impl Unread {
    /// Is there nothing at all?
    #[must_use]
    pub fn is_absent(&self) -> bool {
        matches!(self, Self::Io(error) if error.kind() == io::ErrorKind::NotFound)
    }
}

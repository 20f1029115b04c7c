//! What is there for a while only: a file that is still written, beside the place where it is to be, or a folder for another program. It has
//! a name that nobody has, and is gone again whatever ends the run but SIGKILL.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use tempfile::{Builder, NamedTempFile, TempDir};

/// Random letters in a name: those that a killed run left behind are in nobody's way.
const LETTERS: usize = 12;

/// What is there for now. Whoever makes, moves or removes one holds it, and so does whoever ends the run at a signal: so each
/// is either known here, or in its place, or gone.
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn unfinished() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Who may read a new file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rights {
    /// Its owner, until it gets the rights of the one that it replaces.
    Own,
    /// Whoever may read what this user makes.
    Usual,
}

/// A file beside another one.
pub(super) struct Beside(Option<NamedTempFile>);

impl Beside {
    /// An empty one, for whoever made it alone.
    pub(super) fn new(of: &Path, rights: Rights) -> io::Result<Self> {
        let name = of.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        let prefix = format!(".{}.", name.to_string_lossy());
        let folder = match of.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let mut builder = Builder::new();
        builder.prefix(&prefix).suffix(".tmp").rand_bytes(LETTERS);
        #[cfg(unix)]
        if rights == Rights::Usual {
            use std::os::unix::fs::PermissionsExt;
            // Without what the user's umask takes away.
            builder.permissions(std::fs::Permissions::from_mode(0o666));
        }
        #[cfg(not(unix))]
        let _ = rights;
        leave_at_signals();
        let mut known = unfinished();
        let file = builder.tempfile_in(folder)?;
        known.insert(file.path().to_owned());
        Ok(Self(Some(file)))
    }

    /// The file itself.
    pub(super) fn file(&self) -> io::Result<&File> {
        let file = self.0.as_ref().map(NamedTempFile::as_file);
        file.ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Moves it to its place, if that is still as it should be: nothing comes between this question and the move.
    pub(super) fn move_to<E: From<io::Error>>(
        mut self,
        place: &Path,
        still: impl FnOnce() -> Result<(), E>,
    ) -> Result<(), E> {
        let Some(file) = self.0.take() else {
            return Err(io::Error::from(io::ErrorKind::NotFound).into());
        };
        let mut known = unfinished();
        let path = file.path().to_owned();
        let moved = match still() {
            Ok(()) => file
                .persist(place)
                .map(drop)
                .map_err(|error| error.error.into()),
            Err(changed) => {
                drop(file);
                Err(changed)
            }
        };
        known.remove(&path);
        moved
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        if let Some(file) = self.0.take() {
            let mut known = unfinished();
            known.remove(file.path());
            drop(file);
        }
    }
}

/// A folder where the system keeps what is temporary.
pub struct Folder(Option<TempDir>, PathBuf);

impl Folder {
    /// An empty one.
    ///
    /// # Errors
    ///
    /// The system refuses.
    pub fn new() -> io::Result<Self> {
        leave_at_signals();
        let mut known = unfinished();
        let folder = tempfile::tempdir()?;
        let path = folder.path().to_owned();
        known.insert(path.clone());
        Ok(Self(Some(folder), path))
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.1
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let mut known = unfinished();
        known.remove(&self.1);
        drop(self.0.take());
    }
}

/// Ends the run with what shells count for a signal: 128 and its number.
#[allow(clippy::exit, reason = "the thread that works does not look up")]
fn leave(signal: i32) -> ! {
    let known = unfinished();
    for path in &*known {
        // It is going anyway; there is nobody to tell.
        let _ = if path.is_dir() {
            std::fs::remove_dir_all(path)
        } else {
            std::fs::remove_file(path)
        };
    }
    std::process::exit(128 + signal)
}

/// From now on, SIGINT and SIGTERM take away what is unfinished before they end the run.
fn leave_at_signals() {
    static LISTENS: Once = Once::new();
    LISTENS.call_once(|| {
        // Without it a signal still ends the run, as one does that nobody waits for.
        let _ = listen();
    });
}

#[cfg(unix)]
fn listen() -> io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let entered = runtime.enter();
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    drop(entered);
    std::thread::spawn(move || {
        let signal = runtime.block_on(async {
            tokio::select! {
                _ = interrupt.recv() => SignalKind::interrupt(),
                _ = terminate.recv() => SignalKind::terminate(),
            }
        });
        leave(signal.as_raw_value())
    });
    Ok(())
}

#[cfg(windows)]
fn listen() -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let entered = runtime.enter();
    let mut interrupt = tokio::signal::windows::ctrl_c()?;
    drop(entered);
    std::thread::spawn(move || {
        runtime.block_on(interrupt.recv());
        leave(2)
    });
    Ok(())
}

//! Under which name was the program started? One file serves kubectl as the plugin and as its completion.

use std::ffi::{OsStr, OsString};
use std::path::Path;

/// What kubectl starts to complete the words behind `kubectl drain-check` (kubectl, `pkg/cmd/plugin/plugin_completion.go`).
pub const COMPLETION: &str = "kubectl_complete-drain_check";

/// The hidden command that completes words, called as programs built with cobra call theirs.
pub const COMPLETE: &str = "__complete";

/// The name of the file, without folders and `.exe`.
fn name(program: &OsStr) -> Option<&str> {
    let path = Path::new(program);
    let file = path.file_name()?.to_str()?;
    Some(file.strip_suffix(".exe").unwrap_or(file))
}

/// The command line as it is meant: as kubectl's completion, everything is words to complete.
pub fn arguments(given: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut given = given.into_iter();
    let mut meant: Vec<OsString> = given.next().into_iter().collect();
    if meant.first().and_then(|program| name(program)) == Some(COMPLETION) {
        meant.extend([COMPLETE.into(), "--".into()]);
    }
    meant.extend(given);
    meant
}

/// Is the file called as the command is typed? kubectl does not find it then: it reads a hyphen as the end of a word.
#[must_use]
pub fn is_misnamed(program: &OsStr) -> bool {
    name(program) == Some("kubectl-drain-check")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_the_file_decides_and_its_folder_does_not() {
        let meant = |given: &[&str]| arguments(given.iter().map(OsString::from));
        for program in [
            "kubectl_complete-drain_check",
            "/bin/kubectl_complete-drain_check",
            "kubectl_complete-drain_check.exe",
        ] {
            assert_eq!(
                meant(&[program, "--", ""]),
                [program, "__complete", "--", "--", ""]
            );
        }
        for program in [
            "kubectl-drain_check",
            "kubectl_complete-drain_check/x",
            "dc",
        ] {
            assert_eq!(meant(&[program, "svc/web"]), [program, "svc/web"]);
        }
        assert_eq!(meant(&[]), [""; 0]);
        assert!(is_misnamed(OsStr::new("/bin/kubectl-drain-check.exe")));
        assert!(!is_misnamed(OsStr::new("/bin/kubectl-drain_check")));
    }
}

//! DC206: an exec hook needs a shell or sleep that the image may not have.

use super::pods::{Delay, Pods, of_each_container};
use super::{Check, Finding, Rule, Severity, When};
use crate::analysis::declarations::PRESTOP_SECONDS;
use crate::facts::pod_spec::{Container, Handler};
use crate::shutdown::ContainerEnd;
use crate::shutdown::hook::{Duration, Hook};

pub(super) static RULE: Rule = Rule {
    id: "DC206",
    slug: "hook-needs-shell",
    severity: Severity::Warning,
    when: When::Next,
    summary: "preStop runs a shell or sleep in an image that has neither, or may not have it.",
    page: include_str!("../../docs/rules/DC206.md"),
    check: Check::AnyWorkload(check),
};

/// What the name of an image shows about its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Inside {
    /// Neither a shell nor sleep.
    Nothing,
    /// Both.
    Shell,
    /// The name does not show it.
    Unknown,
}

/// Images without shell and coreutils: the end of the name without registry and tag, as a path.
const WITHOUT: [&str; 10] = [
    "distroless/static",
    "distroless/base",
    "distroless/base-nossl",
    "distroless/cc",
    "distroless/java",
    "distroless/nodejs",
    "chainguard/static",
    "chainguard/glibc-dynamic",
    "coredns/coredns",
    "cloud-sql-connectors/cloud-sql-proxy",
];

/// Official images based on a distribution with a shell: the last part of the name.
const WITH: [&str; 33] = [
    "alpine",
    "almalinux",
    "amazonlinux",
    "bash",
    "busybox",
    "caddy",
    "cassandra",
    "debian",
    "eclipse-temurin",
    "elasticsearch",
    "fedora",
    "golang",
    "haproxy",
    "httpd",
    "mariadb",
    "memcached",
    "mongo",
    "mysql",
    "nginx",
    "nginx-unprivileged",
    "node",
    "openjdk",
    "php",
    "postgres",
    "python",
    "rabbitmq",
    "redis",
    "rockylinux",
    "ruby",
    "tomcat",
    "ubuntu",
    "valkey",
    "wordpress",
];

/// Words in a tag that name such a distribution.
const DISTRIBUTIONS: [&str; 14] = [
    "alpine", "bookworm", "bullseye", "buster", "trixie", "debian", "ubuntu", "jammy", "noble",
    "focal", "busybox", "debug", "slim", "ubi",
];

fn inside(image: &str) -> Inside {
    let image = image.split('@').next().unwrap_or_default();
    let slash = image.rfind('/').map_or(0, |at| at + 1);
    let (path, tag) = match image[slash..].find(':') {
        Some(colon) => (&image[..slash + colon], &image[slash + colon + 1..]),
        None => (image, ""),
    };
    // `debug` and `dev` variants of images without a shell have one.
    let debug = tag
        .split(['-', '.', '_'])
        .any(|word| word == "debug" || word == "dev");
    // java21-debian12 is java.
    let plain = ["-debian11", "-debian12", "-debian13"]
        .iter()
        .find_map(|end| path.strip_suffix(end))
        .unwrap_or(path)
        .trim_end_matches(|sign: char| sign.is_ascii_digit());
    let without = WITHOUT
        .iter()
        .any(|known| plain == *known || plain.ends_with(&format!("/{known}")));
    let words = || tag.split(['-', '.', '_']);
    let distribution = words().any(|word| {
        DISTRIBUTIONS
            .iter()
            .any(|known| word.trim_end_matches(|sign: char| sign.is_ascii_digit()) == *known)
    });
    let distroless = words().any(|word| word == "distroless");
    // This one has variants with a distribution; in other names the word only says where the few files come from.
    let variant = distribution && plain.ends_with("/cloud-sql-proxy");
    if without || distroless {
        return if debug || variant {
            Inside::Shell
        } else {
            Inside::Nothing
        };
    }
    // These publishers give minimal images the names of official ones.
    let small = path
        .split('/')
        .any(|part| ["chainguard", "dhi.io", "dhi"].contains(&part));
    if small && !debug {
        return Inside::Unknown;
    }
    let last = path.rsplit('/').next().unwrap_or_default();
    if WITH.contains(&last) || distribution {
        return Inside::Shell;
    }
    Inside::Unknown
}

/// A hook that sleeps and does nothing else, and for how many whole seconds.
fn only_sleeps(command: &[String], read: &Hook) -> Option<i64> {
    let words: Vec<&str> = match command {
        [shell, option, script] if shell.ends_with("sh") && option == "-c" => {
            script.split_whitespace().collect()
        }
        _ => command.iter().map(String::as_str).collect(),
    };
    let words = match words.as_slice() {
        ["exec", rest @ ..] => rest,
        all => all,
    };
    let [program, _] = words else { return None };
    if program.rsplit('/').next() != Some("sleep") || !read.signals.is_empty() {
        return None;
    }
    let Duration::Known { min_ms, max_ms } = read.duration else {
        return None;
    };
    let whole = min_ms == max_ms && min_ms % 1000 == 0;
    i64::try_from(min_ms / 1000).ok().filter(|_| whole)
}

/// Is every `sleep` that a command names one that a volume provides?
fn brings_sleep(container: &Container, command: &[String]) -> bool {
    let words = command.iter().flat_map(|item| item.split_whitespace());
    let mut sleeps = words
        .filter(|word| word.rsplit('/').next() == Some("sleep"))
        .peekable();
    sleeps.peek().is_some() && sleeps.all(|word| container.is_mounted(word))
}

/// A hook whose program a volume provides, in an image that has no shell, or may have none: what the program is does not show.
fn of_a_volume(
    pods: &Pods<'_, '_>,
    end: &ContainerEnd,
    container: &Container,
    command: &[String],
) -> Option<Finding> {
    let program = command.first()?;
    let read = pods.check.declared.read_hook(container, command);
    let grace = pods.grace();
    let told = pods.check.annotations.contains_key(PRESTOP_SECONDS);
    let inside = inside(&container.image);
    let by_name = only_sleeps(command, &read);
    let message = match (by_name, inside) {
        _ if told || inside == Inside::Shell || container.image.is_empty() => return None,
        (Some(seconds), _) => format!(
            "preStop of container {} runs {program}, which a volume provides, so what it is does not show: by its name it takes {seconds} s of a grace period of {grace} s.",
            end.name,
        ),
        // A script begins with the shell that runs it; a program that is linked statically needs nothing.
        (None, Inside::Nothing) => format!(
            "preStop of container {} runs {program}, which a volume provides, so how long it takes of a grace period of {grace} s is not known. Image {} has no shell: if it is a script, it takes 0 s.",
            end.name, container.image,
        ),
        (None, _) => return None,
    };
    Some(Finding {
        severity: Severity::Info,
        path: Some(pods.path(end, "lifecycle.preStop.exec.command")?.into()),
        message,
        why: "A volume hides what the image has at that path. The kubelet runs what lies there, if the file is executable; if it fails, SIGTERM follows at once (event FailedPreStopHook)."
            .to_owned(),
        help: format!(
            "State how long preStop takes: annotation {PRESTOP_SECONDS} on the pod template. Or use the sleep action, which needs nothing."
        ),
        patch: None,
        ..RULE.about_workload(pods.check)
    })
}

fn finding(pods: &Pods<'_, '_>, end: &ContainerEnd) -> Option<Finding> {
    let hook = end.pre_stop.as_ref()?;
    let Handler::Exec(command) = &hook.handler else {
        return None;
    };
    let container = pods.container(end)?;
    if command
        .first()
        .is_some_and(|program| container.is_mounted(program))
    {
        return of_a_volume(pods, end, container, command);
    }
    let read = pods.check.declared.read_hook(container, command);
    let needs_sleep = read.needs.sleep && !brings_sleep(container, command);
    let needs = match (read.needs.shell, needs_sleep) {
        (true, true) => "a shell and sleep",
        (true, false) => "a shell",
        (false, true) => "sleep",
        (false, false) => return None,
    };
    let inside = inside(&container.image);
    // DC205 reports a hook that fails in any image.
    let knows =
        inside == Inside::Shell || container.starts_with_shell() || container.image.is_empty();
    if knows || !read.mistakes.is_empty() {
        return None;
    }
    let surely = inside == Inside::Nothing;
    // Where the duration of the hook is declared, it has been seen to run.
    if !surely && pods.check.annotations.contains_key(PRESTOP_SECONDS) {
        return None;
    }
    // What a volume calls sleep may be something else.
    let sleeps = only_sleeps(command, &read).filter(|_| needs_sleep);
    let grace = pods.grace();
    let instead = if hook.takes.is_exact() {
        format!(" instead of {}", hook.takes)
    } else {
        String::new()
    };
    let message = if surely {
        format!(
            "preStop of container {} needs {needs}, which image {} does not have: with a grace period of {grace} s it takes 0 s{instead}, and SIGTERM follows at once.",
            end.name, container.image,
        )
    } else {
        format!(
            "preStop of container {} needs {needs}; the name of image {} does not show whether it has that. If not, preStop takes 0 s{instead}.",
            end.name, container.image,
        )
    };
    // A hook that fails now would make the end longer, and nobody takes the connections meanwhile.
    let serving = pods.check.serves.iter();
    let useless = serving
        .filter(|serves| serves.container.name == end.name)
        .any(|serves| pods.delay(serves) != Delay::Helps);
    let help = match (sleeps, pods.can_sleep()) {
        (Some(seconds), true) if seconds <= grace => format!(
            "Use preStop: {{sleep: {{seconds: {seconds}}}}}, which needs nothing in the image."
        ),
        (_, true) => "Use the sleep action for preStop, which needs nothing in the image, or a program that the image has.".to_owned(),
        (_, false) => "Use an image that has what preStop runs, or a program of your own that waits. The sleep action needs nothing in the image, but a kubelet here or the API server does not support it (1.30 and later).".to_owned(),
    };
    Some(Finding {
        severity: if surely {
                Severity::Warning
            } else {
                Severity::Info
            },
        path: Some(pods.path(end, "lifecycle.preStop.exec.command")?.into()),
        message,
        why: "The kubelet runs the command inside the container. If the program is missing, the hook fails at once (event FailedPreStopHook), and the kubelet sends SIGTERM."
                .to_owned(),
        help,
        patch: sleeps.filter(|_| !useless).and_then(|seconds| pods.sleep_instead(end, seconds, None)),
        ..RULE.about_workload(pods.check)
    })
}

fn check(pods: &Pods<'_, '_>) -> Vec<Finding> {
    of_each_container(pods, finding)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_images_name_may_tell_what_is_in_it() {
        for (image, expected) in [
            ("gcr.io/distroless/static-debian12:nonroot", Inside::Nothing),
            ("gcr.io/distroless/java21@sha256:00", Inside::Nothing),
            ("gcr.io/distroless/static:debug", Inside::Shell),
            (
                "gcr.io/distroless/nodejs24:latest-debian12",
                Inside::Nothing,
            ),
            (
                "gcr.io/cloud-sql-connectors/cloud-sql-proxy:2.11-alpine",
                Inside::Shell,
            ),
            ("gcr.io/distroless/python3", Inside::Unknown),
            ("docker.io/istio/proxyv2:1.24.0-distroless", Inside::Nothing),
            ("cgr.dev/chainguard/static:latest-dev", Inside::Shell),
            ("envoyproxy/envoy:distroless-v1.31.0", Inside::Nothing),
            ("nginx:1.27", Inside::Shell),
            ("cgr.dev/chainguard/nginx:latest", Inside::Unknown),
            ("localhost:5000/shop/web", Inside::Unknown),
            ("shop/web:2-alpine3.20", Inside::Shell),
            ("shop/web:1", Inside::Unknown),
        ] {
            assert_eq!(inside(image), expected, "{image}");
        }
    }
}

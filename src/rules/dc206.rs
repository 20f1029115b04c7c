//! DC206: an exec hook needs a shell or sleep that the image may not have.

use super::pods::Pods;
use super::{Check, Patched, Rule, Said, Severity};
use crate::check::Cluster;
use crate::check::shutdown::read_hook;
use crate::check::workload::WorkloadCheck;
use crate::facts::pod_spec::{Container, Handler};
use crate::shutdown::ContainerEnd;
use crate::shutdown::hook::{Duration, Hook};

pub(super) static RULE: Rule = Rule {
    id: "DC206",
    slug: "hook-needs-shell",
    severity: Severity::Warning,
    summary: "preStop runs a shell or sleep inside an image that has neither, or may not have it.",
    page: include_str!("../../docs/rules/DC206.md"),
    check: Check::Workload(check),
};

/// What an image's name tells about what is in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Inside {
    /// Neither a shell nor sleep.
    Nothing,
    /// Both.
    Shell,
    /// The name does not tell.
    Unknown,
}

/// Images whose makers leave shell and coreutils out: the end of the name without registry and tag, as a path.
const WITHOUT: [&str; 12] = [
    "distroless/static",
    "distroless/base",
    "distroless/base-nossl",
    "distroless/cc",
    "distroless/java17",
    "distroless/java21",
    "distroless/nodejs20",
    "distroless/nodejs22",
    "chainguard/static",
    "chainguard/glibc-dynamic",
    "coredns/coredns",
    "cloud-sql-connectors/cloud-sql-proxy",
];

/// Official images that are made from a distribution with a shell: the last part of the name.
const WITH: [&str; 34] = [
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
    "ingress-nginx",
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
    // java21-debian12 is java21; the cloud-sql-proxy has variants with a distribution.
    let path = path
        .strip_suffix("-debian11")
        .or_else(|| path.strip_suffix("-debian12"))
        .or_else(|| path.strip_suffix("-debian13"))
        .unwrap_or(path);
    let without = WITHOUT
        .iter()
        .any(|known| path == *known || path.ends_with(&format!("/{known}")));
    let words = || tag.split(['-', '.', '_']);
    let distribution = words().any(|word| {
        DISTRIBUTIONS
            .iter()
            .any(|known| word.trim_end_matches(|sign: char| sign.is_ascii_digit()) == *known)
    });
    if (without || words().any(|word| word == "distroless")) && !debug && !distribution {
        return Inside::Nothing;
    }
    let last = path.rsplit('/').next().unwrap_or_default();
    if (WITH.contains(&last) && !words().any(|word| word == "distroless"))
        || distribution
        || (debug && without)
    {
        return Inside::Shell;
    }
    Inside::Unknown
}

/// The container itself is started by a program that the hook needs, so the image has it.
fn starts_with_shell(container: &Container) -> bool {
    let name = |word: &String| word.rsplit('/').next().unwrap_or_default().to_owned();
    let shells = ["sh", "bash", "ash", "dash"];
    let first = container.command.first().map(name);
    first.is_some_and(|first| shells.contains(&first.as_str()))
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

fn said(pods: &Pods<'_, '_>, end: &ContainerEnd) -> Option<Patched> {
    let hook = end.pre_stop.as_ref()?;
    let Handler::Exec(command) = &hook.handler else {
        return None;
    };
    let container = pods.container(end)?;
    let read = read_hook(container, command);
    let needs = match (read.needs.shell, read.needs.sleep) {
        (true, true) => "a shell and sleep",
        (true, false) => "a shell",
        (false, true) => "sleep",
        (false, false) => return None,
    };
    let inside = inside(&container.image);
    // What fails whatever the image holds is another rule's.
    let knows =
        inside == Inside::Shell || starts_with_shell(container) || container.image.is_empty();
    if knows || !read.mistakes.is_empty() {
        return None;
    }
    let surely = inside == Inside::Nothing;
    let sleeps = only_sleeps(command, &read);
    let grace = pods.grace();
    let takes = hook.takes;
    let message = if surely {
        format!(
            "preStop of container {} needs {needs}, and image {} has no such programs: instead of {takes} it takes 0 s of a grace of {grace} s, and the stop signal follows at once.",
            end.name, container.image,
        )
    } else {
        format!(
            "preStop of container {} needs {needs}; whether image {} has that cannot be told from its name. If not, it takes 0 s instead of {takes}.",
            end.name, container.image,
        )
    };
    let help = match (sleeps, pods.can_sleep()) {
        (Some(seconds), true) => format!(
            "Use the sleep action, which needs nothing in the image: preStop: {{sleep: {{seconds: {seconds}}}}}."
        ),
        (_, true) => "Use the sleep action, which needs nothing in the image, or a program that is known to be in it.".to_owned(),
        (_, false) => "Use an image that has it, or a program of your own that waits. The sleep action needs nothing in the image, but some kubelet here, or the API server, does not have it (1.30 and later).".to_owned(),
    };
    Some(Patched {
        patch: sleeps.and_then(|seconds| pods.sleep_instead(end, seconds, None)),
        said: Said {
            severity: if surely {
                Severity::Warning
            } else {
                Severity::Info
            },
            path: Some(pods.path(end, "lifecycle.preStop.exec.command")?.into()),
            message,
            why: "The kubelet runs the command inside the container. If the program is not there the hook fails at once (event FailedPreStopHook), and the kubelet goes on with the stop signal."
                .to_owned(),
            help,
        },
    })
}

fn check(check: &WorkloadCheck<'_>, cluster: &Cluster<'_>) -> Vec<Patched> {
    let pods = Pods::new(check, cluster);
    pods.ends
        .containers
        .iter()
        .filter_map(|end| said(&pods, end))
        .collect()
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
            ("gcr.io/distroless/python3", Inside::Unknown),
            ("docker.io/istio/proxyv2:1.24.0-distroless", Inside::Nothing),
            ("cgr.dev/chainguard/static:latest-dev", Inside::Shell),
            ("envoyproxy/envoy:distroless-v1.31.0", Inside::Nothing),
            ("nginx:1.27", Inside::Shell),
            ("localhost:5000/shop/web", Inside::Unknown),
            ("shop/web:2-alpine3.20", Inside::Shell),
            ("shop/web:1", Inside::Unknown),
        ] {
            assert_eq!(inside(image), expected, "{image}");
        }
    }
}

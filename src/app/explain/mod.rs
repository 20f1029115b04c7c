//! `kubectl drain-check explain NAME`: what does a rule, a word of an answer, a traffic source, a version or a feature gate mean, and what
//! do people ask?

pub(super) mod gate;
mod questions;
mod topics;

use std::io::Write;

use anyhow::bail;

use crate::facts::version::KubeVersion;
use crate::render::page;
use crate::words::alike;
use topics::{Group, Topic, topics};

use super::versions;

/// The shortest word that is searched for inside of names; shorter ones are a part of too many.
const SHORTEST_PART: usize = 3;

/// The shortest beginning of a name that is taken for one.
const SHORTEST_BEGINNING: usize = 2;

/// How many similar names an error suggests.
const MOST_NEAR: usize = 8;

/// Everything that can be explained by a name, and the names of the lists.
pub(super) fn known() -> impl Iterator<Item = String> {
    let groups = Group::ALL.into_iter().map(|group| group.key().to_owned());
    groups.chain(topics().into_iter().flat_map(|topic| topic.names))
}

/// Suggestions for an unknown name: names that contain it, as `nginx`, and names that are spelt like it.
fn near(name: &str) -> Vec<String> {
    let known: Vec<_> = known().collect();
    let part = name.to_lowercase();
    let long_enough = name.len() >= SHORTEST_PART;
    let with = known
        .iter()
        .filter(|known| long_enough && known.to_lowercase().contains(&part));
    let mut near: Vec<_> = with.take(MOST_NEAR).cloned().collect();
    for like in alike(name, known.iter().map(String::as_str)) {
        if near.len() < MOST_NEAR && near.iter().all(|one| one != like) {
            near.push(like.to_owned());
        }
    }
    near
}

/// A name without what people write in more than one way: `grace period`, `GracePeriod`.
fn bare(name: &str) -> String {
    let letters = name.chars().filter(|sign| !" -_".contains(*sign));
    letters.flat_map(char::to_lowercase).collect()
}

/// The topics with a name that is like the given one in this way.
fn named(topics: Vec<Topic>, like: impl Fn(&str) -> bool) -> (Vec<Topic>, Vec<Topic>) {
    let fits = |topic: &Topic| topic.names.iter().any(|name| like(name));
    topics.into_iter().partition(fits)
}

/// What there is to read about a name; nothing where it is unknown.
fn found(name: &str) -> Option<String> {
    if let Some(group) = Group::ALL
        .into_iter()
        .find(|group| group.key() == name.to_lowercase())
    {
        return Some(group.list());
    }
    let (exact, others) = named(topics(), |known| known.eq_ignore_ascii_case(name));
    let (same, others) = if exact.is_empty() {
        let wanted = bare(name);
        named(others, |known| bare(known) == wanted)
    } else {
        (exact, others)
    };
    // One name may stand for two things, which are both told.
    let pages: Vec<_> = same.iter().map(Topic::page).collect();
    if !pages.is_empty() {
        return Some(pages.join("\n"));
    }
    let small = name.to_lowercase();
    // Of `ingress-nginx` each part, if it is not too short to mean something.
    let begins = |known: &str| {
        let known = known.to_lowercase();
        let mut parts = known.split('-');
        known.starts_with(&small)
            || name.len() >= SHORTEST_PART && parts.any(|part| part.starts_with(&small))
    };
    if name.len() >= SHORTEST_BEGINNING {
        let (begun, _) = named(others, begins);
        match begun.as_slice() {
            [] => {}
            [one] => return Some(one.page()),
            several => return Some(topics::list(&format!("{name}..."), several)),
        }
    }
    questions::found(name)
}

/// The minor version that is meant by `1.26`, `v1.26` and `1.26.3`.
fn version(name: &str) -> anyhow::Result<Option<u16>> {
    if !name.trim_start_matches('v').starts_with("1.") {
        return Ok(None);
    }
    let Ok(version) = name.parse::<KubeVersion>() else {
        return Ok(None);
    };
    let covered = versions::covered();
    if !covered.contains(&version.minor) {
        let (from, to) = covered.into_inner();
        bail!("Kubernetes {version} is not covered; 1.{from} to 1.{to} are");
    }
    Ok(Some(version.minor))
}

/// Prints what there is about a name, whose case does not matter; without one, every topic.
pub(super) fn run(name: &str, width: u16, out: &mut dyn Write) -> anyhow::Result<()> {
    let name = name.trim();
    let text = if name.is_empty() {
        Some(topics::contents())
    } else if let Some(minor) = version(name)? {
        Some(versions::page(minor))
    } else {
        found(name)
    };
    let Some(text) = text else {
        let near = match near(name).as_slice() {
            [] => String::new(),
            names => format!("similar: {}; ", names.join(", ")),
        };
        bail!("unknown topic {name:?}; {near}`kubectl drain-check explain` alone lists them");
    };
    page::write(&text, width, out)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gates::table::GATES;
    use crate::rules;
    use crate::sources::catalogue;

    fn explain(name: &str) -> String {
        let mut out = Vec::new();
        run(name, 80, &mut out).expect("a page");
        String::from_utf8(out).expect("UTF-8")
    }

    #[test]
    fn rules_words_and_gates_are_found_in_any_case() {
        let page = explain("dc101");
        assert!(page.starts_with("DC101 traffic-to-terminating\n"), "{page}");
        assert_eq!(page, explain("Traffic-To-Terminating"));
        let page = explain("NOT-READY");
        assert!(page.starts_with("not-ready\n\n"), "{page}");
        assert!(!page.contains("not-serving"), "the next section: {page}");
        for rule in rules::ALL {
            assert!(explain(rule.slug).contains("SOURCES"));
        }
    }

    #[test]
    fn every_source_is_explained_with_its_figures() {
        for source in &catalogue().sources {
            let page = explain(&source.id);
            assert!(page.starts_with(&format!("{}\n\n", source.id)), "{page}");
            assert_eq!(page.matches("- Does: ").count(), 1, "{page}");
            assert!(page.contains("- Until: "), "{page}");
            assert!(page.contains("Seconds count from the delete."), "{page}");
        }
    }

    #[test]
    fn a_gate_tells_its_history_its_components_and_its_sources() {
        let page = explain("proxyterminatingendpoints");
        for part in [
            "ProxyTerminatingEndpoints\n",
            "Read by kube-proxy;",
            "- 1.22 to 1.25: alpha, off by default",
            "- 1.26 to 1.27: beta, on by default",
            "- 1.28 to 1.29: GA, on and locked",
            "- 1.30: removed",
            "- Since 1.26.0: Without a ready endpoint",
            "keps/sig-network/1669-proxy-terminating-endpoints",
        ] {
            assert!(page.contains(part), "{part} in {page}");
        }
        for gate in GATES {
            assert!(explain(gate.name).starts_with(gate.name));
        }
        assert!(explain("NFTablesNetlink").contains("announced, not read in source"));
    }

    #[test]
    fn an_unknown_name_is_an_error_that_names_near_ones() {
        let error = |name: &str| {
            run(name, 80, &mut Vec::new())
                .expect_err("no page")
                .to_string()
        };
        let said = error("trafic-to-terminating");
        assert!(said.contains("similar: traffic-to-terminating"), "{said}");
        assert!(said.contains("`kubectl drain-check explain` alone lists them"));
        assert!(error("terminating-falback").contains("terminating-fallback"));
        assert!(error("ProxyTerminatingEndpiont").contains("ProxyTerminatingEndpoints"));
        assert!(!error("xyzzy").contains("similar:"));
        assert!(error("ginx").contains("ingress-nginx"));
        assert!(!error("zz").contains("similar:"));
        assert!(error("a\u{1b}b").contains("\\u{1b}"));
    }

    #[test]
    fn no_name_means_two_things_but_ready() {
        let mut names: Vec<_> = known().map(|name| name.to_lowercase()).collect();
        names.sort();
        let (mut once, mut twice) = (Vec::new(), Vec::new());
        for name in names {
            if once.last() == Some(&name) {
                twice.push(name);
            } else {
                once.push(name);
            }
        }
        // A condition, and the reason of an endpoint that has it.
        assert_eq!(twice, ["ready"]);
        let page = explain("ready");
        assert!(
            page.starts_with("Ready\n") && page.contains("\nready\n"),
            "{page}"
        );
    }

    #[test]
    fn the_words_that_an_answer_uses_are_explained() {
        for word in [
            "serving",
            "Ready",
            "Terminating",
            "clusterIP",
            "nodePort",
            "loadBalancer",
            "externalIP",
            "Local",
            "Cluster",
            "assumed",
            "margin",
            "grace-period",
            "grace period",
            "preStop",
            "SIGTERM",
            "SIGKILL",
            "in-flight",
            "sessionAffinity",
            "conntrack",
            "KEP-1669",
            "iptables",
            "nftables",
            "ipvs",
            "winkernel",
            "headless",
            "ExternalName",
            "now",
            "next",
            "NOW",
            "warning",
            "error",
            "info",
            "terminationGracePeriodSeconds",
            "refused",
            "dropped",
        ] {
            let page = explain(word);
            assert!(page.contains("\nSource:"), "{word}: {page}");
            let title = page.lines().next().unwrap_or_default();
            let begun = bare(title).contains(&bare(word));
            assert!(begun, "{word}: {title}");
        }
        // Two things of one name after folding case and hyphens stay apart.
        assert!(explain("preStop").starts_with("preStop\n"));
        assert!(explain("pre-stop").starts_with("pre-stop\n"));
    }

    #[test]
    fn a_version_says_what_changed_in_it() {
        let page = explain("1.26");
        assert!(page.starts_with("Kubernetes 1.26\n"), "{page}");
        assert!(page.contains("Without a ready endpoint"), "{page}");
        assert_eq!(page, explain("v1.26.3"));
        let error = run("1.2", 80, &mut Vec::new()).expect_err("too old");
        assert!(
            error.to_string().contains("is not covered; 1.19 to"),
            "{error}"
        );
    }

    #[test]
    fn the_beginning_of_a_name_lists_those_that_begin_so_or_shows_the_only_one() {
        let page = explain("f5");
        for id in ["f5-cis-cluster", "f5-cis-nodeport", "f5-xc-ce"] {
            assert!(page.contains(id), "{id}: {page}");
        }
        assert!(!page.contains("failed"), "{page}");
        assert_eq!(explain("f5-x"), explain("f5-xc-ce"));
        assert_eq!(explain("hetz"), explain("hetzner-lb"));
        assert!(explain("ALB").contains("aws-lbc-alb-ip"));
        let nginx = explain("nginx");
        assert!(
            nginx.contains("nginx-inc") && nginx.contains("ingress-nginx"),
            "{nginx}"
        );
        let rules = explain("DC10");
        assert!(rules.contains("DC101 traffic-to-terminating"), "{rules}");
        assert!(!rules.contains("DC110"), "{rules}");
    }

    #[test]
    fn without_a_name_every_topic_is_listed_within_the_width() {
        for width in [40, 80, 120] {
            let mut out = Vec::new();
            run("", width, &mut out).expect("a list");
            let text = String::from_utf8(out).expect("UTF-8");
            for line in text.lines() {
                // A name is never broken.
                let fits = line.len() <= usize::from(width) || !line.contains(' ');
                assert!(fits, "{width}: {line}");
            }
            for rule in rules::ALL {
                assert!(text.contains(&format!("{} {}", rule.id, rule.slug)));
            }
            let words: Vec<_> = text.split([' ', ',', '\n']).collect();
            for name in topics().iter().flat_map(|topic| &topic.names) {
                assert!(words.contains(&name.as_str()), "{name}");
            }
        }
    }

    #[test]
    fn each_list_can_be_asked_for_by_its_name() {
        for group in Group::ALL {
            let page = explain(group.key());
            assert!(page.lines().count() > 2, "{page}");
        }
        assert!(explain("gates").contains("NFTablesProxyMode"));
        assert!(explain("faq").starts_with("Questions\n\n- "));
    }
}

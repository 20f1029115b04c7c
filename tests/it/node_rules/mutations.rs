//! Every single change to a dump that alters a decision is found: each change is made, and the decisions that the rules of kube-proxy make it
//! alter must be altered, and no other.

use std::collections::BTreeSet;

use drain_check::node_rules::{self, Rules};

use super::dumps::{Asked, DUMPS, asked, decide, read, text};

/// The keys of the decisions that differ from those before, with the Services that they are about.
fn altered(rules: &[Rules], asked: &[Asked], before: &[String]) -> (BTreeSet<String>, usize) {
    let mut services = BTreeSet::new();
    let mut many = 0;
    for (asked, before) in asked.iter().zip(before) {
        if decide(rules, asked) != *before {
            services.insert(asked.service.clone());
            many += 1;
        }
    }
    (services, many)
}

/// `KUBE-SVC-…`: a chain of one Service, and what a rule in it leads to.
fn after<'l>(line: &'l str, word: &str) -> Option<&'l str> {
    let (_, rest) = line.split_once(word)?;
    rest.split_whitespace().next()
}

/// The Service that a rule's comment names.
fn commented(line: &str) -> Option<String> {
    let comment = line.split_once("--comment ")?.1.trim_start_matches('"');
    let found = comment
        .split([' ', '"', ':'])
        .find(|word| word.contains('/'))?;
    Some(found.to_owned())
}

/// Decides one changed file with the others as they are.
fn with(folder: &str, files: &[&str], at: usize, changed: &str) -> Option<Vec<Rules>> {
    let mut all = Vec::new();
    for (place, file) in files.iter().enumerate() {
        let own;
        let text = if place == at {
            changed
        } else {
            own = text(folder, file);
            &own
        };
        all.extend(node_rules::read(text).ok()?);
    }
    Some(all)
}

#[test]
fn each_rule_that_iptables_loses_is_missed_by_its_service_alone() {
    let mut made = 0;
    for (folder, files) in DUMPS
        .iter()
        .filter(|(folder, _)| folder.contains("iptables"))
    {
        let asked = asked(folder);
        let rules = read(folder, files);
        let before: Vec<_> = asked.iter().map(|asked| decide(&rules, asked)).collect();
        for (at, file) in files.iter().enumerate() {
            let text = text(folder, file);
            let lines: Vec<_> = text.lines().collect();
            for (number, line) in lines.iter().enumerate() {
                // The ways to an endpoint, and what refuses or drops; the rules for sticky clients lead where the list leads too.
                let leads = after(line, " -j ").is_some_and(|to| {
                    [
                        "KUBE-SVC-",
                        "KUBE-SVL-",
                        "KUBE-SEP-",
                        "KUBE-EXT-",
                        "KUBE-FW-",
                    ]
                    .iter()
                    .any(|kind| to.starts_with(kind))
                        || ["DNAT", "REJECT", "DROP"].contains(&to)
                });
                let told = line.contains("nfacct") || line.contains("--rcheck");
                let Some(service) = commented(line).filter(|_| leads && !told) else {
                    continue;
                };
                let mut less = lines.clone();
                less.remove(number);
                let changed = with(folder, files, at, &less.join("\n")).expect("it can be read");
                let (services, _) = altered(&changed, &asked, &before);
                let found = BTreeSet::from([service.clone()]);
                if !asked.iter().any(|asked| asked.service == service) {
                    // A Service that the objects do not have: an orphan.
                    assert!(services.is_empty(), "{folder} {line}: {services:?}");
                } else if services.is_empty() {
                    // Nobody misses a list that nobody is led to.
                    let chain = after(line, "-A ").expect("a chain");
                    let entered = lines.iter().any(|line| after(line, " -j ") == Some(chain));
                    assert!(!entered, "{folder}: nothing misses {line}");
                } else {
                    assert_eq!(services, found, "{folder} {line}");
                }
                made += 1;
            }
        }
    }
    assert!(made > 200, "{made} changes");
}

#[test]
fn an_endpoint_that_a_list_of_iptables_gains_or_sends_elsewhere_is_found() {
    let (folder, files) = DUMPS[0];
    let asked = asked(folder);
    let rules = read(folder, files);
    let before: Vec<_> = asked.iter().map(|asked| decide(&rules, asked)).collect();
    let text = text(folder, files[0]);
    let mut made = 0;
    for line in text.lines().filter(|line| line.contains("-j DNAT")) {
        let service = commented(line).expect("a comment");
        let known = asked.iter().any(|asked| asked.service == service);
        // It sends to an address that is nobody's.
        let to = after(line, "--to-destination ").expect("an address");
        let moved = text.replace(line, &line.replace(to, "10.244.9.99:8080"));
        let changed = node_rules::read(&moved).expect("it can be read");
        let (services, _) = altered(&changed, &asked, &before);
        let found: BTreeSet<_> = known.then_some(service.clone()).into_iter().collect();
        assert_eq!(services, found, "{line}");
        // A list has one more, before its others.
        let chain = after(line, "-A ").expect("a chain");
        for list in text
            .lines()
            .filter(|line| after(line, " -j ") == Some(chain))
        {
            let list = after(list, "-A ").expect("a chain");
            let more = format!(
                "-A KUBE-SEP-AAAAAAAAAAAAAAAA -j DNAT --to-destination 10.244.9.98:8080\n\
                 -A {list} -m statistic --mode random --probability 0.1 -j KUBE-SEP-AAAAAAAAAAAAAAAA\n"
            );
            let first = text.find(&format!("-A {list} ")).expect("a rule");
            let more = format!("{}{more}{}", &text[..first], &text[first..]);
            let changed = node_rules::read(&more).expect("it can be read");
            let (services, _) = altered(&changed, &asked, &before);
            assert_eq!(services, found, "{list}");
            made += 1;
        }
    }
    assert!(made > 20, "{made} changes");
}

/// The Service in a chain's name: `service-OWIJU3CY-shop/web/tcp/http`.
fn of_chain(name: &str) -> Option<String> {
    let rest = name.splitn(3, '-').nth(2)?;
    let mut parts = rest.split('/');
    Some(format!("{}/{}", parts.next()?, parts.next()?))
}

#[test]
fn each_element_and_each_rule_that_nftables_loses_is_missed_by_its_service_alone() {
    let mut made = 0;
    for (folder, files) in DUMPS.iter().filter(|(_, files)| files[0].ends_with("json")) {
        let asked = asked(folder);
        let rules = read(folder, files);
        let before: Vec<_> = asked.iter().map(|asked| decide(&rules, asked)).collect();
        let whole = super::dumps::json(folder, files[0]);
        let list = whole["nftables"].as_array().expect("a list");
        let asks = |service: &str| asked.iter().any(|asked| asked.service == service);
        let mut judge = |changed: &serde_json::Value, service: &str, what: &str| {
            let changed = node_rules::read(&changed.to_string()).expect("it can be read");
            let (services, _) = altered(&changed, &asked, &before);
            // Without its element a cluster IP's packet is refused all the same, as one to a port that the Service does not have.
            let refused_anyway =
                what.starts_with("no-endpoint-services") && what.contains("reject-chain");
            if refused_anyway && services.is_empty() {
                assert!(what.contains("10.96.0.14"), "{folder} {what}");
            } else if asks(service) {
                assert_eq!(
                    services,
                    BTreeSet::from([service.to_owned()]),
                    "{folder} {what}"
                );
            } else {
                assert!(services.is_empty(), "{folder} {what}: {services:?}");
            }
            made += 1;
        };
        for (at, entry) in list.iter().enumerate() {
            let maps = [
                "service-ips",
                "service-nodeports",
                "no-endpoint-services",
                "no-endpoint-nodeports",
                "firewall-ips",
            ];
            let map = entry["map"]["name"]
                .as_str()
                .filter(|name| maps.contains(name));
            if let (Some(map), Some(elements)) = (map, entry["map"]["elem"].as_array()) {
                for (place, element) in elements.iter().enumerate() {
                    let chain = element[1]["goto"]["target"]
                        .as_str()
                        .filter(|name| name.contains('/'));
                    let comment = element[0]["elem"]["comment"].as_str();
                    let service =
                        comment.map(|text| text.split(':').next().expect("one").to_owned());
                    let service = service.or_else(|| of_chain(chain?)).expect("a Service");
                    let mut less = whole.clone();
                    less["nftables"][at]["map"]["elem"]
                        .as_array_mut()
                        .expect("a list")
                        .remove(place);
                    judge(&less, &service, &format!("{map} {element}"));
                }
            }
            let chain = entry["rule"]["chain"].as_str().unwrap_or_default();
            let Some(statements) = entry["rule"]["expr"]
                .as_array()
                .filter(|_| chain.contains('/'))
            else {
                continue;
            };
            let service = of_chain(chain).expect("a Service");
            for (place, statement) in statements.iter().enumerate() {
                // A list that loses one of its places, or has it lead elsewhere.
                for pointer in ["/dnat/addr/map/data/set", "/vmap/data/set"] {
                    let Some(places) = statement.pointer(pointer).and_then(|set| set.as_array())
                    else {
                        continue;
                    };
                    for gone in 0..places.len() {
                        let mut less = whole.clone();
                        let list = less["nftables"][at]["rule"]["expr"][place].pointer_mut(pointer);
                        list.and_then(|list| list.as_array_mut())
                            .expect("a list")
                            .remove(gone);
                        // A short cut's list that is asked by no recorded packet is none of these folders'.
                        judge(&less, &service, &format!("{chain} {gone}"));
                    }
                }
            }
        }
    }
    assert!(made > 150, "{made} changes");
}

/// Where addresses of pods stand behind each `dnat` of a chain, to the end of its statement, with the chain: nft wraps long lists.
fn translated(whole: &str) -> Vec<(std::ops::Range<usize>, &str)> {
    let mut found = Vec::new();
    let (mut chain, mut at, mut open) = ("", 0, false);
    for line in whole.split_inclusive('\n') {
        if let Some(name) = line.trim().strip_prefix("chain ") {
            chain = name.split(' ').next().expect("a name");
        }
        let begins = line
            .find(" dnat ")
            .filter(|_| !line.contains("status dnat"));
        if open || begins.is_some() {
            let from = begins.unwrap_or_default();
            for (prefix, part) in [("10.244.", "."), ("fd00:10:244:", ":")] {
                for (start, _) in line[from..].match_indices(prefix) {
                    let start = from + start;
                    let inside = |sign: char| sign.is_ascii_hexdigit() || part.contains(sign);
                    let end = line[start..].find(|sign| !inside(sign)).expect("an end");
                    found.push((at + start..at + start + end, chain));
                }
            }
            open = (open || line.contains('{')) && !line.contains('}');
        }
        at += line.len();
    }
    found
}

#[test]
fn each_address_that_nfts_text_translates_to_is_missed_by_its_service_alone_when_it_moves() {
    for folder in [
        "2-nftables-v4-1.36.3",
        "5-nftables-dual-stale-1.36.3",
        "6-nftables-v4-1.33.13",
    ] {
        let asked = asked(folder);
        let whole = text(folder, "node-a.nft.txt");
        let rules = read(folder, &["node-a.nft.txt"]);
        let before: Vec<_> = asked.iter().map(|asked| decide(&rules, asked)).collect();
        let places = translated(&whole);
        // None is left out: the same node's rules as JSON have as many.
        let rules = super::dumps::json(folder, "node-a.nft.json");
        let rules = rules["nftables"].as_array().expect("a list");
        let statements = rules
            .iter()
            .filter_map(|entry| entry["rule"]["expr"].as_array());
        let dnat = statements
            .flatten()
            .map(|statement| statement["dnat"].to_string());
        let pods = |text: String| {
            text.matches("\"10.244.").count() + text.matches("\"fd00:10:244:").count()
        };
        assert_eq!(places.len(), dnat.map(pods).sum::<usize>(), "{folder}");
        let mut made = 0;
        for (place, chain) in places {
            let other = if whole[place.clone()].contains(':') {
                "fd00:10:244:9::99"
            } else {
                "10.244.9.99"
            };
            let moved = format!("{}{other}{}", &whole[..place.start], &whole[place.end..]);
            let changed = node_rules::read(&moved).expect("it can be read");
            let (services, _) = altered(&changed, &asked, &before);
            let service = of_chain(chain).expect("a Service");
            let what = format!("{folder} {chain} {}", &whole[place]);
            if asked.iter().any(|asked| asked.service == service) {
                assert_eq!(services, BTreeSet::from([service]), "{what}");
                made += 1;
            } else {
                assert!(services.is_empty(), "{what}: {services:?}");
            }
        }
        assert!(made > 10, "{folder}: {made}");
    }
}

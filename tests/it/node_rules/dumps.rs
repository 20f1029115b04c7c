//! Every recorded dump gives the decisions that were found by walking packets through the kernel's rules (fixtures/dumps/README.md).

use std::collections::BTreeMap;
use std::io::Read;
use std::net::IpAddr;
use std::path::Path;

use drain_check::facts::kube_proxy::ProxyMode;
use drain_check::facts::service::{Family, Protocol};
use drain_check::node_rules::{self, From, Packet, Rules, Verdict};
use serde_json::Value;

/// The dumps that are read to the same decisions: a folder, and its files.
pub(super) const DUMPS: [(&str, &[&str]); 8] = [
    ("1-iptables-v4-1.36.3", &["node-a.iptables-save"]),
    ("2-nftables-v4-1.36.3", &["node-a.nft.json"]),
    ("2-nftables-v4-1.36.3", &["node-a.nft.txt"]),
    (
        "3-iptables-dual-1.36.3",
        &["node-a.iptables-save", "node-a.ip6tables-save"],
    ),
    ("5-nftables-dual-stale-1.36.3", &["node-a.nft.json"]),
    ("5-nftables-dual-stale-1.36.3", &["node-a.nft.txt"]),
    ("6-nftables-v4-1.33.13", &["node-a.nft.json"]),
    ("6-nftables-v4-1.33.13", &["node-a.nft.txt"]),
];

pub(crate) fn text(folder: &str, file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures/dumps")
        .join(folder)
        .join(format!("{file}.gz"));
    let mut text = String::new();
    let file = std::fs::File::open(path).expect("the fixture");
    let mut unpacked = flate2::read::GzDecoder::new(file);
    unpacked.read_to_string(&mut text).expect("gzip");
    text
}

pub(crate) fn json(folder: &str, file: &str) -> Value {
    serde_json::from_str(&text(folder, file)).expect("JSON")
}

/// What a decision is about, and the packet that asks for it.
pub(super) struct Asked {
    pub(super) key: String,
    pub(super) service: String,
    family: Family,
    packet: Packet,
    /// The verdict with its endpoints, as the recording has it.
    pub(super) expected: String,
}

fn word<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().expect("a text")
}

fn ip(text: &str) -> IpAddr {
    text.parse().expect("an address")
}

/// The endpoints of a decision, in order.
pub(super) fn backends(decision: &Value) -> Vec<&str> {
    let all = decision["backends"].as_array().into_iter().flatten();
    let mut all: Vec<_> = all.filter_map(Value::as_str).collect();
    all.sort_unstable();
    all
}

/// Every decision of a folder. The pod that asks is none of the endpoints, and who asks from outside is in no range.
pub(super) fn asked(folder: &str) -> Vec<Asked> {
    let decisions = json(folder, "decisions.json");
    let all = decisions["decisions"].as_array().expect("a list");
    let mut all: Vec<Asked> = all
        .iter()
        .map(|each| {
            let family = match word(each, "family") {
                "IPv4" => Family::V4,
                _ => Family::V6,
            };
            let (outside, pod, node) = match family {
                Family::V4 => ("192.0.2.77", "10.244.1.250", "192.168.77.11"),
                Family::V6 => ("2001:db8:ffff::77", "fd00:10:244:1::fa", "fd00:77::b"),
            };
            let (from, source) = match word(each, "from") {
                "outside" => (From::Outside, outside),
                "pod" => (From::Pod, pod),
                _ => (From::Node, node),
            };
            let backends = backends(each);
            let parts = ["service", "portName", "protocol", "family", "path", "from"];
            Asked {
                key: parts.map(|part| word(each, part)).join(" "),
                service: word(each, "service").to_owned(),
                family,
                packet: Packet {
                    from,
                    source: ip(source),
                    destination: ip(word(each, "address")),
                    port: u16::try_from(each["port"].as_u64().expect("a port")).expect("a port"),
                    protocol: match word(each, "protocol") {
                        "TCP" => Protocol::Tcp,
                        "UDP" => Protocol::Udp,
                        _ => Protocol::Sctp,
                    },
                    local: word(each, "path") == "nodePort",
                },
                expected: format!("{} {}", word(each, "verdict"), backends.join(" ")),
            }
        })
        .collect();
    // No recorded packet comes from a range of shop/ranges; one from there goes on as without ranges.
    let of_ranges = |asked: &&Asked| {
        asked.service == "shop/ranges" && asked.key.contains("IPv4 clusterIP outside")
    };
    let unrestricted = all.iter().find(of_ranges).expect("the Service");
    let within = Asked {
        key: "from a source range".to_owned(),
        service: "shop/ranges".to_owned(),
        family: Family::V4,
        packet: Packet {
            source: ip("203.0.113.5"),
            destination: ip("198.51.100.21"),
            ..unrestricted.packet
        },
        expected: unrestricted.expected.clone(),
    };
    all.push(within);
    all
}

/// What the rules decide, in the recording's words.
pub(super) fn decide(rules: &[Rules], asked: &Asked) -> String {
    let of_family = rules.iter().find(|rules| rules.family == asked.family);
    let decision = of_family.expect("its family").decide(&asked.packet);
    let verdict = match &decision.verdict {
        Verdict::Forward => "forward".to_owned(),
        Verdict::Reject => "reject".to_owned(),
        Verdict::Drop => "drop".to_owned(),
        Verdict::NotProgrammed => "not-programmed".to_owned(),
        other => format!("{other:?}"),
    };
    let mut backends: Vec<_> = decision.backends.iter().map(ToString::to_string).collect();
    backends.sort_unstable();
    format!("{verdict} {}", backends.join(" "))
}

pub(super) fn read(folder: &str, files: &[&str]) -> Vec<Rules> {
    let texts = files.iter().map(|file| text(folder, file));
    texts
        .flat_map(|text| {
            node_rules::read(&text).unwrap_or_else(|error| panic!("{folder}: {error}"))
        })
        .collect()
}

#[test]
fn every_packet_ends_where_the_kernel_sent_it() {
    let mut walked = 0;
    for (folder, files) in DUMPS {
        let rules = read(folder, files);
        for asked in asked(folder) {
            let decided = decide(&rules, &asked);
            assert_eq!(decided, asked.expected, "{folder} {files:?}: {}", asked.key);
            walked += 1;
        }
    }
    let from_ranges = DUMPS.len();
    assert_eq!(walked, 75 + 75 * 2 + 150 + 150 * 2 + 75 * 2 + from_ranges);
}

#[test]
fn what_there_are_rules_for_is_named_with_its_service() {
    let modes: BTreeMap<_, _> = DUMPS
        .iter()
        .map(|(folder, files)| ((folder, files), read(folder, files)[0].mode()))
        .collect();
    for ((folder, files), mode) in modes {
        let is = if folder.contains("iptables") {
            ProxyMode::Iptables
        } else {
            ProxyMode::Nftables
        };
        assert_eq!(mode, is, "{folder}");
        for rules in read(folder, files) {
            let programmed = rules.programmed();
            // A cluster of one family has empty maps for the other.
            if programmed.is_empty() {
                continue;
            }
            let gone = programmed.iter().find(|each| {
                let address = each.address.map(|address| address.to_string());
                matches!(address.as_deref(), Some("10.96.0.23" | "fd00:96::17"))
            });
            let gone = gone.unwrap_or_else(|| panic!("{folder} {files:?}"));
            assert_eq!(gone.port, 80);
            assert_eq!(gone.service.as_deref(), Some("shop/deleted-later:http"));
            // No endpoints, and so neither forwarded: what refuses names its Service as well.
            let port = programmed
                .iter()
                .find(|each| each.address.is_none() && [30040, 30050].contains(&each.port));
            let service = port.and_then(|port| port.service.as_deref());
            assert!(
                matches!(
                    service,
                    Some("shop/rejected:http" | "shop/dropped-outside:http")
                ),
                "{folder} {files:?}: {service:?}"
            );
        }
    }
}

#[test]
fn nftables_says_which_addresses_node_ports_answer_on() {
    for rules in read("5-nftables-dual-stale-1.36.3", &["node-a.nft.txt"]) {
        let is = match rules.family {
            Family::V4 => "192.168.77.11",
            Family::V6 => "fd00:77::b",
        };
        let addresses: Vec<_> = rules.node_addresses().into_iter().collect();
        assert_eq!(addresses, [ip(is)]);
    }
}

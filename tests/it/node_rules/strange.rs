//! Dumps that are cut, of other tools, of others' rules, or hostile: each is told apart, and none is guessed at.

use drain_check::facts::service::Protocol;
use drain_check::node_rules::{self, From, Packet, Unread, Verdict};
use proptest::prelude::*;

use super::dumps::text;

fn why(text: &str) -> Unread {
    node_rules::read(text).expect_err("it cannot be judged")
}

/// A packet from outside to 10.96.0.1:80.
fn packet() -> Packet {
    Packet {
        from: From::Outside,
        source: "192.0.2.1".parse().expect("an address"),
        destination: "10.96.0.1".parse().expect("an address"),
        port: 80,
        protocol: Protocol::Tcp,
        local: false,
    }
}

#[test]
fn what_is_no_dump_of_kube_proxys_rules_is_told_apart() {
    assert_eq!(why(""), Unread::Empty);
    assert_eq!(why("hello\n"), Unread::NotKnown);
    assert_eq!(why("Error: JSON support not compiled-in\n"), Unread::Failed);
    let save = text("1-iptables-v4-1.36.3", "node-a.iptables-save");
    let cut = &save[..save.len() - 200];
    assert!(matches!(why(cut), Unread::Cut(_)), "{:?}", why(cut));
    let canary =
        "*mangle\n:KUBE-KUBELET-CANARY - [0:0]\nCOMMIT\n*nat\n:PREROUTING ACCEPT [0:0]\nCOMMIT\n";
    assert_eq!(why(canary), Unread::NotKubeProxys);
    let empty = "*nat\n:KUBE-SERVICES - [0:0]\n-A PREROUTING -j KUBE-SERVICES\nCOMMIT\n";
    assert_eq!(why(empty), Unread::NotSynced);
    let json = text("2-nftables-v4-1.36.3", "node-a.nft.json");
    assert!(matches!(why(&json[..json.len() - 50]), Unread::Cut(_)));
    assert_eq!(
        why(r#"{"nftables": [{"metainfo": {}}]}"#),
        Unread::NotKubeProxys
    );
    let plain = text("2-nftables-v4-1.36.3", "node-a.nft.txt");
    assert!(matches!(why(&plain[..plain.len() - 50]), Unread::Cut(_)));
    assert_eq!(why("table ip filter {\n}\n"), Unread::NotKubeProxys);
    assert!(matches!(
        why("-A -t 10.96.0.1:http -s rr\n"),
        Unread::Line(1, _)
    ));
    for error in [why(cut), why("table ip kube-proxy {\n")] {
        assert!(!error.to_string().is_empty());
    }
}

#[test]
fn without_the_table_filter_it_is_not_known_what_becomes_of_what_is_not_forwarded() {
    let save = text("1-iptables-v4-1.36.3", "node-a.iptables-save");
    let nat = save.split_once("*nat").expect("the table").1;
    let rules = node_rules::read(&format!("*nat{nat}")).expect("it can be read");
    let mut packet = packet();
    packet.destination = "10.96.0.14".parse().expect("an address");
    assert_eq!(rules[0].decide(&packet).verdict, Verdict::NotForwarded);
    assert!(rules[0].notes.contains("no-filter-table"));
}

#[test]
fn ipvs_serves_with_real_servers_that_have_weight() {
    let dump = "-A -t 10.96.0.1:80 -s rr -p 10800\n\
                -a -t 10.96.0.1:80 -r 10.244.1.1:8080 -m -w 1\n\
                -a -t 10.96.0.1:80 -r 10.244.1.2:8080 -m -w 0\n\
                -A -t [fd00:96::1]:80 -s rr\n\
                -A -u 10.96.0.1:80 -s rr\n";
    let rules = node_rules::read(dump).expect("it can be read");
    assert_eq!(rules.len(), 2, "two families");
    let decision = rules[0].decide(&packet());
    assert_eq!(decision.verdict, Verdict::Forward);
    let backends: Vec<_> = decision.backends.iter().map(ToString::to_string).collect();
    assert_eq!(backends, ["10.244.1.1:8080"]);
    let draining: Vec<_> = rules[0]
        .draining(&packet())
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(draining, ["10.244.1.2:8080"]);
    let udp = Packet {
        protocol: Protocol::Udp,
        ..packet()
    };
    assert_eq!(
        rules[0].decide(&udp).verdict,
        Verdict::Reject,
        "no real server"
    );
    let other = Packet {
        port: 81,
        ..packet()
    };
    assert_eq!(rules[0].decide(&other).verdict, Verdict::NotProgrammed);
    assert!(rules[0].notes.contains("ipvs-unverified"));
}

/// A dump with this in the chain of the Service that is asked for.
fn service(rules: &str) -> String {
    format!(
        "*nat\n-A PREROUTING -j KUBE-SERVICES\n-A KUBE-SERVICES -d 10.96.0.1/32 -p tcp -m tcp --dport 80 -j KUBE-SVC-A\n{rules}COMMIT\n*filter\nCOMMIT\n"
    )
}

#[test]
fn what_is_not_known_is_said_and_only_to_a_packet_that_meets_it() {
    let decide = |text: &str, packet: &Packet| {
        node_rules::read(text).expect("it can be read")[0].decide(packet)
    };
    let strange = service(
        "-A KUBE-SVC-A -m magic --spell xyzzy -j KUBE-SEP-A\n-A KUBE-SEP-A -p tcp -j DNAT --to-destination 10.0.0.1:80\n",
    );
    let Verdict::NotUnderstood(what) = decide(&strange, &packet()).verdict else {
        panic!("it is understood");
    };
    assert_eq!(what, "line 4: --spell");
    let other = Packet {
        port: 81,
        ..packet()
    };
    assert_eq!(decide(&strange, &other).verdict, Verdict::NotProgrammed);
    let circle = service("-A KUBE-SVC-A -j KUBE-SVC-B\n-A KUBE-SVC-B -j KUBE-SVC-A\n");
    assert!(matches!(
        decide(&circle, &packet()).verdict,
        Verdict::NotUnderstood(_)
    ));
    let hole = service(
        "-A KUBE-SVC-A -m statistic --mode random --probability 0.5 -j KUBE-SEP-A\n-A KUBE-SEP-A -p tcp -j DNAT --to-destination 10.0.0.1:80\n",
    );
    assert_eq!(decide(&hole, &packet()).verdict, Verdict::Mixed);
    // Chains that lead into each other a million ways are walked once each.
    let ways = (0..60).flat_map(|at| {
        let rule = format!(
            "-A C{at} -m statistic --mode random --probability 0.5 -j C{}\n",
            at + 1
        );
        vec![rule; 3]
    });
    let mut many: String = ways.collect();
    many += "-A C60 -p tcp -j DNAT --to-destination 10.0.0.1:80\n";
    let many = service(&format!("-A KUBE-SVC-A -j C0\n{many}"));
    assert_eq!(decide(&many, &packet()).verdict, Verdict::Mixed);
    // Thousands of chains behind each other use no stack without end.
    let chains = (0..20_000).map(|at| format!("-A C{at} -j C{}\n", at + 1));
    let deep = format!("-A KUBE-SVC-A -j C0\n{}", chains.collect::<String>());
    assert!(matches!(
        decide(&service(&deep), &packet()).verdict,
        Verdict::NotUnderstood(_)
    ));
}

#[test]
fn older_and_newer_writers_are_understood() {
    let decide = |text: &str| node_rules::read(text).expect("it can be read")[0].decide(&packet());
    // Up to 1.23: KUBE-XLB chains. With -c counters stand before rules.
    let older = service(
        "[0:0] -A KUBE-SVC-A -j KUBE-XLB-A\n[3:180] -A KUBE-XLB-A -m comment --comment \"a b\" -j KUBE-SEP-A\n-A KUBE-SEP-A -p tcp -m tcp -j DNAT --to-destination 10.0.0.1:80 --random\n",
    );
    assert!(
        matches!(decide(&older).verdict, Verdict::NotUnderstood(_)),
        "DNAT with more is not known"
    );
    // 1.37: one endpoint without a map; planned: one shared map with an offset.
    let newer = |dnat: &str| {
        format!(
            "table ip kube-proxy {{\n map service-ips {{\n type ipv4_addr . inet_proto . inet_service : verdict\n elements = {{ 10.96.0.1 . tcp . 80 : goto service-A-shop/web/tcp/ }}\n }}\n\
             map endpoints {{\n type integer : ipv4_addr . inet_service\n elements = {{ 5 : 10.0.0.5 . 80, 6 : 10.0.0.6 . 80, 7 : 10.0.0.7 . 80 }}\n }}\n\
             chain nat-prerouting {{\n type nat hook prerouting priority dstnat; policy accept;\n jump services\n }}\n\
             chain services {{\n ip daddr . meta l4proto . th dport vmap @service-ips\n }}\n\
             chain service-A-shop/web/tcp/ {{\n meta l4proto tcp {dnat}\n }}\n}}\n"
        )
    };
    let backends = |dnat: &str| {
        let decision = decide(&newer(dnat));
        assert_eq!(decision.verdict, Verdict::Forward, "{dnat}");
        decision
            .backends
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
    };
    assert_eq!(backends("dnat ip to 10.0.0.9:80"), ["10.0.0.9:80"]);
    assert_eq!(
        backends("dnat ip to numgen random mod 2 offset 5 map @endpoints"),
        ["10.0.0.5:80", "10.0.0.6:80"]
    );
    assert_eq!(
        backends("dnat ip addr . port to numgen random mod 1 map { 0 : 10.0.0.1 . 80 }"),
        ["10.0.0.1:80"]
    );
    assert!(matches!(
        decide(&newer(
            "dnat ip to jhash ip saddr mod 2 map { 0 : 10.0.0.1 . 80 }"
        ))
        .verdict,
        Verdict::NotUnderstood(_)
    ));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_dump_that_is_cut_or_scrambled_never_hangs_or_panics(
        which in 0usize..4, at in 0usize..60_000, much in 0usize..400, with in "\\PC{0,40}"
    ) {
        let (folder, file) = [
            ("1-iptables-v4-1.36.3", "node-a.iptables-save"),
            ("2-nftables-v4-1.36.3", "node-a.nft.json"),
            ("2-nftables-v4-1.36.3", "node-a.nft.txt"),
            ("6-nftables-v4-1.33.13", "node-a.nft.txt"),
        ][which];
        let text = text(folder, file);
        let at = (at % text.len()..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
        let end = (at + much).min(text.len());
        let end = (end..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
        let scrambled = format!("{}{with}{}", &text[..at], &text[end..]);
        for rules in node_rules::read(&scrambled).into_iter().flatten() {
            let _ = (rules.decide(&packet()), rules.programmed());
        }
    }
}

//! Objects, too many of them or with too much in them.

use std::fmt::Write as _;

use super::{Nasty, fill, numbered};

/// An object with this under `spec`.
pub(super) fn object(kind: &str, name: &str, spec: &str) -> String {
    let version = if kind == "Deployment" {
        "apps/v1"
    } else {
        "v1"
    };
    format!("---\napiVersion: {version}\nkind: {kind}\nmetadata: {{name: {name}}}\nspec: {spec}\n")
}

fn web(containers: &str) -> String {
    let service = object(
        "Service",
        "web",
        "{selector: {app: web}, ports: [{port: 80}]}",
    );
    let spec = format!(
        "{{selector: {{matchLabels: {{app: web}}}}, template: {{metadata: {{labels: {{app: web}}}}, spec: {{containers: [{containers}]}}}}}}"
    );
    format!("{service}{}", object("Deployment", "web", &spec))
}

/// A workload with this script as preStop.
fn hook(script: &str) -> Vec<u8> {
    web(&format!("{{name: app, image: x, lifecycle: {{preStop: {{exec: {{command: [sh, -c, \"{script}\"]}}}}}}}}")).into()
}

/// A Service that kube-proxy serves.
fn served() -> String {
    let spec = "{clusterIP: 10.0.0.1, selector: {app: web}, ports: [{port: 80}]}";
    object("Service", "web", spec)
}

/// A slice of it.
fn slice(number: usize, endpoints: &str) -> String {
    format!(
        "---\napiVersion: discovery.k8s.io/v1\nkind: EndpointSlice\naddressType: IPv4\nmetadata: {{name: web-{number}, labels: {{kubernetes.io/service-name: web}}}}\nports: [{{name: '', port: 80}}]\nendpoints: [{endpoints}]\n"
    )
}

/// An endpoint on a node of its own.
fn endpoint(number: usize) -> String {
    let [.., a, b, c] = number.to_be_bytes();
    format!("{{addresses: [10.{a}.{b}.{c}], conditions: {{}}, nodeName: n{number}}}, ")
}

/// All of them.
pub(super) const ALL: &[Nasty] = &[
    ("many Services", |size| {
        numbered(size, |number| {
            object(
                "Service",
                &format!("web-{number}"),
                "{selector: {app: web}, ports: [{port: 80}]}",
            )
        })
        .into()
    }),
    ("many Services of the same pods", |size| {
        let workload = web("{name: app, image: x}");
        let services = numbered(size, |number| {
            object(
                "Service",
                &format!("web-{number}"),
                "{selector: {app: web}, ports: [{port: 80}]}",
            )
        });
        format!("{workload}{services}").into()
    }),
    ("many Deployments with findings", |size| {
        let spec = |number: usize| {
            format!(
                "{{selector: {{matchLabels: {{app: w{number}}}}}, template: {{metadata: {{labels: {{app: w{number}}}}}, spec: {{containers: [{{name: app, image: x}}]}}}}}}"
            )
        };
        numbered(size, |number| {
            let name = format!("web-{number}");
            let service = object(
                "Service",
                &name,
                &format!("{{selector: {{app: w{number}}}, ports: [{{port: 80}}]}}"),
            );
            format!("{service}{}", object("Deployment", &name, &spec(number)))
        })
        .into()
    }),
    ("many Deployments in one line of JSON", |size| {
        let items = numbered(size, |number| {
            format!(
                "{{\"apiVersion\":\"v1\",\"kind\":\"Service\",\"metadata\":{{\"name\":\"w{number}\"}},\"spec\":{{\"selector\":{{\"app\":\"w{number}\"}},\"ports\":[{{\"port\":80}}]}}}},\
             {{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"metadata\":{{\"name\":\"w{number}\"}},\"spec\":{{\"selector\":{{\"matchLabels\":{{\"app\":\"w{number}\"}}}},\
             \"template\":{{\"metadata\":{{\"labels\":{{\"app\":\"w{number}\"}}}},\"spec\":{{\"containers\":[{{\"name\":\"app\",\"image\":\"x\"}}]}}}}}}}},"
            )
        });
        format!(
            "{{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[{}]}}",
            items.trim_end_matches(',')
        )
        .into()
    }),
    ("many containers", |size| {
        web(&numbered(size, |number| {
            format!("{{name: c{number}, image: x}}, ")
        }))
        .into()
    }),
    ("many containers of one name", |size| {
        web(&fill("{name: c, image: x}, ", size)).into()
    }),
    ("many empty containers", |size| {
        web(&fill("{name: c}, ", size)).into()
    }),
    ("many ports", |size| {
        let ports = numbered(size, |number| {
            format!("{{name: p{number}, port: {}}}, ", number % 65_536)
        });
        format!(
            "{}{}",
            web("{name: app, image: x}"),
            object(
                "Service",
                "ports",
                &format!("{{selector: {{app: web}}, ports: [{ports}]}}")
            )
        )
        .into()
    }),
    ("a long shell script as preStop", |size| {
        hook(&fill("sleep 1; ", size))
    }),
    ("a preStop of nothing but brackets", |size| {
        hook(&fill("$(", size))
    }),
    ("a preStop of loops in loops", |size| {
        hook(&fill("while true; do ", size))
    }),
    ("a preStop of loops after loops", |size| {
        hook(&fill(
            "for i in 1 2 3 4 5 6 7 8 9; do sleep 1; done; ",
            size,
        ))
    }),
    ("a preStop of many words", |size| {
        let words = fill("a, ", size);
        web(&format!(
            "{{name: app, image: x, lifecycle: {{preStop: {{exec: {{command: [{words}]}}}}}}}}"
        ))
        .into()
    }),
    ("the same object again and again", |size| {
        fill(
            &object(
                "Service",
                "web",
                "{selector: {app: web}, ports: [{port: 80}]}",
            ),
            size,
        )
        .into()
    }),
    ("the same name with another text again and again", |size| {
        numbered(size, |number| {
            object(
                "Service",
                "web",
                &format!("{{ports: [{{port: {number}}}]}}"),
            )
        })
        .into()
    }),
    ("many fields of the wrong type", |size| {
        numbered(size, |number| {
            object("Service", &format!("w{number}"), "{ports: a}")
        })
        .into()
    }),
    ("many fields of the wrong type in one List", |size| {
        let items = numbered(size, |number| {
            format!(
                "- {{apiVersion: v1, kind: Service, metadata: {{name: w{number}}}, spec: {{ports: a}}}}\n"
            )
        });
        format!("apiVersion: v1\nkind: List\nitems:\n{items}").into()
    }),
    ("Lists of Lists", |size| {
        let mut text = String::new();
        let mut depth = 0;
        while text.len() < size.min(4000) {
            let _ = write!(text, "{{kind: List, items: [");
            depth += 1;
        }
        format!("{text}{}", "]}".repeat(depth)).into()
    }),
    ("a List of nulls", |size| {
        format!("{{kind: List, items: [{}]}}", fill("~,", size)).into()
    }),
    ("a List of nulls in JSON", |size| {
        format!(
            "{{\"kind\": \"List\", \"items\": [{}null]}}",
            fill("null,", size)
        )
        .into()
    }),
    ("a List of nulls in lines", |size| {
        format!("kind: List\nitems:\n{}", fill("-\n", size)).into()
    }),
    ("labels without end", |size| {
        let labels = numbered(size / 2, |number| format!("k{number}: v, "));
        format!(
            "{}---\napiVersion: v1\nkind: Pod\nmetadata: {{name: web, labels: {{{labels}}}}}\nspec: {{containers: [{{name: app}}]}}\n",
            object("Service", "web", &format!("{{selector: {{{labels}}}, ports: [{{port: 80}}]}}"))
        )
        .into()
    }),
    ("pods and Services, each of each", |size| {
        let pods = numbered(size / 2, |number| {
            format!(
                "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: p{number}, labels: {{app: web}}}}\nspec: {{containers: [{{name: app}}]}}\n"
            )
        });
        let services = numbered(size / 2, |number| {
            object(
                "Service",
                &format!("s{number}"),
                "{selector: {app: web}, ports: [{port: 80}]}",
            )
        });
        format!("{pods}{services}").into()
    }),
    ("budgets and Deployments, each of each", |size| {
        let budgets = numbered(size / 2, |number| {
            format!(
                "---\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {{name: b{number}}}\nspec: {{maxUnavailable: 0, selector: {{}}}}\n"
            )
        });
        let workloads = numbered(size / 2, |number| {
            object(
                "Deployment",
                &format!("w{number}"),
                "{selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: app}]}}}",
            )
        });
        format!("{budgets}{workloads}").into()
    }),
    ("one Ingress with many backends", |size| {
        let paths = numbered(size, |number| {
            format!(
                "{{path: /, backend: {{service: {{name: w{number}, port: {{number: 80}}}}}}}}, "
            )
        });
        format!("apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {{name: web}}\nspec: {{rules: [{{http: {{paths: [{paths}]}}}}]}}\n").into()
    }),
    ("a slice of many endpoints", |size| {
        let endpoints = numbered(size, endpoint);
        format!("{}{}", served(), slice(0, &endpoints)).into()
    }),
    ("slices of a thousand endpoints", |size| {
        // Sixty bytes each.
        let slices = (0..=size / 60_000).map(|number| {
            let most = 1000.min(1 + size / 60);
            let endpoints = (number * 1000..).take(most).map(endpoint);
            slice(number, &endpoints.collect::<String>())
        });
        format!("{}{}", served(), slices.collect::<String>()).into()
    }),
    ("many nodes", |size| {
        let nodes = numbered(size, |number| {
            format!(
                "---\napiVersion: v1\nkind: Node\nmetadata: {{name: n{number}}}\nstatus: {{nodeInfo: {{kubeletVersion: v1.{}.0, kubeProxyVersion: v1.{}.0}}}}\n",
                number % 40,
                number % 37
            )
        });
        format!(
            "{}{nodes}",
            object(
                "Service",
                "web",
                "{clusterIP: 10.0.0.1, ports: [{port: 80}]}"
            )
        )
        .into()
    }),
    ("tiny pods in one List", |size| {
        let pods = fill("- {apiVersion: v1, kind: Pod}\n", size);
        format!("apiVersion: v1\nkind: List\nitems:\n{pods}").into()
    }),
    ("tiny pods in JSON", |size| {
        let pods = fill("{\"apiVersion\":\"v1\",\"kind\":\"Pod\"},", size);
        let pods = pods.trim_end_matches(',');
        format!("{{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[{pods}]}}").into()
    }),
    ("tiny objects of all kinds in JSON", |size| {
        const KINDS: [(&str, &str); 8] = [
            ("v1", "Service"),
            ("v1", "Endpoints"),
            ("v1", "Node"),
            ("v1", "ConfigMap"),
            ("apps/v1", "Deployment"),
            ("policy/v1", "PodDisruptionBudget"),
            ("autoscaling/v2", "HorizontalPodAutoscaler"),
            ("discovery.k8s.io/v1", "EndpointSlice"),
        ];
        let items = numbered(size, |number| {
            let (version, kind) = KINDS[number % KINDS.len()];
            format!(
                "{{\"apiVersion\":\"{version}\",\"kind\":\"{kind}\",\"metadata\":{{\"name\":\"a{number}\"}}}},"
            )
        });
        let items = items.trim_end_matches(',');
        format!("{{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[{items}]}}").into()
    }),
    ("a preStop that doubles a word again and again", |size| {
        hook(&format!("a=x; {}sleep $a", fill("a=$a$a; ", size)))
    }),
    ("many preStops that double a word forty times", |size| {
        let script = format!("a=x; {}sleep $a", "a=$a$a; ".repeat(40));
        web(&numbered(size, |number| {
            format!("{{name: c{number}, image: x, lifecycle: {{preStop: {{exec: {{command: [sh, -c, \"{script}\"]}}}}}}}}, ")
        }))
        .into()
    }),
    ("many preStops of loops in loops over many words", |size| {
        let loops = "for i in $a; do ".repeat(20) + "sleep 1; " + &"done; ".repeat(20);
        let script = format!("a='x x'; {}{loops}", "a=\\\"$a $a\\\"; ".repeat(9));
        web(&numbered(size, |number| {
            format!("{{name: c{number}, image: x, lifecycle: {{preStop: {{exec: {{command: [sh, -c, \"{script}\"]}}}}}}}}, ")
        }))
        .into()
    }),
    ("a preStop of brackets that close", |size| {
        hook(&format!(
            "{}sleep 1{}",
            fill("(", size / 2),
            fill(")", size / 2)
        ))
    }),
    ("a preStop of defaults in defaults", |size| {
        hook(&format!(
            "sleep {}1{}",
            fill("${A:-", size * 5 / 6),
            fill("}", size / 6)
        ))
    }),
    ("a preStop of many jobs", |size| {
        hook(&fill("sleep 1 & ", size))
    }),
    ("a preStop of signals", |size| {
        hook(&fill("kill -9 1; ", size))
    }),
];

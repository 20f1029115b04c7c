//! What manifests say about the end of pods becomes facts, with the API's defaults.

use drain_check::decode::objects;
use drain_check::facts::Snapshot;
use drain_check::facts::pod_spec::{EnvVar, Handler, ProbeHandler};
use drain_check::facts::service::TargetPort;
use drain_check::facts::workload::{Amount, Kind, Strategy, WorkloadKind};
use drain_check::manifest;

fn read(text: &str) -> Snapshot {
    let value: serde_yaml::Value = serde_yaml::from_str(text).expect("YAML");
    let object = manifest::ManifestObject {
        file: String::new(),
        line: 1,
        value: serde_json::to_value(value).expect("JSON"),
    };
    let (snapshot, problems) = objects::snapshot(vec![object]);
    assert!(problems.is_empty());
    snapshot
}

#[test]
fn a_deployments_template_says_hooks_probes_and_how_pods_are_replaced() {
    let snapshot = read(
        r"
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  replicas: 3
  minReadySeconds: 7
  strategy: {rollingUpdate: {maxUnavailable: 10%, maxSurge: 2}}
  template:
    metadata: {labels: {app: web}, annotations: {a: b}}
    spec:
      terminationGracePeriodSeconds: 45
      shareProcessNamespace: true
      initContainers:
      - {name: setup, image: setup}
      - name: proxy
        image: proxy
        restartPolicy: Always
        lifecycle: {preStop: {sleep: {seconds: 5}}}
      containers:
      - name: app
        image: web:1
        command: [sh, -c, ./app]
        env: [{name: A, value: b}, {name: C, valueFrom: {fieldRef: {fieldPath: metadata.name}}}, {name: D}]
        lifecycle: {stopSignal: SIGQUIT, preStop: {httpGet: {path: /drain, port: http}}}
        readinessProbe: {tcpSocket: {port: 8080}, periodSeconds: 2}
        livenessProbe: {exec: {command: [check]}, terminationGracePeriodSeconds: 3}
      - {name: other, image: other, lifecycle: {preStop: {tcpSocket: {port: 1}}}}
",
    );
    let web = &snapshot.workloads[0];
    assert_eq!(web.kind, WorkloadKind::Deployment);
    assert_eq!((web.replicas, web.min_ready_seconds), (Some(3), 7));
    assert_eq!(
        web.strategy,
        Strategy::RollingUpdate {
            max_unavailable: Some(Amount::Percent(10)),
            max_surge: Some(Amount::Count(2)),
            partition: 0,
        }
    );
    assert_eq!(web.pod_labels["app"], "web");
    assert_eq!(web.template.annotations["a"], "b");
    let spec = &web.template.spec;
    assert_eq!(spec.grace_seconds, Some(45));
    assert!(spec.shares_processes && !spec.host_network);
    let names: Vec<_> = spec.sidecars().map(|each| each.name.as_str()).collect();
    assert_eq!(names, ["proxy"]);
    let hook = &spec.init_containers[1].lifecycle.pre_stop;
    assert_eq!(*hook, Some(Handler::Sleep(5)));
    let app = &spec.containers[0];
    assert_eq!(app.command, ["sh", "-c", "./app"]);
    let env = |name: &str, value: Option<&str>| EnvVar {
        name: name.to_owned(),
        value: value.map(str::to_owned),
    };
    assert_eq!(
        app.env,
        [env("A", Some("b")), env("C", None), env("D", Some(""))]
    );
    assert_eq!(app.lifecycle.stop_signal.as_deref(), Some("SIGQUIT"));
    let Some(Handler::HttpGet(get)) = &app.lifecycle.pre_stop else {
        panic!("{:?}", app.lifecycle.pre_stop);
    };
    assert_eq!(get.port, TargetPort::Name("http".to_owned()));
    assert_eq!((get.path.as_str(), get.https), ("/drain", false));
    let readiness = app.readiness.as_ref().expect("a probe");
    assert_eq!(
        readiness.handler,
        ProbeHandler::TcpSocket(TargetPort::Number(8080))
    );
    // The defaults of `SetDefaults_Probe`, pkg/apis/core/v1/defaults.go.
    assert_eq!(
        [
            readiness.initial_delay_seconds,
            readiness.period_seconds,
            readiness.timeout_seconds,
            readiness.success_threshold,
            readiness.failure_threshold,
        ],
        [0, 2, 1, 1, 3]
    );
    let liveness = app.liveness.as_ref().expect("a probe");
    assert_eq!(liveness.grace_seconds, Some(3));
    let hook = &spec.containers[1].lifecycle.pre_stop;
    assert_eq!(*hook, Some(Handler::TcpSocket));
}

#[test]
fn a_handler_that_was_dropped_is_an_empty_one() {
    let snapshot = read(
        "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: web}\nspec: {updateStrategy: {type: OnDelete}, selector: {}, \
         template: {spec: {containers: [{name: app, lifecycle: {preStop: {}}}]}}}",
    );
    let web = &snapshot.workloads[0];
    assert_eq!(web.strategy, Strategy::OnDelete);
    let hook = &web.template.spec.containers[0].lifecycle.pre_stop;
    assert_eq!(*hook, Some(Handler::Empty));
}

#[test]
fn whatever_has_a_pod_template_is_a_workload() {
    for (api_version, kind, open, close) in [
        ("batch/v1", "Job", "", ""),
        ("batch/v1", "CronJob", "jobTemplate: {spec: {", "}}"),
        ("argoproj.io/v1alpha1", "Rollout", "replicas: 4, ", ""),
    ] {
        let snapshot = read(&format!(
            "apiVersion: {api_version}\nkind: {kind}\nmetadata: {{name: web, namespace: shop}}\nspec: {{{open}template: \
             {{metadata: {{labels: {{app: web}}}}, spec: {{containers: [{{name: app}}]}}}}{close}}}"
        ));
        let [web] = snapshot.workloads.as_slice() else {
            panic!("{kind}: {:?}", snapshot.workloads);
        };
        let other = Kind::Other {
            api_version: api_version.to_owned(),
            kind: kind.to_owned(),
        };
        assert_eq!(web.kind, other);
        assert_eq!(
            (web.kind.name(), web.kind.api_version()),
            (kind, api_version)
        );
        assert_eq!(web.pod_labels["app"], "web");
        assert_eq!(web.template.spec.containers[0].name, "app");
        assert_eq!(web.replicas, (kind == "Rollout").then_some(4));
    }
    let nothing = read(
        "apiVersion: example.com/v1\nkind: Page\nmetadata: {name: a}\nspec: {template: {spec: {title: a}}}",
    );
    assert!(nothing.workloads.is_empty());
}

#[test]
fn a_pod_says_who_owns_it() {
    let snapshot = read(
        "apiVersion: v1\nkind: Pod\nmetadata: {name: web-1, annotations: {a: b}, ownerReferences: [\
         {apiVersion: v1, kind: Other, name: o, uid: '1'}, {apiVersion: apps/v1, kind: ReplicaSet, name: web, uid: '2', \
         controller: true}]}\nspec: {containers: [], ephemeralContainers: [{name: debug, image: box}]}",
    );
    let pod = &snapshot.pods[0];
    let owner = pod.owner.as_ref().expect("an owner");
    assert_eq!(
        (owner.kind.as_str(), owner.name.as_str()),
        ("ReplicaSet", "web")
    );
    assert!(owner.controller);
    assert_eq!(pod.annotations["a"], "b");
    assert_eq!(pod.spec.ephemeral_containers[0].name, "debug");
}

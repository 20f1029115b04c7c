//! core/v1 `PodSpec` → facts: what a pod and a workload's template say alike.

use std::ops::Add;

use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

use super::common::{exact, port_number, protocol};
use super::parts;
use crate::facts::pod_spec::{
    Container, ContainerPort, EnvVar, Handler, HttpGet, Lifecycle, PodSpec, Probe, ProbeHandler,
    RestartPolicy, Toleration,
};
use crate::facts::resources::{Amounts, quantity};
use crate::facts::service::TargetPort;

fn port(port: IntOrString) -> TargetPort {
    match port {
        // What no port can be is kept as a name that no container declares.
        IntOrString::Int(number) => port_number(number)
            .map_or_else(|| TargetPort::Name(number.to_string()), TargetPort::Number),
        IntOrString::String(name) => TargetPort::Name(name),
    }
}

fn http_get(action: parts::HttpGet) -> HttpGet {
    HttpGet {
        host: action.host.filter(|host| !host.is_empty()),
        port: port(action.port),
        path: action.path.unwrap_or_else(|| "/".to_owned()),
        https: action.scheme.as_deref() == Some("HTTPS"),
    }
}

fn handler(handler: parts::Handler) -> Handler {
    if let Some(exec) = handler.exec {
        Handler::Exec(exec.command.unwrap_or_default())
    } else if let Some(action) = handler.http_get {
        Handler::HttpGet(http_get(action))
    } else if handler.tcp_socket.is_some() {
        Handler::TcpSocket
    } else if let Some(sleep) = handler.sleep {
        Handler::Sleep(sleep.seconds)
    } else {
        Handler::Empty
    }
}

fn lifecycle(lifecycle: parts::Lifecycle) -> Lifecycle {
    Lifecycle {
        pre_stop: lifecycle.pre_stop.map(handler),
        stop_signal: lifecycle.stop_signal,
    }
}

fn probe(probe: parts::Probe) -> Probe {
    // The API server takes 0 for "not said" as well (`SetDefaults_Probe`).
    let or = |value: Option<i32>, default: i64| {
        value
            .map(i64::from)
            .filter(|value| *value != 0)
            .unwrap_or(default)
    };
    Probe {
        handler: if let Some(exec) = probe.exec {
            ProbeHandler::Exec(exec.command.unwrap_or_default())
        } else if let Some(action) = probe.http_get {
            ProbeHandler::HttpGet(http_get(action))
        } else if let Some(action) = probe.tcp_socket {
            ProbeHandler::TcpSocket(port(action.port))
        } else if let Some(number) = probe.grpc.and_then(|grpc| port_number(grpc.port)) {
            ProbeHandler::Grpc(number)
        } else {
            ProbeHandler::Empty
        },
        initial_delay_seconds: or(probe.initial_delay_seconds, 0),
        period_seconds: or(probe.period_seconds, 10),
        timeout_seconds: or(probe.timeout_seconds, 1),
        success_threshold: or(probe.success_threshold, 1),
        failure_threshold: or(probe.failure_threshold, 3),
        grace_seconds: probe.termination_grace_period_seconds,
    }
}

fn ports(ports: Option<Vec<parts::ContainerPort>>) -> Vec<ContainerPort> {
    let port = |port: parts::ContainerPort| {
        Some(ContainerPort {
            name: port.name.unwrap_or_default(),
            number: port_number(port.container_port)?,
            protocol: protocol(port.protocol.as_deref()),
        })
    };
    exact(ports.into_iter().flatten().filter_map(port))
}

fn env(env: Option<Vec<parts::EnvVar>>) -> Vec<EnvVar> {
    let variable = |variable: parts::EnvVar| EnvVar {
        value: match variable.value_from {
            Some(_) => None,
            None => Some(variable.value.unwrap_or_default()),
        },
        name: variable.name,
    };
    exact(env.into_iter().flatten().map(variable))
}

fn toleration(toleration: parts::Toleration) -> Toleration {
    let any = toleration.operator.as_deref() == Some("Exists");
    Toleration {
        key: toleration.key.unwrap_or_default(),
        value: (!any).then(|| toleration.value.unwrap_or_default()),
        effect: toleration.effect.unwrap_or_default(),
        seconds: toleration.toleration_seconds,
    }
}

/// What is mounted beside a hook's command. Nobody asks for the rest, which a large cluster has in great numbers.
fn mounts(mounts: Option<Vec<parts::VolumeMount>>, lifecycle: &Lifecycle) -> Vec<String> {
    let runs = matches!(lifecycle.pre_stop, Some(Handler::Exec(_)));
    let mounts = mounts.filter(|_| runs).unwrap_or_default().into_iter();
    mounts.map(|mount| mount.mount_path).collect()
}

/// Is nothing written of a container but its name, its image and its ports?
fn is_bare(container: &parts::Container) -> bool {
    let probes = [
        &container.readiness_probe,
        &container.liveness_probe,
        &container.startup_probe,
    ];
    let present = [&container.env_from, &container.security_context];
    container.command.is_none()
        && container.args.is_none()
        && container.env.is_none()
        && container.volume_mounts.is_none()
        && container.lifecycle.is_none()
        && container.resources.is_none()
        && probes.iter().all(|probe| probe.is_none())
        && present.iter().all(|each| each.is_none())
}

fn container(container: parts::Container) -> Container {
    let bare = is_bare(&container);
    let lifecycle = container.lifecycle.map(lifecycle).unwrap_or_default();
    Container {
        name: container.name,
        image: container.image.unwrap_or_default(),
        command: container.command.unwrap_or_default(),
        args: container.args.unwrap_or_default(),
        env: env(container.env),
        ports: ports(container.ports),
        restarts_always: container.restart_policy.as_deref() == Some("Always"),
        mounts: mounts(container.volume_mounts, &lifecycle),
        lifecycle,
        readiness: container.readiness_probe.map(probe),
        liveness: container.liveness_probe.map(probe),
        startup: container.startup_probe.map(probe),
        bare,
    }
}

/// Hooks, probes and ports are not allowed in an ephemeral container.
fn ephemeral(container: parts::Container) -> Container {
    Container {
        name: container.name,
        image: container.image.unwrap_or_default(),
        command: container.command.unwrap_or_default(),
        args: container.args.unwrap_or_default(),
        env: env(container.env),
        ..Container::default()
    }
}

/// What a container asks for.
fn requests(container: &parts::Container) -> Amounts {
    let read = |text: &Option<String>, parts| quantity(text.as_deref()?, parts);
    container
        .resources
        .as_ref()
        .map_or_else(Amounts::default, |asks| Amounts {
            cpu: read(&asks.requests.cpu, 1000.0).unwrap_or(0),
            memory: read(&asks.requests.memory, 1.0).unwrap_or(0),
        })
}

/// What a pod asks of its node: its containers and sidecars together, or the init container that needs most, with the sidecars before it
/// (`pkg/api/v1/resource/helpers.go`, `PodRequests`). What `overhead` and the pod's own `resources` say more is not counted.
fn requests_of_pod(spec: &parts::PodSpec) -> Amounts {
    let (mut sidecars, mut most) = (Amounts::default(), Amounts::default());
    for container in spec.init_containers.iter().flatten() {
        let asks = requests(container);
        most = most.max(sidecars + asks);
        if container.restart_policy.as_deref() == Some("Always") {
            sidecars = sidecars + asks;
        }
    }
    let mains = spec.containers.iter().map(requests);
    mains.fold(sidecars, Amounts::add).max(most)
}

/// A v1 `PodSpec`.
pub(crate) fn pod_spec(spec: parts::PodSpec) -> PodSpec {
    // A main container may say `restartPolicy` as well (KEP-5307), which makes no sidecar of it.
    let main = |main: parts::Container| Container {
        restarts_always: false,
        ..container(main)
    };
    let requests = requests_of_pod(&spec);
    let init = spec.init_containers.into_iter().flatten();
    let debug = spec.ephemeral_containers.into_iter().flatten();
    PodSpec {
        grace_seconds: spec.termination_grace_period_seconds,
        restart_policy: match spec.restart_policy.as_deref() {
            Some("Never") => RestartPolicy::Never,
            Some("OnFailure") => RestartPolicy::OnFailure,
            _ => RestartPolicy::Always,
        },
        host_network: spec.host_network.unwrap_or(false),
        host_pid: spec.host_pid.unwrap_or(false),
        shares_processes: spec.share_process_namespace.unwrap_or(false),
        os: spec.os.map(|os| os.name),
        priority_class: spec.priority_class_name.filter(|name| !name.is_empty()),
        node_selector: spec.node_selector.unwrap_or_default(),
        containers: exact(spec.containers.into_iter().map(main)),
        init_containers: exact(init.map(container)),
        ephemeral_containers: exact(debug.map(ephemeral)),
        tolerations: exact(spec.tolerations.into_iter().flatten().map(toleration)),
        empty_dir: spec
            .volumes
            .iter()
            .flatten()
            .any(|volume| volume.empty_dir.is_some()),
        requests,
        readiness_gates: spec
            .readiness_gates
            .unwrap_or_default()
            .into_iter()
            .map(|gate| gate.condition_type)
            .collect(),
    }
}

//! One known defect: what is changed, and which rules must say so.

use serde_json::{Value, json};

use super::App;

/// A defect.
pub(crate) struct Mutation {
    /// What is changed.
    pub(crate) name: &'static str,
    /// The rule that must find it.
    pub(crate) rule: &'static str,
    /// Others that rightly say the same from their side.
    pub(crate) also: &'static [&'static str],
    /// Changes an application; `None` where it has nothing to change.
    pub(crate) apply: fn(&mut App) -> Option<()>,
}

const fn mutation(
    name: &'static str,
    rule: &'static str,
    also: &'static [&'static str],
    apply: fn(&mut App) -> Option<()>,
) -> Mutation {
    Mutation {
        name,
        rule,
        also,
        apply,
    }
}

fn spec(app: &mut App) -> Option<&mut Value> {
    // Pods that no Service leads to may do as they like.
    app.find("Service")?;
    Some(&mut app.workload()?["spec"]["template"]["spec"])
}

fn container(app: &mut App) -> Option<&mut Value> {
    spec(app)?["containers"].get_mut(0)
}

fn grace(app: &mut App) -> Option<i64> {
    spec(app)?["terminationGracePeriodSeconds"].as_i64()
}

/// The budget of a workload that has so many replicas for certain.
fn budget(app: &mut App) -> Option<(&mut Value, i64)> {
    if app.find("HorizontalPodAutoscaler").is_some() {
        return None;
    }
    let replicas = app.workload()?["spec"]["replicas"].as_i64()?;
    let spec = &mut app.find("PodDisruptionBudget")?["spec"];
    let fields = spec.as_object_mut()?;
    fields.remove("minAvailable");
    fields.remove("maxUnavailable");
    Some((spec, replicas))
}

/// A name whose first word has an `s` more.
fn mistyped(name: &Value) -> Option<Value> {
    let name = name.as_str()?;
    Some(match name.split_once('-') {
        Some((first, rest)) => json!(format!("{first}s-{rest}")),
        None => json!(format!("{name}s")),
    })
}

pub(crate) const ALL: &[Mutation] = &[
    mutation("no preStop", "DC201", &[], |app| {
        container(app)?.as_object_mut()?.remove("lifecycle")?;
        Some(())
    }),
    mutation(
        "preStop longer than the grace",
        "DC202",
        &["DC203"],
        |app| {
            let seconds = grace(app)? + 2;
            container(app)?["lifecycle"]["preStop"] =
                json!({"exec": {"command": ["sleep", seconds.to_string()]}});
            Some(())
        },
    ),
    mutation("a hook that no kubelet runs", "DC205", &[], |app| {
        container(app)?["lifecycle"]["preStop"] = json!({"tcpSocket": {"port": 8080}});
        Some(())
    }),
    mutation("a shell in an image without one", "DC206", &[], |app| {
        let container = container(app)?;
        container.as_object_mut()?.remove("command");
        container["image"] = json!("gcr.io/distroless/static-debian12:nonroot");
        container["lifecycle"]["preStop"] =
            json!({"exec": {"command": ["/bin/sh", "-c", "sleep 20"]}});
        Some(())
    }),
    mutation("a shell that keeps the signal", "DC207", &[], |app| {
        container(app)?["command"] = json!(["/bin/sh", "-c", "/app/server; echo ended"]);
        Some(())
    }),
    mutation(
        "a grace of 0",
        "DC208",
        &["DC201", "DC202", "DC203"],
        |app| {
            spec(app)?["terminationGracePeriodSeconds"] = json!(0);
            container(app)?.as_object_mut()?.remove("lifecycle")?;
            Some(())
        },
    ),
    mutation("no readiness probe", "DC212", &[], |app| {
        container(app)?.as_object_mut()?.remove("readinessProbe")?;
        Some(())
    }),
    mutation("a Service that selects nothing", "DC107", &[], |app| {
        app.workload()?;
        let selector = app.find("Service")?["spec"]["selector"].as_object_mut()?;
        let value = selector.values_mut().next()?;
        *value = mistyped(value)?;
        Some(())
    }),
    mutation("a named port that no container has", "DC108", &[], |app| {
        app.workload()?;
        app.find("Service")?["spec"]["ports"][0]["targetPort"] = json!("web");
        Some(())
    }),
    mutation(
        "an Ingress to a port that the Service lacks",
        "DC111",
        &[],
        |app| {
            let spec = &mut app.find("Ingress")?["spec"];
            let backend = if spec["defaultBackend"].is_null() {
                &mut spec["rules"][0]["http"]["paths"][0]["backend"]
            } else {
                &mut spec["defaultBackend"]
            };
            backend["service"]["port"] = json!({"number": 8081});
            Some(())
        },
    ),
    mutation("every pod at once", "DC301", &[], |app| {
        app.find("HTTPRoute").is_none().then_some(())?;
        app.find("Deployment")?["spec"]["strategy"] = json!({"type": "Recreate"});
        app.find("Service")?;
        Some(())
    }),
    mutation(
        "a rolling update that may take every pod",
        "DC301",
        &[],
        |app| {
            app.find("Service")?;
            app.find("Deployment")?["spec"]["strategy"] =
                json!({"rollingUpdate": {"maxSurge": 0, "maxUnavailable": "100%"}});
            Some(())
        },
    ),
    mutation("a budget of nothing", "DC303", &[], |app| {
        budget(app)?.0["maxUnavailable"] = json!(0);
        Some(())
    }),
    mutation("a budget of every replica", "DC303", &[], |app| {
        let (spec, replicas) = budget(app)?;
        spec["minAvailable"] = json!(replicas);
        Some(())
    }),
    mutation(
        "a budget of every replica in percent",
        "DC303",
        &[],
        |app| {
            budget(app)?.0["minAvailable"] = json!("100%");
            Some(())
        },
    ),
    mutation("a budget that counts no pod", "DC305", &["DC304"], |app| {
        app.find("PodDisruptionBudget")?["spec"]["selector"] =
            json!({"matchLabels": {"app": "somebody-else"}});
        Some(())
    }),
    mutation("two budgets for the same pods", "DC306", &[], |app| {
        let mut second = app.find("PodDisruptionBudget")?.clone();
        second["metadata"]["name"] = json!("second");
        app.objects.push(second);
        Some(())
    }),
    mutation("replicas beside an autoscaler", "DC309", &[], |app| {
        app.find("HorizontalPodAutoscaler")?;
        app.find("Deployment")?["spec"]["replicas"] = json!(3);
        Some(())
    }),
    mutation(
        "an autoscaler of nothing",
        "DC309",
        &["DC301", "DC303"],
        |app| {
            let target = &mut app.find("HorizontalPodAutoscaler")?["spec"]["scaleTargetRef"];
            target["name"] = mistyped(&target["name"])?;
            Some(())
        },
    ),
    mutation("a name that a template should fill", "DC902", &[], |app| {
        app.objects.push(json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "{{ .Release.Name }}"}}));
        Some(())
    }),
];

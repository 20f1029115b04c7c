//! A repository as people have them: applications in folders of plain manifests, kustomizations with overlays, definitions of resources
//! with long schemas, charts, scripts in ConfigMaps, comments. The same for the same seed.

use std::fs;
use std::io;
use std::path::Path;

use serde_json::{Map, Value, json};

use super::corpus::{App, Dice, yaml};

/// Applications of one folder.
const TOGETHER: usize = 6;

fn style(seed: u64) -> yaml::Style {
    yaml::Style::new(&mut Dice::new(seed), true)
}

/// The schema of a field, so many levels deep.
fn schema(dice: &mut Dice, depth: usize) -> Value {
    let description = "What the controller does with this field where it is set, and what it takes in its place where it is not. \
        It cannot be changed later: make another object, and remove this one.";
    if depth == 0 {
        let kind = *dice.pick(&["string", "integer", "boolean"]);
        return json!({"type": kind, "description": description});
    }
    let fields = (0..dice.between(3, 6)).map(|number| {
        let field = format!("field{depth}x{number}");
        (field, schema(dice, depth - 1))
    });
    let fields: Map<_, _> = fields.collect();
    json!({"type": "object", "description": description, "properties": fields, "required": ["field1x0"]})
}

fn definition(dice: &mut Dice, number: usize) -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("things{number}.example.com")},
        "spec": {
            "group": "example.com", "scope": "Namespaced",
            "names": {"kind": format!("Thing{number}"), "plural": format!("things{number}")},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema(dice, 3)}}],
        },
    })
}

const SCRIPT: &str = "\
apiVersion: v1
kind: ConfigMap
metadata:
  name: scripts
data:
  backup.sh: |
    #!/bin/sh
    set -eu
    # Old copies go first.
    find /backup -name '*.gz' -mtime +7 -delete
    for table in $(psql -c 'select name from tables' | tail -n +3); do
      pg_dump --table \"$table\" \"$DATABASE\" | gzip > \"/backup/$table.gz\"
    done
  nginx.conf: |
    server {
      listen 8080;
      location / { proxy_pass http://127.0.0.1:9000; }
    }
";

/// A chart: what is in it is not read.
fn chart(folder: &Path, name: &str) -> io::Result<()> {
    fs::create_dir_all(folder.join("templates"))?;
    let about = format!("apiVersion: v2\nname: {name}\nversion: 1.0.0\n");
    fs::write(folder.join("Chart.yaml"), about)?;
    let values = "image:\n  repository: registry.example.com/web\n  tag: v1\nreplicas: 3\n";
    fs::write(folder.join("values.yaml"), values)?;
    let template = "kind: Deployment\nmetadata:\n  name: {{ .Release.Name }}\n{{- if .Values.replicas }}\nspec:\n  replicas: {{ .Values.replicas }}\n{{- end }}\n";
    fs::write(folder.join("templates/web.yaml"), template)
}

/// A base with a file for each object, and overlays that take it.
fn kustomized(folder: &Path, app: &App, seed: u64) -> io::Result<()> {
    let base = folder.join("base");
    fs::create_dir_all(&base)?;
    let mut names = Vec::new();
    for (number, object) in app.objects.iter().enumerate() {
        let name = format!("{number}.yaml");
        let text = yaml::documents(std::slice::from_ref(object), &style(seed));
        fs::write(base.join(&name), text)?;
        names.push(format!("- {name}\n"));
    }
    let list = names.concat();
    fs::write(
        base.join("kustomization.yaml"),
        format!("resources:\n{list}"),
    )?;
    let workload = app
        .objects
        .iter()
        .find(|object| object["kind"] == "Deployment");
    for overlay in ["dev", "prod"] {
        let folder = folder.join("overlays").join(overlay);
        fs::create_dir_all(&folder)?;
        let mut text = format!("namespace: {overlay}\nresources:\n- ../../base\n");
        if let Some(workload) = workload {
            text.push_str("patches:\n- path: replicas.yaml\n");
            let patch = json!({"apiVersion": "apps/v1", "kind": "Deployment",
                "metadata": {"name": workload["metadata"]["name"]}, "spec": {"replicas": 5}});
            let patch = yaml::documents(&[patch], &style(seed));
            fs::write(folder.join("replicas.yaml"), patch)?;
        }
        fs::write(folder.join("kustomization.yaml"), text)?;
    }
    Ok(())
}

/// Writes a repository of about so many documents.
pub(crate) fn write(folder: &Path, documents: usize) -> io::Result<()> {
    let mut written = 0;
    for number in 0.. {
        if written >= documents {
            break;
        }
        let team = folder.join(format!("team-{number}"));
        fs::create_dir_all(&team)?;
        let mut dice = Dice::new(number as u64);
        let seeds = (number * TOGETHER..).take(TOGETHER);
        let apps = seeds.map(|seed| (seed as u64, App::new(seed as u64)));
        for (at, (seed, app)) in apps.enumerate() {
            written += app.objects.len();
            if at == 0 && number % 2 == 0 {
                kustomized(&team.join(format!("app-{seed}")), &app, seed)?;
            } else {
                let text = yaml::documents(&app.objects, &style(seed));
                fs::write(team.join(format!("app-{seed}.yaml")), text)?;
            }
        }
        fs::write(team.join("scripts.yaml"), SCRIPT)?;
        written += 1;
        if number % 4 == 0 {
            let text = yaml::documents(&[definition(&mut dice, number)], &style(4));
            fs::write(team.join("crd.yaml"), text)?;
            written += 1;
        }
        if number % 8 == 0 {
            chart(&team.join("chart"), &format!("chart-{number}"))?;
        }
    }
    Ok(())
}

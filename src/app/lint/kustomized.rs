//! `lint -k DIR`: what kustomize builds there, with the places of the files that it came from.
//!
//! kustomize is run on a folder of our own that only names DIR and asks for annotations about the origin of each object
//! (`buildMetadata: [originAnnotations]`), so that nothing is written beside the manifests. It is run for this flag only, and never where
//! it would fetch something.

use std::collections::HashMap;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use anyhow::{Context, bail, ensure};
use serde_json::Value;

use super::input::{Input, Origin};
use crate::files::{self, Folder, Purpose, Unread};
use crate::manifest::kubernetes::{KUSTOMIZATIONS, is_kustomization};
use crate::manifest::{self, ManifestObject};
use crate::units::patches::Touched;
use crate::units::{Units, plain, reach};

/// What kustomize notes of an object: `path: ../base/web.yaml`, from the folder that it was run on.
const ORIGIN: &str = "config.kubernetes.io/origin";

/// The programs that build kustomizations, with their arguments, the first one that is there.
const PROGRAMS: [(&str, &[&str]); 2] = [("kubectl", &["kustomize"]), ("kustomize", &["build"])];

/// The way from one folder to another; kustomize takes no other.
fn relative(from: &Path, to: &Path) -> PathBuf {
    let (from, to): (Vec<_>, Vec<_>) = (from.components().collect(), to.components().collect());
    let same = from
        .iter()
        .zip(&to)
        .take_while(|(one, other)| one == other)
        .count();
    let back = from[same..].iter().map(|_| Component::ParentDir);
    back.chain(to[same..].iter().copied()).collect()
}

/// What it says where it fails: the beginning of it tells why.
const MOST_SAID: u64 = 64 << 10;

/// What a program prints, as far as manifests may be long; it is ended where it prints more.
fn printed(mut child: Child, how: &str, dir: &Path, purpose: Purpose) -> anyhow::Result<String> {
    let said = child.stderr.take().map(|mut said| {
        std::thread::spawn(move || {
            let mut first = Vec::new();
            let _ = said.by_ref().take(MOST_SAID).read_to_end(&mut first);
            // Read to its end all the same, so that nobody waits for it.
            let _ = io::copy(&mut said, &mut io::sink());
            first
        })
    });
    let text = child
        .stdout
        .take()
        .map(|mut out| files::text_from(&mut out, purpose));
    if let Some(Err(Unread::TooLong(..))) = text {
        // It may have ended by itself by now.
        let _ = child.kill();
    }
    let status = child.wait()?;
    let said = said.and_then(|said| said.join().ok()).unwrap_or_default();
    let shown = dir.display();
    match text {
        Some(Err(error @ Unread::TooLong(..))) => {
            bail!(
                "what {how} prints for {shown} cannot be read: {error}; {}",
                purpose.help()
            )
        }
        _ if !status.success() => {
            let said = String::from_utf8_lossy(&said);
            bail!("{how} cannot build {shown}: {}", said.trim())
        }
        text => text
            .unwrap_or_else(|| Ok(String::new()))
            .with_context(|| format!("what {how} prints for {shown} cannot be read")),
    }
}

/// What kustomize prints for a folder, and the folder that it was run on.
#[allow(clippy::disallowed_methods, reason = "-k runs kustomize")]
fn build(dir: &Path, purpose: Purpose) -> anyhow::Result<(String, PathBuf)> {
    let own = Folder::new().context("cannot make a temporary folder")?;
    // kustomize names origins by the folder's own path, without links on the way.
    let path = own.path().canonicalize().context("the temporary folder")?;
    let target = relative(&path, dir);
    let wrapper = serde_json::json!({
        "apiVersion": "kustomize.config.k8s.io/v1beta1",
        "kind": "Kustomization",
        "resources": [target.to_string_lossy().replace('\\', "/")],
        "buildMetadata": ["originAnnotations"],
    });
    let file = path.join(KUSTOMIZATIONS[0]);
    files::write(&file, wrapper.to_string().as_bytes())
        .with_context(|| format!("cannot write {}", file.display()))?;
    for (program, arguments) in PROGRAMS {
        let run = Command::new(program)
            .args(arguments)
            .arg(&path)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let child = match run {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            run => run.with_context(|| format!("cannot run {program}"))?,
        };
        let how = format!("{program} {}", arguments.join(" "));
        return Ok((printed(child, &how, dir, purpose)?, path));
    }
    bail!(
        "neither kubectl nor kustomize is on PATH, and -k needs one of them; or pipe its output: kustomize build {} | kubectl drain-check lint -f -",
        dir.display()
    )
}

/// The file of a folder's kustomization.
fn file(dir: &Path) -> anyhow::Result<PathBuf> {
    reach::file_in(dir).with_context(|| {
        format!(
            "{} holds no kustomization.yaml; -k takes the folder of one, -f other files and folders",
            dir.display()
        )
    })
}

/// Takes the note about the origin out of an object.
fn take_origin(value: &mut Value) -> Option<String> {
    let meta = value.get_mut("metadata")?.as_object_mut()?;
    let annotations = meta.get_mut("annotations")?.as_object_mut()?;
    let note = annotations.remove(ORIGIN);
    if annotations.is_empty() {
        meta.remove("annotations");
    }
    let note: Value = serde_yaml::from_str(note?.as_str()?).ok()?;
    note["path"].as_str().map(str::to_owned)
}

fn name(value: &Value) -> &str {
    value["metadata"]["name"].as_str().unwrap_or_default()
}

/// The object of a file that became this one: names may have got prefixes, suffixes and hashes.
fn original(built: &Value, objects: &[ManifestObject]) -> Option<usize> {
    let kind = &built["kind"];
    let same = objects.iter().enumerate().filter(|(_, object)| {
        object.value["kind"] == *kind && name(built).contains(name(&object.value))
    });
    let longest = same.max_by_key(|(_, object)| name(&object.value).len());
    longest.map(|(index, _)| index)
}

/// Reads what kustomize builds in a folder.
pub(super) fn read(dir: &Path, purpose: Purpose, namespace: Option<&str>) -> anyhow::Result<Input> {
    let kustomization = file(dir)?;
    let mut none = io::empty();
    let named = std::slice::from_ref(&kustomization);
    let mut loaded = manifest::load_with_texts_for(purpose, named, false, &mut none);
    reach::complete(&mut loaded);
    if let Some((found, named, what)) = reach::special(&loaded) {
        bail!(
            "{found} names {named}, which is {what} and no regular file: kustomize might wait for it for ever, and is not run"
        );
    }
    if let Some((found, named)) = reach::not_local(&loaded) {
        bail!(
            "{found} names {named}, which is not there: -k fetches nothing; build it where that may be fetched, and pipe it: kustomize build {} | kubectl drain-check lint -f -",
            dir.display()
        );
    }
    let sources = Input::new(loaded, None);
    let dir = dir
        .canonicalize()
        .with_context(|| format!("cannot find {}", dir.display()))?;
    let (text, own) = build(&dir, purpose)?;
    let kustomization = kustomization.display().to_string();
    let mut built = manifest::load_text(&kustomization, &text);
    ensure!(
        !built.objects.is_empty(),
        "kustomize builds nothing in {}",
        dir.display()
    );
    let canonical = |name: &str| Path::new(name).canonicalize().ok();
    let files = sources.files.iter();
    let files: HashMap<_, _> = files
        .filter_map(|file| Some((canonical(&file.name)?, file)))
        .collect();
    let mut touched: HashMap<usize, Vec<_>> = HashMap::new();
    for member in sources.units.all.iter().flat_map(|unit| &unit.members) {
        touched
            .entry(member.object)
            .or_default()
            .extend(member.touched.iter().cloned());
    }
    let mut origins = Vec::new();
    for object in &mut built.objects {
        object.line = 1;
        let from = take_origin(&mut object.value);
        let file =
            from.and_then(|path| files.get(&canonical(&plain(&own.join(path)).to_string_lossy())?));
        let found = file.and_then(|file| {
            let range = file.objects.clone();
            let at = original(&object.value, &sources.objects[range.clone()])?;
            Some(range.start + at)
        });
        origins.push(found.map(|index| Origin {
            written: sources.objects[index].clone(),
            patches: patches(touched.get(&index), &sources, &sources.objects[index]),
        }));
    }
    let units = Units::one(&built.objects, namespace);
    Ok(Input {
        objects: built.objects,
        units,
        origins,
        ..sources
    })
}

/// The patches of an object, each with what is written there.
fn patches(
    touched: Option<&Vec<Arc<Touched>>>,
    sources: &Input,
    object: &ManifestObject,
) -> Vec<(Arc<Touched>, ManifestObject)> {
    let all = touched.into_iter().flatten();
    all.filter_map(|touched| {
        let mut written = sources
            .objects
            .iter()
            .filter(|each| each.file == touched.file);
        let kind = &object.value["kind"];
        // A patch in the kustomization itself is shown there.
        let own = |each: &&ManifestObject| {
            is_kustomization(Path::new(&each.file)) || each.value["kind"] == *kind
        };
        let written = written.find(own)?;
        Some((Arc::clone(touched), written.clone()))
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_way_from_one_folder_to_another_goes_through_what_they_share() {
        for (from, to, way) in [
            ("/tmp/x", "/srv/app/over", "../../srv/app/over"),
            ("/srv/x", "/srv/x/over", "over"),
            ("/srv/x", "/srv/x", ""),
        ] {
            assert_eq!(relative(Path::new(from), Path::new(to)), Path::new(way));
        }
    }

    #[test]
    fn the_note_about_the_origin_is_taken_out() {
        let mut object = json!({"metadata": {"name": "web", "annotations": {ORIGIN: "path: ../base/web.yaml\n"}}});
        assert_eq!(
            take_origin(&mut object).as_deref(),
            Some("../base/web.yaml")
        );
        assert_eq!(object, json!({"metadata": {"name": "web"}}));
        let mut generated = json!({"metadata": {"annotations": {ORIGIN: "configuredIn: kustomization.yaml\n", "a": "b"}}});
        assert_eq!(take_origin(&mut generated), None);
        assert_eq!(generated, json!({"metadata": {"annotations": {"a": "b"}}}));
    }
}

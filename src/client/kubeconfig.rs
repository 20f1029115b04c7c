//! Which server, as whom, in which namespace? Kubeconfig files, their contexts, and the pod that we may run in, as kubectl
//! takes them (client-go's `tools/clientcmd`).
//!
//! What a file says and merging two is kube's. Which files, and what is chosen from them, stays here: kube-client 5.0.0 fails where
//! one of `KUBECONFIG`'s files is missing (`Kubeconfig::from_env`) and lets an empty `current-context` hide the next file's
//! (`merge`), kubectl does neither; and kubectl has flags that win over both.

use std::collections::BTreeMap;
use std::env;
use std::net::IpAddr;
use std::path::{MAIN_SEPARATOR, Path, PathBuf};

use kube::config::{AuthInfo, Cluster, Kubeconfig};

use super::connection::Connection;
use super::error::ClusterError;
use crate::files::{self, Known, Purpose, Unread};

/// Where a pod finds its own credentials.
const SERVICE_ACCOUNT: &str = "/var/run/secrets/kubernetes.io/serviceaccount";

/// What was chosen.
pub(crate) struct Chosen {
    /// The context's name, if there is one.
    pub(crate) context: Option<String>,
    /// The namespace that it names.
    pub(crate) namespace: Option<String>,
    /// The server and how to trust it.
    pub(crate) cluster: Cluster,
    /// The credentials.
    pub(crate) user: AuthInfo,
}

/// The files to read, and whether each of them must be there.
#[allow(clippy::disallowed_methods, reason = "kubectl knows this variable")]
fn files(connection: &Connection) -> (Vec<PathBuf>, bool) {
    if let Some(file) = &connection.kubeconfig {
        return (vec![file.clone()], true);
    }
    let listed: Vec<PathBuf> = env::var_os("KUBECONFIG")
        .map(|list| env::split_paths(&list).collect())
        .unwrap_or_default();
    let listed: Vec<PathBuf> = listed
        .into_iter()
        .filter(|path| !path.as_os_str().is_empty())
        .collect();
    if listed.is_empty() {
        let home = env::home_dir().map(|home| home.join(".kube").join("config"));
        return (home.into_iter().collect(), false);
    }
    (listed, false)
}

/// Paths in a file are relative to its own directory, and programs too that are more than a name (client-go's `ResolveLocalPaths`).
fn relative_to(folder: &Path, file: &mut Kubeconfig) {
    let whole = |path: &mut Option<String>| {
        if let Some(path) = path.as_mut().filter(|path| !path.is_empty()) {
            *path = path_text(&folder.join(&*path));
        }
    };
    for cluster in file
        .clusters
        .iter_mut()
        .filter_map(|each| each.cluster.as_mut())
    {
        whole(&mut cluster.certificate_authority);
    }
    for user in file
        .auth_infos
        .iter_mut()
        .filter_map(|each| each.auth_info.as_mut())
    {
        whole(&mut user.client_certificate);
        whole(&mut user.client_key);
        whole(&mut user.token_file);
        if let Some(exec) = &mut user.exec
            && exec
                .command
                .as_ref()
                .is_some_and(|command| command.contains(MAIN_SEPARATOR))
        {
            whole(&mut exec.command);
        }
    }
}

/// Nobody writes a kubeconfig with more of what its aliases stand for, in words and brackets.
const MOST_REPEATED: usize = 10_000;

/// The documents of a file, read as kube does (kube-client 5.0.0, `Kubeconfig::from_yaml`), but for what aliases may make of it: there
/// a million words of one.
fn documents(text: &str) -> Result<Vec<Kubeconfig>, serde_saphyr::Error> {
    let options = serde_saphyr::options! {
        alias_limits: serde_saphyr::alias_limits! {
            max_total_replayed_events: MOST_REPEATED,
        },
    };
    serde_saphyr::from_multiple_with_options(text, options)
}

/// Reads a file with several documents.
fn read(path: &Path, required: bool) -> Result<Option<Kubeconfig>, ClusterError> {
    let correct = "correct the file; kubectl config view reads the same one";
    let wrong = |said: String, help: &str| ClusterError::Kubeconfig {
        said,
        help: help.to_owned(),
    };
    let shown = path.display();
    let text = match files::text(path, Known::Named, Purpose::KUBECONFIG) {
        Ok(text) => text,
        Err(error) if error.is_absent() && !required => return Ok(None),
        Err(error) => {
            let said = format!("cannot read the kubeconfig {shown}: {error}");
            let smaller = Purpose::KUBECONFIG.help();
            let help = match error {
                Unread::TooLong(..) => &smaller,
                _ => "name another one with --kubeconfig or KUBECONFIG",
            };
            return Err(wrong(said, help));
        }
    };
    let documents = match documents(&text) {
        Ok(documents) => documents,
        Err(error) => {
            // The place and no more: what the reader says of a file that holds secrets may quote them.
            let place = error.location().map_or_else(String::new, |place| {
                format!(":{}:{}", place.line(), place.column())
            });
            let said = format!("the kubeconfig {shown}{place} cannot be read as one");
            return Err(wrong(said, correct));
        }
    };
    let merged = documents
        .into_iter()
        .try_fold(Kubeconfig::default(), Kubeconfig::merge);
    match merged {
        Ok(mut file) => {
            relative_to(path.parent().unwrap_or(Path::new("")), &mut file);
            // kubectl writes `current-context: ""` for none; merged, it would hide the next file's.
            file.current_context = file.current_context.filter(|name| !name.is_empty());
            Ok(Some(file))
        }
        // What documents of one file say of their kind and version.
        Err(error) => {
            let said = format!("the kubeconfig {shown} cannot be read as one: {error}");
            Err(wrong(said, correct))
        }
    }
}

/// Reads and merges: the first file that says something wins.
fn merged(paths: &[PathBuf], required: bool) -> Result<Kubeconfig, ClusterError> {
    let mut merged = Kubeconfig::default();
    for path in paths {
        if let Some(file) = read(path, required)? {
            merged = merged
                .merge(file)
                .map_err(|error| ClusterError::Kubeconfig {
                    said: format!(
                        "the kubeconfig {} does not fit the ones before it: {error}",
                        path.display()
                    ),
                    help: "KUBECONFIG lists the files; leave this one out or correct it".to_owned(),
                })?;
        }
    }
    Ok(merged)
}

/// The server and credentials that every pod is given, if this is one.
#[allow(clippy::disallowed_methods, reason = "pods are told by variables")]
fn in_cluster() -> Option<Chosen> {
    let host = env::var("KUBERNETES_SERVICE_HOST").ok()?;
    let port = env::var("KUBERNETES_SERVICE_PORT").ok()?;
    let token = format!("{SERVICE_ACCOUNT}/token");
    if host.is_empty() || port.is_empty() || !Path::new(&token).exists() {
        return None;
    }
    let host = match host.parse() {
        Ok(IpAddr::V6(ip)) => format!("[{ip}]"),
        _ => host,
    };
    let namespace = format!("{SERVICE_ACCOUNT}/namespace");
    let namespace = files::text(Path::new(&namespace), Known::Found, Purpose::TOKEN);
    Some(Chosen {
        context: None,
        namespace: namespace.ok().map(|text| text.trim().to_owned()),
        cluster: Cluster {
            server: Some(format!("https://{host}:{port}")),
            certificate_authority: Some(format!("{SERVICE_ACCOUNT}/ca.crt")),
            ..Cluster::default()
        },
        user: AuthInfo {
            token_file: Some(token),
            ..AuthInfo::default()
        },
    })
}

fn names<'a>(names: impl Iterator<Item = &'a String>) -> Vec<String> {
    let mut names: Vec<String> = names.cloned().collect();
    names.sort();
    names
}

/// Everything that the kubeconfig files hold.
pub(crate) fn read_all(connection: &Connection) -> Result<Kubeconfig, ClusterError> {
    let (paths, required) = files(connection);
    merged(&paths, required)
}

/// Chooses by flags first, then by the kubeconfig, then by the pod that this runs in.
pub(crate) fn choose(connection: &Connection) -> Result<Chosen, ClusterError> {
    let (paths, required) = files(connection);
    let config = merged(&paths, required)?;
    let files: Vec<String> = paths
        .iter()
        .map(|path| path.display().to_string())
        .collect();

    let says_nothing = config.contexts.is_empty() && config.clusters.is_empty();
    let overridden =
        connection.server.is_some() || connection.context.is_some() || connection.cluster.is_some();
    if says_nothing && !overridden {
        let mut chosen = in_cluster().ok_or_else(|| no_kubeconfig(&files))?;
        apply_flags(&mut chosen, connection);
        return Ok(chosen);
    }

    let name = connection
        .context
        .clone()
        .or_else(|| config.current_context.clone());
    let context = match &name {
        None => None,
        Some(name) => Some(
            config
                .contexts
                .iter()
                .find(|context| context.name == *name)
                .and_then(|context| context.context.clone())
                .ok_or_else(|| ClusterError::NotInKubeconfig {
                    what: "context",
                    name: name.clone(),
                    files: files.clone(),
                    known: names(config.contexts.iter().map(|context| &context.name)),
                })?,
        ),
    };

    let cluster_name = connection
        .cluster
        .as_ref()
        .or_else(|| context.as_ref().map(|context| &context.cluster));
    let cluster = match cluster_name {
        Some(name) => config
            .clusters
            .iter()
            .find(|cluster| cluster.name == *name)
            .and_then(|cluster| cluster.cluster.clone())
            .ok_or_else(|| ClusterError::NotInKubeconfig {
                what: "cluster",
                name: name.clone(),
                files: files.clone(),
                known: names(config.clusters.iter().map(|cluster| &cluster.name)),
            })?,
        None if connection.server.is_some() => Cluster::default(),
        None => {
            return Err(ClusterError::NoContext {
                files,
                known: names(config.contexts.iter().map(|context| &context.name)),
            });
        }
    };

    let find_user = |name: &String| {
        config
            .auth_infos
            .iter()
            .find(|user| user.name == *name)
            .and_then(|user| user.auth_info.clone())
    };
    let user = match &connection.user {
        Some(name) => find_user(name).ok_or_else(|| ClusterError::NotInKubeconfig {
            what: "user",
            name: name.clone(),
            files,
            known: names(config.auth_infos.iter().map(|user| &user.name)),
        })?,
        // A context's user that does not exist is nobody in particular, as for kubectl.
        None => context
            .as_ref()
            .and_then(|context| context.user.as_ref())
            .and_then(find_user)
            .unwrap_or_default(),
    };

    let mut chosen = Chosen {
        context: name,
        namespace: context.and_then(|context| context.namespace),
        cluster,
        user,
    };
    apply_flags(&mut chosen, connection);
    Ok(chosen)
}

fn no_kubeconfig(files: &[String]) -> ClusterError {
    let mut looked_at: Vec<String> = files
        .iter()
        .map(|file| format!("{file} is missing or empty"))
        .collect();
    looked_at.push("this is no pod of a cluster".to_owned());
    ClusterError::NoKubeconfig { looked_at }
}

fn path_text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// Lets flags win over what the kubeconfig says, and takes away what would contradict them.
fn apply_flags(chosen: &mut Chosen, connection: &Connection) {
    let cluster = &mut chosen.cluster;
    if let Some(server) = &connection.server {
        cluster.server = Some(server.clone());
    }
    if connection.server.is_some() || connection.tls_server_name.is_some() {
        // Another server has another name: kubectl does not carry the kubeconfig's over.
        cluster
            .tls_server_name
            .clone_from(&connection.tls_server_name);
    }
    if let Some(file) = &connection.certificate_authority {
        cluster.certificate_authority = Some(path_text(file));
        cluster.certificate_authority_data = None;
        // Whoever names whom to trust does not mean to trust anybody (client-go, `tools/clientcmd/client_config.go`: `getCluster`).
        cluster.insecure_skip_tls_verify = None;
    }
    if let Some(insecure) = connection.insecure_skip_tls_verify {
        cluster.insecure_skip_tls_verify = Some(insecure);
        if insecure && connection.certificate_authority.is_none() {
            cluster.certificate_authority = None;
            cluster.certificate_authority_data = None;
        }
    }
    if let Some(disabled) = connection.disable_compression {
        cluster.disable_compression = Some(disabled);
    }

    let user = &mut chosen.user;
    if let Some(file) = &connection.client_certificate {
        user.client_certificate = Some(path_text(file));
        user.client_certificate_data = None;
    }
    if let Some(file) = &connection.client_key {
        user.client_key = Some(path_text(file));
        user.client_key_data = None;
    }
    let basic = connection.username.is_some() || connection.password.is_some();
    if connection.token.is_some() || basic {
        user.exec = None;
        user.auth_provider = None;
        user.token_file = None;
        user.token = connection
            .token
            .as_ref()
            .map(|token| token.expose().to_owned().into());
        user.username.clone_from(&connection.username);
        user.password = connection
            .password
            .as_ref()
            .map(|password| password.expose().to_owned().into());
    }
    if connection.impersonate.is_some() {
        user.impersonate.clone_from(&connection.impersonate);
    }
    if !connection.impersonate_groups.is_empty() {
        user.impersonate_groups = Some(connection.impersonate_groups.clone());
    }
    if connection.impersonate_uid.is_some() {
        user.impersonate_uid.clone_from(&connection.impersonate_uid);
    }
    // A key of the flags replaces the kubeconfig's; its other keys stay, as where kubectl merges maps.
    let mut given: BTreeMap<&String, Vec<String>> = BTreeMap::new();
    for (key, value) in &connection.impersonate_user_extra {
        given.entry(key).or_default().push(value.clone());
    }
    for (key, values) in given {
        let extra = user.impersonate_user_extra.get_or_insert_default();
        extra.insert(key.clone(), values);
    }
}

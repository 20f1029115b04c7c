//! Which release does a data plane run, as the images of its agents on the nodes tell?

use std::collections::BTreeSet;

use super::catalogue::TrafficSource;
use super::object_index::ObjectIndex;
use super::release::Release;

/// The release that a traffic source runs everywhere, by the images of its agents; `None` where one does not tell, or two differ.
pub(super) fn release(source: &TrafficSource, index: &ObjectIndex<'_>) -> Option<Release> {
    let objects = index.of_kind("DaemonSet").iter();
    let images = objects.flat_map(|object| {
        let containers = object.value["spec"]["template"]["spec"]["containers"].as_array();
        let containers = containers.into_iter().flatten();
        let agents = containers.filter(|container| {
            let mut agents = source.agents.iter();
            agents.any(|agent| agent.is(&object.namespace, &object.name, &container["name"]))
        });
        agents.map(|agent| agent["image"].as_str().and_then(Release::of_image))
    });
    let releases: BTreeSet<_> = images.collect();
    match (releases.len(), releases.first()) {
        (1, Some(release)) => *release,
        _ => None,
    }
}

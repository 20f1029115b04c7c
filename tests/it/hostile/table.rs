//! What is attacked, how, and what holds? One list, which docs/security.md shows, and against which the tests here are held: no class
//! without a test that tries it, and no test that belongs to none. `UPDATE_DOCS=1 cargo test hostile` writes the table anew.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::inputs::groups;

/// A class of attacks.
struct Class {
    name: &'static str,
    tried: String,
    held: &'static str,
    /// The tests that try it, as cargo calls them.
    tests: &'static [&'static str],
}

/// Each class with what is tried of it.
const SUITE: &[(&str, &str, &str, &[&str])] = &[
    (
        "Text that steers a terminal",
        "10 000 objects spoilt at random in two of many places, names and texts of escapes, bidi and invisible signs, in each command and format; words of a plugin and a server",
        "What is printed has no sign that a terminal obeys; YAML says the same as JSON",
        &[
            "hostile::ten_thousand_hostile_objects_give_reports_that_neither_break_the_schema_nor_steer_the_terminal",
            "hostile::texts::no_format_lets_an_object_steer_the_terminal_and_yaml_says_the_same_as_json",
            "hostile::client::what_a_kubeconfig_says_of_a_plugin_cannot_steer_the_terminal",
        ],
    ),
    (
        "A hook that makes much of little",
        "values that double, loops over what doubled, copies of long values in branches, brackets in brackets",
        "Beyond 64 KiB of a value, some thousand steps and some depth it is of unknown duration; no memory is taken for it",
        &[
            "hostile::texts::a_hook_that_makes_much_of_little_takes_no_memory_for_it",
            "shutdown::hook::a_script_that_makes_much_of_little_is_unknown",
        ],
    ),
    (
        "Special files",
        "FIFOs, sockets, devices and links to them: in a directory, as settings, named in a kubeconfig or a kustomization",
        "They are not opened, and told by name; what the command line names may be a FIFO, and a token a link to a file",
        &[
            "hostile::files::a_special_file_in_a_directory_is_passed_over_by_name_and_the_rest_is_judged",
            "hostile::files::settings_that_are_no_file_or_have_no_end_are_refused_by_name",
            "hostile::files::what_a_kubeconfig_names_is_read_only_if_it_is_a_file",
            "hostile::files::a_kustomization_reaches_only_files_and_kustomize_is_not_run_on_others",
            "hostile::files::what_is_named_may_be_a_fifo_as_of_a_shell_that_starts_a_renderer",
            "hostile::files::a_token_that_is_a_link_to_a_file_is_used_as_projected_tokens_are",
        ],
    ),
    (
        "What has no end",
        "/dev/zero, holes of 64 GB and endless FIFOs as manifest, standard input, settings, baseline and kubeconfig; a kustomize that never stops printing, a packed recording that unpacks to a thousand times as much",
        "Each is refused with its limit and, where there is one, the flag that raises it",
        &[
            "hostile::files::a_file_without_end_is_refused_with_its_limit_wherever_it_is_named",
            "hostile::files::a_kubeconfig_that_is_named_may_be_a_fifo_and_has_an_end",
            "hostile::files::what_kustomize_prints_has_the_limit_of_a_file",
            "hostile::files::a_recording_that_unpacks_to_much_more_than_it_is_has_an_end_that_is_told",
        ],
    ),
    (
        "Links to what others should not see",
        "links named *.yaml to tokens of many shapes, to a kubeconfig and to /proc/self/environ: linted, checked, as settings, baseline and patch, in each format",
        "No line is shown of a file that holds no object of Kubernetes",
        &[
            "hostile::files::nothing_is_quoted_from_a_file_that_held_no_kubernetes_object",
            "hostile::files::the_environment_is_not_quoted_by_way_of_a_link",
        ],
    ),
    (
        "`--fix` and `--patches` led elsewhere",
        "links out of the directory, bases that nobody named, hard links, links where patches are written",
        "Only what was named, or is really below what was named, is written; the rest is told by name",
        &[
            "hostile::files::fix_writes_no_file_that_a_link_leads_to_from_within",
            "hostile::files::fix_writes_what_a_link_within_leads_to_within_and_what_was_named",
            "hostile::files::fix_leaves_a_base_alone_that_nobody_named",
            "hostile::files::patches_replace_no_link",
            "hostile::files::fix_refuses_a_file_with_several_names_and_does_the_rest",
        ],
    ),
    (
        "`--fix` cut short",
        "SIGINT and SIGTERM at many moments of it, what a killed run left behind, files that cannot be written; signals while kustomize runs",
        "A file has its old text or its new one, owner, mode and attributes stay, nothing is left beside it, and what was not written is named",
        &[
            "hostile::files::a_signal_during_fix_leaves_nothing_behind_and_no_half_file",
            "hostile::files::what_a_killed_run_left_behind_is_in_nobodys_way",
            "hostile::files::fix_keeps_mode_owner_and_attributes",
            "hostile::files::a_signal_while_kustomize_runs_takes_the_temporary_folder_away",
            "lint::fix::what_cannot_be_written_keeps_no_other_file_from_its_fix_and_is_named",
        ],
    ),
    (
        "Answers of a server",
        "10 GB announced, no end, 1 MB of gzip that unpacks to 1 GB, many such at once, gzip that is broken or goes on after its end, lists of thousands of objects that cannot be read",
        "Read as far as `--max-answer-size`, one and all together; the error says which limit, of what, and the flag",
        &[
            "hostile::client::an_answer_is_read_as_far_as_its_limit_and_the_error_names_the_flag_that_raises_it",
            "hostile::client::answers_that_come_side_by_side_share_one_limit",
            "hostile::client::what_is_no_more_than_a_hole_says_which_limit_was_reached",
            "hostile::client::what_cannot_be_unpacked_is_said_to_be_that_and_no_broken_connection",
            "hostile::client::of_many_objects_that_cannot_be_read_the_first_is_named_and_the_others_are_counted",
        ],
    ),
    (
        "Whatever never ends",
        "Ctrl-C while a plugin sleeps and while answers unpack; a plugin that sleeps, one that never stops printing",
        "Ctrl-C ends everything within a second, plugins too; a plugin has the time of all requests and 1 MB",
        &[
            "hostile::client::ctrl_c_ends_a_run_whatever_a_server_or_a_plugin_is_at",
            "hostile::client::a_plugin_that_never_ends_is_ended_with_the_time_for_all_of_it",
            "hostile::client::a_plugin_that_never_stops_printing_is_killed",
        ],
    ),
    (
        "A kubeconfig and its plugin",
        "replies of a wrong kind or version, an authority together with no verification, too many contexts, long tokens, brackets and aliases without end",
        "Refused as kubectl does, by name; it costs what it holds, up to 16 MB",
        &[
            "hostile::client::a_plugin_speaks_the_version_that_the_kubeconfig_says",
            "hostile::client::an_authority_and_no_verification_contradict_each_other_as_in_kubectl",
            "hostile::client::a_kubeconfig_has_a_limit_and_costs_what_it_holds_below_it",
        ],
    ),
    (
        "Secrets",
        "passwords in addresses of proxies and servers, values that do not fit their fields, tokens of each published shape and passwords by their names in commands, images and unknown fields",
        "None is in an error, a report, `-v` or a snapshot",
        &[
            "hostile::client::no_error_about_a_proxy_or_a_server_shows_the_password_in_its_address",
            "hostile::client::what_does_not_fit_is_named_by_its_field_and_never_quoted",
            "hostile::texts::no_secret_that_says_what_it_is_survives_a_snapshot",
            "redact::words::tokens_of_every_published_shape_are_masked_wherever_they_stand",
        ],
    ),
    (
        "What is missing without a word",
        "items of a list that cannot be read, heads of snapshots of another version, a working directory that is gone",
        "A snapshot that lacks something says so and does not exit 0; an absolute `-f` needs no working directory",
        &[
            "hostile::texts::a_snapshot_of_which_an_item_could_not_be_read_is_an_error_that_names_it",
            "hostile::texts::a_snapshot_of_another_version_is_an_error_and_not_a_dump_without_gaps",
            "hostile::texts::a_working_directory_that_is_gone_is_nobodys_business",
        ],
    ),
    (
        "`ci/install.sh`",
        "an archive that is not the one of its checksum or of its attestation, a mirror with a password in its address",
        "Nothing is installed, and the password is not printed",
        &[
            "ci::install::nothing_is_installed_that_is_not_the_file_of_its_checksum",
            "ci::install::where_gh_is_there_the_attestation_is_verified_and_where_not_that_is_said",
            "ci::install::a_password_in_a_mirror_s_address_is_not_printed",
        ],
    ),
];

/// What holds for each input, whatever it is.
const COSTS: &str = "Small, at most 64 MB and 30 bytes of memory for each byte; Ctrl-C ends it within a second. Of 10 MB see below";

/// The test that tries all inputs small; at full size they are measured.
const TRIES_INPUTS: &[&str] = &[
    "hostile::cost::no_input_takes_more_memory_than_its_size_allows",
    "hostile::cost::no_text_of_many_tiny_things_takes_more_memory_than_its_size_allows",
];

/// What is about the suite itself.
const OF_THE_SUITE: [&str; 4] = [
    "hostile::cost::measured",
    "hostile::table::each_class_is_tried_and_each_test_tries_a_class",
    "hostile::table::each_promise_names_tests_that_are_there",
    "hostile::table::the_table_of_attacks_is_the_suites",
];

fn suite() -> Vec<Class> {
    let all = SUITE.iter().map(|(class, tried, held, tests)| Class {
        name: class,
        tried: (*tried).to_owned(),
        held,
        tests,
    });
    let inputs = groups().into_iter().map(|(class, inputs)| {
        let names: Vec<_> = inputs.iter().map(|input| input.name).collect();
        Class {
            name: class,
            tried: format!("{}: {}", names.len(), names.join("; ")),
            held: COSTS,
            tests: TRIES_INPUTS,
        }
    });
    all.chain(inputs).collect()
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Where a test of this name may be written.
fn places(name: &str) -> [PathBuf; 3] {
    let (module, _) = name.rsplit_once("::").expect("a module");
    let path = module.replace("::", "/");
    [
        format!("tests/it/{path}.rs"),
        format!("src/{path}.rs"),
        format!("src/{path}_tests.rs"),
    ]
    .map(|place| root().join(place))
}

/// The names of the tests in a file, and whether each runs in the gate.
fn tests(file: &Path) -> Vec<(String, bool)> {
    let code = std::fs::read_to_string(file).unwrap_or_default();
    let mut lines = code.lines().map(str::trim);
    let mut found = Vec::new();
    while lines.any(|line| line == "#[test]") {
        let mut ignored = false;
        let function = lines.find_map(|line| {
            ignored |= line.starts_with("#[ignore");
            line.strip_prefix("fn ")?.split_once('(')
        });
        let (name, _) = function.expect("a function");
        found.push((name.to_owned(), !ignored));
    }
    found
}

/// Is there such a test, and does it run in the gate?
fn runs(name: &str) -> bool {
    let (_, function) = name.rsplit_once("::").expect("a module");
    let mut all = places(name).into_iter().flat_map(|place| tests(&place));
    all.any(|(known, runs)| known == function && runs)
}

#[test]
fn each_class_is_tried_and_each_test_tries_a_class() {
    let mut named = BTreeSet::from(OF_THE_SUITE.map(str::to_owned));
    for class in suite() {
        assert!(!class.tests.is_empty(), "{}", class.name);
        for name in class.tests {
            assert!(runs(name), "{}: {name}", class.name);
            named.insert((*name).to_owned());
        }
    }
    let mut there = BTreeSet::new();
    let folder = std::fs::read_dir(root().join("tests/it/hostile")).expect("the suite");
    let files = folder.map(|entry| entry.expect("an entry").path());
    for file in files.chain([root().join("tests/it/hostile.rs")]) {
        let stem = file.file_stem().expect("a name").to_str().expect("UTF-8");
        let module = match stem {
            "hostile" => "hostile".to_owned(),
            stem => format!("hostile::{stem}"),
        };
        there.extend(
            tests(&file)
                .into_iter()
                .map(|(name, _)| format!("{module}::{name}")),
        );
    }
    let without: Vec<_> = there.difference(&named).collect();
    assert!(without.is_empty(), "in no class of the table: {without:?}");
}

const BEGIN: &str = "<!-- the suite -->";
const END: &str = "<!-- end of the suite -->";

#[test]
fn the_table_of_attacks_is_the_suites() {
    let path = root().join("docs/security.md");
    let page = std::fs::read_to_string(&path).expect("docs/security.md");
    let (before, rest) = page.split_once(BEGIN).expect("the table's begin");
    let (found, after) = rest.split_once(END).expect("the table's end");
    let cell = |text: &str| text.replace('|', "\\|");
    let row = |class: Class| {
        let (tried, held) = (cell(&class.tried), cell(class.held));
        format!("| {} | {tried} | {held} |\n", cell(class.name))
    };
    let rows: String = suite().into_iter().map(row).collect();
    let wanted = format!("\n| class | tried | held |\n|---|---|---|\n{rows}\n");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, format!("{before}{BEGIN}{wanted}{END}{after}")).expect("written");
        return;
    }
    assert_eq!(found, wanted, "UPDATE_DOCS=1 cargo test hostile");
}

#[test]
fn each_promise_names_tests_that_are_there() {
    let text = std::fs::read_to_string(root().join("SECURITY.md")).expect("SECURITY.md");
    let promises = text.split("## What is promised").nth(1).expect("promises");
    let promises = promises.split("\n## ").next().expect("promises");
    let names: Vec<&str> = promises
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(|name| name.contains("::"))
        .collect();
    assert!(names.len() > 15, "{}", names.len());
    for name in names {
        assert!(runs(name), "{name}");
    }
    // Each promise has one.
    for promise in promises.split("\n- ").skip(1) {
        assert!(promise.contains("::"), "{promise}");
    }
}

//! Do the docs show what the program prints?

use std::path::Path;

use crate::recording::run;

fn readme() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    std::fs::read_to_string(path).expect("the README")
}

#[test]
fn the_readme_shows_what_the_demo_prints() {
    let shown = run(&["demo"], "", 100).out;
    assert!(
        readme().contains(&format!("$ kubectl drain-check demo\n{shown}```")),
        "put this below `$ kubectl drain-check demo` in README.md:\n{shown}"
    );
}

#[test]
fn the_readme_names_commands_that_exist() {
    // What stands in the table of commands, with what a reader would put in for the dots.
    for command in [
        "explain DC101",
        "explain terminating-fallback",
        "rules",
        "versions",
    ] {
        let arguments: Vec<_> = command.split(' ').collect();
        assert!(readme().contains(command), "{command}");
        let ran = run(&arguments, "", 100);
        assert!(ran.end.is_ok() && !ran.out.is_empty(), "{command}");
    }
}

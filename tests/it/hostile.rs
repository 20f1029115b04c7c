//! What others write: objects that no API server would hold, and files that are none. Whatever it is, there is a report or an error, and
//! neither steers the terminal.

#[cfg(unix)]
mod files;
#[cfg(unix)]
mod watched;

#[cfg(target_os = "linux")]
mod client;
#[cfg(target_os = "linux")]
mod cost;
#[cfg(target_os = "linux")]
mod inputs;
#[cfg(target_os = "linux")]
mod table;
mod texts;

use std::sync::LazyLock;

use clap::Parser;
use drain_check::app::{self, Io};
use drain_check::cli::Cli;
use serde_json::{Map, Value, json};

use crate::colours::without_colours;
use crate::corpus::{App, Dice};
use crate::recording::{self, validate};

/// Lists of objects that are read, and how many objects one holds at least.
const LISTS: u64 = 100;
const OBJECTS: usize = 100;

/// What a field may be that nobody thought of.
static ODD: LazyLock<Vec<Value>> = LazyLock::new(|| {
    let deep = (0..60).fold(json!(1), |inner, _| Value::Array(vec![inner]));
    vec![
        json!(null),
        json!(""),
        json!([]),
        json!({}),
        json!([null]),
        json!({"": null}),
        json!({"\u{1b}[2J\u{202e}": 5}),
        json!(true),
        json!(0),
        json!(-1),
        json!(i64::MAX),
        json!(i64::MIN),
        json!(u64::MAX),
        json!(i32::MAX),
        json!(i32::MIN),
        json!(65_536),
        json!(0.1),
        json!(-1e308),
        json!("5"),
        json!("200%"),
        json!("-1%"),
        json!("99999999999999999999%"),
        json!("99999999999999999999"),
        json!("9999-12-31T23:59:59Z"),
        json!("0000-01-01T00:00:00Z"),
        json!("1970-01-01T00:00:00.999999999999+23:59"),
        json!("1h1h1h"),
        json!("2562047h47m16s"),
        json!("::1"),
        json!("v1.99999999999999999999.0"),
        json!("\u{1b}[2J\u{202e}\u{9b}\r\n\u{0}"),
        json!("$(X) `X` ${X:-$((1/0))} 'X"),
        json!("sleep 99999999999999999999"),
        json!("ü".repeat(300)),
        deep,
    ]
});

fn odd(dice: &mut Dice) -> Value {
    dice.pick(&ODD).clone()
}

/// Changes something somewhere below a value.
fn spoil(value: &mut Value, dice: &mut Dice) {
    let stop = dice.one_in(6);
    match value {
        Value::Object(fields) if !fields.is_empty() && !stop => field(fields, dice),
        Value::Array(items) if !items.is_empty() && !stop => {
            let at = dice.below(items.len());
            match dice.below(12) {
                0 => items.push(items[at].clone()),
                1 => items.clear(),
                _ => spoil(&mut items[at], dice),
            }
        }
        other => *other = odd(dice),
    }
}

fn field(fields: &mut Map<String, Value>, dice: &mut Dice) {
    let keys: Vec<_> = fields.keys().cloned().collect();
    let key = dice.pick(&keys);
    if dice.one_in(12) {
        fields.remove(key);
    } else if let Some(value) = fields.get_mut(key) {
        spoil(value, dice);
    }
}

/// The objects of the recordings that are small, each of which has many kinds.
fn recorded() -> Vec<Value> {
    let names = ["rollout-midway", "stuck-past-grace", "prestop-and-sidecars"];
    let lists = names.map(|name| {
        let list: Value = serde_json::from_str(&recording::text(name)).expect("JSON");
        list["items"].as_array().expect("a List").clone()
    });
    lists.concat()
}

/// A List in which most objects are spoilt in one or two places: so that enough of it can be read.
fn list(seed: u64, recorded: &[Value]) -> Vec<Value> {
    let mut dice = Dice::new(seed);
    let mut objects = Vec::new();
    let mut app = seed * 1000;
    while objects.len() < OBJECTS / 2 {
        app += 1;
        objects.extend(App::new(app).objects);
    }
    while objects.len() < OBJECTS {
        objects.push(dice.pick(recorded).clone());
    }
    for object in &mut objects {
        for _ in 0..dice.below(3) {
            spoil(object, &mut dice);
        }
    }
    objects
}

/// What a run prints, and what it says beside it, without the colours and nothing else taken away.
pub(crate) fn run(arguments: &[&str], stdin: &str) -> (String, String) {
    let cli = Cli::try_parse_from(["kubectl-drain_check"].iter().chain(arguments)).expect("flags");
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let end = app::run(
        &cli,
        Io {
            width: 80,
            ascii: false,
            stdin: &mut stdin.as_bytes(),
            out: &mut out,
            err: &mut err,
            terminal: false,
            screen: None,
        },
    );
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    let said = end.map_or_else(|error| format!("{error:#}"), |_| String::new());
    (without_colours(&text(out)), text(err) + &said)
}

pub(crate) fn steers(sign: char) -> bool {
    sign != '\n' && (sign.is_control() || sign == '\u{202e}')
}

#[test]
fn ten_thousand_hostile_objects_give_reports_that_neither_break_the_schema_nor_steer_the_terminal()
{
    let recorded = recorded();
    let (mut judged, mut found) = (0, 0);
    for seed in 0..LISTS {
        let objects = list(seed, &recorded);
        let input = json!({"apiVersion": "v1", "kind": "List", "items": objects}).to_string();
        for command in [&["lint"][..], &[]] {
            let with = |more: &[&'static str]| [command, &["-f", "-"], more].concat();
            // The one after the other: a report takes longer to make than its objects.
            if seed % 2 == 0 {
                let (table, said) = run(&with(&[]), &input);
                assert!(!table.contains(steers), "list {seed}: {table:?}");
                assert!(!said.contains(steers), "list {seed}: {said:?}");
                continue;
            }
            let (report, said) = run(&with(&["-o", "json"]), &input);
            assert!(!report.contains(steers), "list {seed} {command:?}");
            let report: Value = serde_json::from_str(&report)
                .unwrap_or_else(|error| panic!("list {seed} {command:?}: {error}: {said}"));
            // Holding a report against its schema takes longer still.
            if seed % 10 == 1 {
                validate(&report);
            }
            judged += report["summary"]["services"].as_u64().expect("a number");
            found += report["findings"].as_array().expect("a list").len();
        }
    }
    // Hostile, but not so broken that nothing was judged.
    assert!(judged > 5 * LISTS && found > 1000, "{judged} {found}");
}

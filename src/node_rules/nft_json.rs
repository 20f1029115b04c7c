//! `nft -j list ruleset` (libnftables-json(5)) → kube-proxy's tables.

use serde_json::Value as Json;

use super::nft_ruleset::{
    Action, Elements, Endpoints, Field, Hook, Right, Rule, Set, Shared, Statement, Table, To,
    Value, Verdicts, Wanted, field, of_type, wanted,
};
use super::unread::Unread;
use crate::facts::service::Family;

const TABLE: &str = "kube-proxy";

/// A string or a number as text.
fn scalar(json: &Json) -> Option<String> {
    match json {
        Json::String(text) => Some(text.clone()),
        Json::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// The fields of an expression: one, or several put together.
fn fields(json: &Json) -> Option<Vec<Field>> {
    if let Some(parts) = json["concat"].as_array() {
        let parts: Option<Vec<_>> = parts.iter().map(fields).collect();
        return Some(parts?.concat());
    }
    let text = |json: &Json| json.as_str().map(str::to_owned);
    let one = if let Some(payload) = json.get("payload") {
        let (protocol, name) = (text(&payload["protocol"])?, text(&payload["field"])?);
        field(&[&protocol, &name])
    } else if let Some(meta) = json.get("meta") {
        field(&["meta", &text(&meta["key"])?])
    } else if let Some(fib) = json.get("fib") {
        let flags = &fib["flags"];
        // A single flag may stand alone.
        let flag = text(flags).or_else(|| text(flags.get(0)?))?;
        field(&["fib", &flag, &text(&fib["result"])?])
    } else if let Some(ct) = json.get("ct") {
        field(&["ct", &text(&ct["key"])?])
    } else {
        None
    };
    one.map(|one| vec![one])
}

/// One component of an element.
fn component(field: Field, json: &Json) -> Option<Wanted> {
    if let Some(prefix) = json.get("prefix") {
        let text = format!("{}/{}", scalar(&prefix["addr"])?, scalar(&prefix["len"])?);
        return wanted(field, &text);
    }
    if let Some([from, to]) = json["range"].as_array().map(Vec::as_slice) {
        return wanted(field, &format!("{}-{}", scalar(from)?, scalar(to)?));
    }
    wanted(field, &scalar(json)?)
}

/// An element's key, without what an element has besides it.
fn bare(json: &Json) -> &Json {
    json.get("elem").map_or(json, |elem| &elem["val"])
}

fn element(fields: &[Field], json: &Json) -> Option<Vec<Wanted>> {
    let json = bare(json);
    match (json["concat"].as_array(), fields) {
        (Some(parts), _) if parts.len() == fields.len() => fields
            .iter()
            .zip(parts)
            .map(|(field, part)| component(*field, part))
            .collect(),
        (None, [field]) => component(*field, json).map(|one| vec![one]),
        _ => None,
    }
}

fn set(fields: &[Field], json: &Json) -> Option<Elements<()>> {
    let list = match json {
        Json::Array(list) => list.as_slice(),
        one => std::slice::from_ref(one),
    };
    let mut elements = Elements::default();
    for one in list {
        elements.push(element(fields, one)?, ());
    }
    Some(elements)
}

/// A verdict; `None` for what is none.
fn action(json: &Json) -> Option<Action> {
    let (name, value) = json.as_object()?.iter().next()?;
    let target = || value["target"].as_str().map(str::to_owned);
    Some(match name.as_str() {
        "accept" => Action::Accept,
        "drop" => Action::Drop,
        "reject" => Action::Reject,
        "return" => Action::Return,
        "goto" => Action::Goto(target()?),
        "jump" => Action::Jump(target()?),
        _ => return None,
    })
}

/// `numgen random mod N offset K`: the first place, and how many.
fn numgen(json: &Json) -> Option<(u64, u64)> {
    let numgen = json.get("numgen")?;
    Some((
        numgen["offset"].as_u64().unwrap_or(0),
        numgen["mod"].as_u64()?,
    ))
}

/// `[key, value]` pairs.
fn pairs(json: &Json) -> Option<impl Iterator<Item = (&Json, &Json)>> {
    let list = json.as_array()?;
    let pairs: Option<Vec<_>> = list
        .iter()
        .map(|pair| Some((pair.get(0)?, pair.get(1)?)))
        .collect();
    Some(pairs?.into_iter())
}

fn endpoint(json: &Json) -> Option<(std::net::IpAddr, u16)> {
    match json["concat"].as_array()?.as_slice() {
        [address, port] => Some((
            address.as_str()?.parse().ok()?,
            u16::try_from(port.as_u64()?).ok()?,
        )),
        _ => None,
    }
}

fn shared(json: &Json) -> Option<Shared> {
    pairs(json)?
        .map(|(key, to)| Some((bare(key).as_u64()?, endpoint(to)?)))
        .collect()
}

fn dnat(json: &Json) -> Option<To> {
    let address = &json["addr"];
    if let Some(map) = address.get("map") {
        let (first, many) = numgen(&map["key"])?;
        let data = &map["data"];
        let list = match data.as_str() {
            Some(name) => Endpoints::Named(name.trim_start_matches('@').to_owned()),
            None => Endpoints::Here(shared(&data["set"])?),
        };
        return Some(To::Random(first, many, list));
    }
    let port = u16::try_from(json["port"].as_u64()?).ok()?;
    Some(To::One(address.as_str()?.parse().ok()?, port))
}

fn verdicts(fields: &[Field], json: &Json) -> Option<Verdicts> {
    if let Some(name) = json.as_str() {
        return Some(Verdicts::Named(name.trim_start_matches('@').to_owned()));
    }
    let mut elements = Elements::default();
    for (key, verdict) in pairs(&json["set"])? {
        elements.push(element(fields, key)?, action(verdict)?);
    }
    Some(Verdicts::Here(elements))
}

/// `numgen … vmap {0 : goto …}`: the keys are places.
fn places(json: &Json) -> Option<Verdicts> {
    if let Some(name) = json.as_str() {
        return Some(Verdicts::Named(name.trim_start_matches('@').to_owned()));
    }
    let mut elements = Elements::default();
    for (key, verdict) in pairs(&json["set"])? {
        let place = Wanted::One(Value::Number(bare(key).as_u64()?));
        elements.push(vec![place], action(verdict)?);
    }
    Some(Verdicts::Here(elements))
}

fn comparison(json: &Json) -> Option<Statement> {
    let fields = fields(&json["left"])?;
    let right = &json["right"];
    let not = match json["op"].as_str()? {
        "==" | "in" => false,
        "!=" => true,
        _ => return None,
    };
    let right = match right.as_str().and_then(|name| name.strip_prefix('@')) {
        Some(name) => Right::Set(name.to_owned()),
        None => Right::Elements(set(&fields, right.get("set").unwrap_or(right))?),
    };
    Some(Statement::Match { fields, not, right })
}

/// A statement; `None` for one that decides nothing.
fn statement(json: &Json) -> Option<Statement> {
    let unknown = || Statement::Unknown(clipped(json));
    let (name, value) = json.as_object()?.iter().next()?;
    let found = match name.as_str() {
        "match" => comparison(value),
        "vmap" => match numgen(&value["key"]) {
            Some((first, many)) => {
                places(&value["data"]).map(|map| Statement::Random(first, many, map))
            }
            None => fields(&value["key"]).and_then(|fields| {
                let map = verdicts(&fields, &value["data"])?;
                Some(Statement::Lookup(fields, map))
            }),
        },
        "dnat" => Some(Statement::Dnat(
            dnat(value).unwrap_or_else(|| To::Unknown(clipped(json))),
        )),
        // Marks and masquerading change no destination; a set that is filled decides nothing here.
        "mangle" | "masquerade" | "set" | "counter" | "log" | "comment" => return None,
        _ => action(json).map(Statement::Do),
    };
    Some(found.unwrap_or_else(unknown))
}

/// A few words of what is not known.
fn clipped(json: &Json) -> String {
    json.to_string().chars().take(80).collect()
}

fn rule(json: &Json) -> Rule {
    let statements = json["expr"].as_array().into_iter().flatten();
    statements.filter_map(statement).collect()
}

/// The number of a priority, which may be written as a name and a distance.
pub(super) fn priority(text: &str) -> Option<i64> {
    let mut words = text.split_whitespace();
    let first = words.next()?;
    let base = match first {
        "raw" => -300,
        "mangle" => -150,
        "dstnat" => -100,
        "filter" => 0,
        "security" => 50,
        "srcnat" => 100,
        number => number.parse().ok()?,
    };
    match (words.next(), words.next()) {
        (Some(sign), Some(distance)) => {
            let distance: i64 = distance.parse().ok()?;
            Some(if sign == "-" {
                base - distance
            } else {
                base + distance
            })
        }
        _ => Some(base),
    }
}

fn hook(json: &Json) -> Option<Hook> {
    Some(Hook {
        name: json["hook"].as_str()?.to_owned(),
        priority: json["prio"]
            .as_i64()
            .or_else(|| priority(json["prio"].as_str()?))?,
    })
}

fn types(json: &Json) -> Option<Vec<Field>> {
    match json {
        Json::String(one) => of_type(std::iter::once(one.as_str())),
        Json::Array(all) => of_type(all.iter().filter_map(Json::as_str)),
        _ => None,
    }
}

fn add(table: &mut Table, kind: &str, json: &Json) -> Option<()> {
    let name = || json["name"].as_str().map(str::to_owned);
    let elements = || json["elem"].as_array().into_iter().flatten();
    match kind {
        "chain" => table.chains.entry(name()?).or_default().hook = hook(json),
        "rule" => {
            let chain = json["chain"].as_str()?.to_owned();
            table
                .chains
                .entry(chain)
                .or_default()
                .rules
                .push(rule(json));
        }
        "set" => {
            let flags = json["flags"].to_string();
            let dynamic = flags.contains("dynamic") || flags.contains("timeout");
            let mut set = Set {
                dynamic,
                ..Set::default()
            };
            if !dynamic && let Some(fields) = types(&json["type"]) {
                for one in elements() {
                    if let Some(key) = element(&fields, one) {
                        set.elements.push(key, ());
                    } else {
                        set.unread = true;
                    }
                }
            }
            table.sets.insert(name()?, set);
        }
        "map" => {
            let name = name()?;
            if json["map"] != "verdict" {
                let shared = shared(&json["elem"]).unwrap_or_default();
                table.shared.insert(name, shared);
                return Some(());
            }
            let fields = types(&json["type"])?;
            let map = table.maps.entry(name).or_default();
            for pair in elements() {
                let key = element(&fields, pair.get(0)?)?;
                if let Some(comment) = pair[0]["elem"]["comment"].as_str() {
                    let exact = key.iter().map(|one| match one {
                        Wanted::One(value) => Some(value.clone()),
                        _ => None,
                    });
                    if let Some(exact) = exact.collect::<Option<Vec<_>>>() {
                        table.comments.insert(exact, comment.to_owned());
                    }
                }
                let verdict = pair.get(1)?;
                let verdict = action(verdict).unwrap_or_else(|| Action::Unknown(clipped(verdict)));
                map.push(key, verdict);
            }
        }
        _ => {}
    }
    Some(())
}

/// Reads a dump.
pub(super) fn read(text: &str) -> Result<Vec<Table>, Unread> {
    let json: Json = serde_json::from_str(text).map_err(|error| {
        if error.is_eof() {
            Unread::Cut(format!("the JSON ends at line {}", error.line()))
        } else {
            Unread::Line(error.line(), "is no JSON of nft".to_owned())
        }
    })?;
    let list = json["nftables"]
        .as_array()
        .ok_or_else(|| Unread::Lacks("the list `nftables`".to_owned()))?;
    let mut tables: Vec<Table> = Vec::new();
    for (place, one) in list.iter().enumerate() {
        let Some((kind, value)) = one.as_object().and_then(|one| one.iter().next()) else {
            continue;
        };
        let family = match value["family"].as_str() {
            Some("ip") => Family::V4,
            Some("ip6") => Family::V6,
            _ => continue,
        };
        let of = if kind == "table" { "name" } else { "table" };
        if value[of] != TABLE {
            continue;
        }
        let at = tables.iter().position(|table| table.family == family);
        let at = at.unwrap_or_else(|| {
            tables.push(Table::new(family));
            tables.len() - 1
        });
        add(&mut tables[at], kind, value).ok_or_else(|| Unread::Entry(place + 1, kind.clone()))?;
    }
    Ok(tables)
}

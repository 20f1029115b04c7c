//! How do tokens begin of those who let one see what they are?
//!
//! Our own list: no small library has one. It holds what the rest of this module does not find without it, a long run of letters and
//! digits; tests/fixtures/secrets/shapes.yaml has the published shapes that all of it is held against.

use super::MASK;

/// How they begin, and how many signs follow at least. Letters, digits, `_`, `-`, `.` and `=` belong to them.
const BEGIN: [(&str, usize); 75] = [
    ("A3-", 30),
    ("AIza", 12),
    ("CLOJARS_", 16),
    ("EAAA", 22),
    ("FLWSECK", 12),
    ("GR1348941", 16),
    ("HRKU-", 16),
    ("PMAK-", 16),
    ("SG.", 16),
    ("api_org_", 16),
    ("doo_v1_", 9),
    ("dop_v1_", 9),
    ("dor_v1_", 9),
    ("dp.pt.", 16),
    ("dt0c01.", 16),
    ("duffel_live_", 16),
    ("duffel_test_", 16),
    ("eyJ", 13),
    ("fio-u-", 16),
    ("fo1_", 16),
    ("gho_", 12),
    ("ghp_", 12),
    ("ghr_", 12),
    ("ghs_", 12),
    ("ghu_", 12),
    ("github_pat_", 5),
    ("glagent-", 16),
    ("glcbt-", 16),
    ("gldt-", 16),
    ("glffct-", 16),
    ("glft-", 16),
    ("glimt-", 16),
    ("gloas-", 16),
    ("glpat-", 10),
    ("glptt-", 16),
    ("glrt-", 16),
    ("glsa_", 16),
    ("glsoat-", 16),
    ("hvb.", 16),
    ("hvr.", 16),
    ("hvs.", 16),
    ("lin_api_", 16),
    ("npm_", 12),
    ("ntn_", 16),
    ("p8e-", 16),
    ("pat.", 60),
    ("pplx-", 16),
    ("pscale_", 16),
    ("pypi-", 50),
    ("rdme_", 16),
    ("rk_live_", 8),
    ("rk_prod_", 8),
    ("rk_test_", 8),
    ("rubygems_", 16),
    ("sat.", 60),
    ("sgp_", 16),
    ("sha256~", 16),
    ("shpat_", 16),
    ("shpca_", 16),
    ("shppa_", 16),
    ("shpss_", 16),
    ("sk-admin-", 16),
    ("sk-ant-", 16),
    ("sk-proj-", 16),
    ("sk-svcacct-", 16),
    ("sk_live_", 8),
    ("sk_prod_", 8),
    ("sk_test_", 8),
    ("sm_aat_", 8),
    ("sm_pat_", 8),
    ("sm_sat_", 8),
    ("sq0", 22),
    ("tk-us-", 16),
    ("xapp-", 10),
    ("xox", 10),
];

/// The same of those that have letters and digits only behind a beginning that could be a word's.
const BEGIN_SOLID: [(&str, usize); 11] = [
    ("A3T", 17),
    ("ABIA", 16),
    ("ACCA", 16),
    ("AKIA", 12),
    ("API-", 26),
    ("ASIA", 12),
    ("LTAI", 16),
    ("hf_", 30),
    ("pnu_", 16),
    ("pul-", 40),
    ("s.", 24),
];

/// The same of those to which `/` and `+` belong too, and addresses that are secret as a whole.
const BEGIN_WITH_SLASHES: [(&str, usize); 12] = [
    ("ABSK", 60),
    ("authress_", 30),
    ("discord.com/api/webhooks/", 16),
    ("fm1a_", 60),
    ("fm1r_", 60),
    ("fm2_", 60),
    ("glc_", 16),
    ("hooks.slack.com/", 16),
    ("ops_eyJ", 16),
    ("scauth_", 30),
    ("sntrys_", 16),
    ("webhook.office.com/webhookb2/", 16),
];

/// What stands within some, and how long those are at least.
const WITHIN: [(&str, usize); 5] = [
    (".acc-", 60),
    (".acc_", 60),
    (".atlasv1.", 40),
    ("Q~", 36),
    ("_mmk", 40),
];

/// The shortest of them.
const SHORTEST_WITHIN: usize = {
    let (mut least, mut at) = (usize::MAX, 0);
    while at < WITHIN.len() {
        if WITHIN[at].1 < least {
            least = WITHIN[at].1;
        }
        at += 1;
    }
    least
};

/// From so many signs on, letters alone do for a random text behind a known beginning.
const LETTERS: usize = 30;

fn is_sign(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'=' | b'~')
}

fn is_sign_or_slash(byte: u8) -> bool {
    is_sign(byte) || matches!(byte, b'/' | b'+')
}

/// Marks how the texts of a list begin.
const fn mark<const N: usize>(known: &[(&str, usize); N], mut firsts: [bool; 256]) -> [bool; 256] {
    let mut at = 0;
    while at < N {
        firsts[known[at].0.as_bytes()[0] as usize] = true;
        at += 1;
    }
    firsts
}

/// The first signs of all tokens: few words have one of them, and only these are held against the lists.
const FIRSTS: [bool; 256] = mark(
    &BEGIN_WITH_SLASHES,
    mark(&BEGIN, mark(&BEGIN_SOLID, [false; 256])),
);

/// How long the token is that begins here, if one does.
fn begins(text: &str) -> Option<usize> {
    let first = *text.as_bytes().first()?;
    if !FIRSTS[usize::from(first)] {
        return None;
    }
    let of = |known: &[(&str, usize)], belongs: fn(u8) -> bool| {
        // Most have another first sign, which one look tells.
        let mut known = known
            .iter()
            .filter(|(begin, _)| begin.as_bytes()[0] == first);
        known.find_map(|&(begin, least)| {
            let body = text.strip_prefix(begin)?;
            let end = body.bytes().position(|byte| !belongs(byte));
            let body = body[..end.unwrap_or(body.len())].trim_end_matches(['.', '=']);
            let random = body.len() >= LETTERS || body.bytes().any(|byte| byte.is_ascii_digit());
            (body.len() >= least && random).then_some(begin.len() + body.len())
        })
    };
    of(&BEGIN_WITH_SLASHES, is_sign_or_slash)
        .or_else(|| of(&BEGIN, is_sign))
        .or_else(|| of(&BEGIN_SOLID, |byte| byte.is_ascii_alphanumeric()))
}

/// Where in the run that begins here a token stands that shows itself in its middle, and how long it is.
fn within(text: &str) -> Option<(usize, usize)> {
    let end = text.bytes().position(|byte| !is_sign_or_slash(byte));
    let run = &text[..end.unwrap_or(text.len())];
    if run.len() < SHORTEST_WITHIN {
        return None;
    }
    WITHIN.iter().find_map(|(part, least)| {
        let start = run[..run.find(part)?].rfind('=').map_or(0, |at| at + 1);
        let length = run.len() - start;
        (length >= *least).then_some((start, length))
    })
}

/// A text without tokens of a known shape.
pub(super) fn tokens(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let bytes = text.as_bytes();
    let (mut at, mut kept) = (0, 0);
    while at < bytes.len() {
        if !bytes[at].is_ascii_alphanumeric() {
            at += 1;
            continue;
        }
        // A word begins here.
        let rest = &text[at..];
        let token = begins(rest).map(|length| (at, length));
        if let Some((start, length)) =
            token.or_else(|| within(rest).map(|(from, length)| (at + from, length)))
        {
            out.push_str(&text[kept..start]);
            out.push_str(MASK);
            at = start + length;
            kept = at;
            continue;
        }
        while at < bytes.len() && bytes[at].is_ascii_alphanumeric() {
            at += 1;
        }
    }
    out.push_str(&text[kept..]);
    out
}

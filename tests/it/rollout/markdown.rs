//! Does a ticket get the same: the verdict, the figures, the picture as a code block, and every window and pod?

use drain_check::render::markdown;
use drain_check::report::v1::Timeline;
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag};

use super::made;

fn written(timeline: &Timeline) -> String {
    let mut out = Vec::new();
    markdown::timeline(timeline, &mut out).expect("a Vec takes everything");
    String::from_utf8(out).expect("UTF-8")
}

/// The texts of all code blocks.
fn blocks(text: &str) -> Vec<String> {
    let mut blocks: Vec<String> = Vec::new();
    let mut open = false;
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(language))) => {
                assert_eq!(&*language, "text");
                open = true;
                blocks.push(String::new());
            }
            Event::End(pulldown_cmark::TagEnd::CodeBlock) => open = false,
            Event::Text(text) if open => blocks.last_mut().expect("a block").push_str(&text),
            _ => {}
        }
    }
    blocks
}

/// The rows of all tables, without their headers.
fn rows(text: &str) -> usize {
    let events = Parser::new_ext(text, Options::ENABLE_TABLES);
    events
        .filter(|event| matches!(event, Event::Start(Tag::TableRow)))
        .count()
}

#[test]
fn a_ticket_has_the_verdict_the_picture_and_every_window_and_pod() {
    let timeline = made::gap();
    let text = written(&timeline);
    assert!(
        text.starts_with("### ✗ REFUSED ALL 7.4 to 8.4 s  svc/web -n shop\n"),
        "{text}"
    );
    let blocks = blocks(&text);
    assert_eq!(blocks.len(), 1);
    assert!(
        blocks[0]
            .lines()
            .any(|line| line.starts_with("  usable ") && line.contains('✗')),
        "{}",
        blocks[0]
    );
    let service = &timeline.services[0];
    // Windows of two kinds; then each window, and each pod.
    assert_eq!(
        rows(&text),
        2 + service.windows.len() + service.pods.len(),
        "{text}"
    );
}

#[test]
fn what_to_do_and_what_was_assumed_are_in_it() {
    let mut timeline = made::no_prestop();
    timeline.assumptions = vec![drain_check::report::v1::Assumption {
        id: "sync",
        text: "kube-proxy syncs within 1.2 s.".to_owned(),
    }];
    let text = written(&timeline);
    assert!(text.contains("**What to do**"), "{text}");
    assert!(text.contains("DC201"), "{text}");
    assert!(text.contains("kube-proxy syncs within 1.2 s."), "{text}");
}

#[test]
fn names_end_no_code_block_and_are_no_markup() {
    let mut timeline = made::gap();
    let service = &mut timeline.services[0];
    service.pods[0].name = "a\n```\n<img src=x>|`*".to_owned();
    service.windows[1].text = "<script>x</script> | @team".to_owned();
    let text = written(&timeline);
    assert_eq!(blocks(&text).len(), 1, "{text}");
    let events = Parser::new_ext(&text, Options::ENABLE_TABLES);
    for event in events {
        if let Event::Html(html) | Event::InlineHtml(html) = event {
            let own = ["<details>", "</details>", "<summary>", "</summary>"];
            let html = own
                .iter()
                .fold(html.to_string(), |html, own| html.replace(own, ""));
            assert!(!html.contains('<'), "{html}");
        }
    }
}

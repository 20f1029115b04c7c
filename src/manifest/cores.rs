//! How is work done on all cores, with an answer that does not depend on how many there are?

use std::num::NonZero;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// How many cores there are. To know it the standard library reads the files of the control group, which costs more than a small manifest.
fn cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| thread::available_parallelism().map_or(1, NonZero::get))
}

/// Does work on each item, side by side; the answers are in the order of the items.
pub(crate) fn side_by_side<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let helpers = match items.len() {
        0 | 1 => 0,
        many => cores().min(many) - 1,
    };
    if helpers == 0 {
        return items.iter().map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let run = || {
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else {
                return done;
            };
            done.push((index, work(item)));
        }
    };
    let mut done = thread::scope(|scope| {
        // Where the system gives no more threads, those that there are do the work.
        let spawned =
            (0..helpers).map_while(|_| thread::Builder::new().spawn_scoped(scope, run).ok());
        let helpers: Vec<_> = spawned.collect();
        let mut done = run();
        for helper in helpers {
            match helper.join() {
                Ok(more) => done.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        done
    });
    done.sort_unstable_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, answer)| answer).collect()
}

/// So many small items are taken at a time.
const AT_ONCE: usize = 500;

/// The same for work on small items, of which there may be many.
pub(crate) fn of_many<'i, T: Sync, R: Send>(
    items: &'i [T],
    work: impl Fn(&'i T) -> R + Sync,
) -> Vec<R> {
    let parts: Vec<&'i [T]> = items.chunks(AT_ONCE).collect();
    let done = side_by_side(&parts, |part| {
        let part: &'i [T] = part;
        part.iter().map(&work).collect::<Vec<_>>()
    });
    done.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_in_the_order_of_the_items() {
        for many in [0, 1, 2, 1000] {
            let items: Vec<usize> = (0..many).collect();
            let want: Vec<usize> = items.iter().map(|item| item * 2).collect();
            assert_eq!(side_by_side(&items, |item| item * 2), want);
            assert_eq!(of_many(&items, |item| item * 2), want);
        }
    }
}

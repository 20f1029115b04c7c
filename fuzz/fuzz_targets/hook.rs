#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| drain_check_fuzz::hook(bytes));

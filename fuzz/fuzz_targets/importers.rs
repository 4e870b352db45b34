#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| faber_fuzz::importers(data));

use std::cmp::Ordering;

pub(crate) type TextKey = [u8; 16];

pub(super) fn small(number: usize) -> u32 {
    u32::try_from(number).expect("a part has less than 4 GiB")
}

pub(super) fn number(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("these are four bytes"))
}

pub(super) fn binary_search(count: usize, order: impl Fn(usize) -> Ordering) -> Option<usize> {
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = low.midpoint(high);
        match order(middle) {
            Ordering::Equal => return Some(middle),
            Ordering::Less => low = middle + 1,
            Ordering::Greater => high = middle,
        }
    }
    None
}

//! Lists of memories in bytes: runs of a count, a first number and rising distances, each a LEB128 number. Runs only follow
//! one another, so that putting more in is an append.

use std::ops::ControlFlow;

/// One run. The memories rise.
pub(super) fn run(memories: &[i64]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(memories.len() + 6);
    push(&mut bytes, memories.len() as u64);
    let mut before = 0;
    for memory in memories {
        push(&mut bytes, memory.wrapping_sub(before).cast_unsigned());
        before = *memory;
    }
    bytes
}

/// The memories of all runs. What is cut off or too long ends the list: a check finds that the counts disagree.
pub(super) fn each_memory(
    mut bytes: &[u8],
    mut take: impl FnMut(i64) -> ControlFlow<()>,
) -> ControlFlow<()> {
    while let Some(count) = next(&mut bytes) {
        let mut memory = 0_i64;
        for _ in 0..count {
            let Some(distance) = next(&mut bytes) else {
                return ControlFlow::Continue(());
            };
            memory = memory.wrapping_add(distance.cast_signed());
            take(memory)?;
        }
    }
    ControlFlow::Continue(())
}

/// All memories of the runs but one, as one run; none when it is not among them.
pub(super) fn without(bytes: &[u8], memory: i64) -> Option<Vec<u8>> {
    let mut kept = Vec::new();
    let mut found = false;
    let _all = each_memory(bytes, |other| {
        if other == memory {
            found = true;
        } else {
            kept.push(other);
        }
        ControlFlow::Continue(())
    });
    kept.sort_unstable();
    found.then(|| {
        if kept.is_empty() {
            Vec::new()
        } else {
            run(&kept)
        }
    })
}

fn push(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 128 {
        bytes.push((number & 127) as u8 | 128);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn next(bytes: &mut &[u8]) -> Option<u64> {
    let (mut number, mut shift) = (0_u64, 0);
    loop {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 127) << shift;
        if byte & 128 == 0 {
            return Some(number);
        }
        shift += 7;
        if shift > 63 {
            return None;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(bytes: &[u8]) -> Vec<i64> {
        let mut found = Vec::new();
        let _all = each_memory(bytes, |memory| {
            found.push(memory);
            ControlFlow::Continue(())
        });
        found
    }

    proptest! {
        #[test]
        fn rec_04_runs_read_back_and_lose_one(runs in prop::collection::vec(prop::collection::btree_set(1_i64..1 << 40, 1..9), 0..5)) {
            let mut bytes = Vec::new();
            let mut all = Vec::new();
            for set in &runs {
                let memories: Vec<i64> = set.iter().copied().collect();
                bytes.extend(run(&memories));
                all.extend(memories);
            }
            prop_assert_eq!(read(&bytes), all.clone());
            prop_assert_eq!(without(&bytes, 0), None);
            if let Some(gone) = all.first() {
                let mut left: Vec<i64> = all.iter().copied().filter(|memory| memory != gone).collect();
                left.sort_unstable();
                prop_assert_eq!(read(&without(&bytes, *gone).unwrap()), left);
            }
        }

        #[test]
        fn rec_04_damaged_bytes_are_no_panic(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            let mut left = 1_000;
            let _all = each_memory(&bytes, |_| {
                left -= 1;
                if left > 0 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            });
        }
    }
}

//! A few of the types of memories, as a value that is copied.

use taffrail_domain::MemoryType;

/// A set of types of memories.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Kinds(u16);

impl Kinds {
    /// These types.
    pub const fn of(kinds: &[MemoryType]) -> Self {
        let mut set = 0;
        let mut rest = kinds;
        while let [first, more @ ..] = rest {
            set |= 1 << *first as u16;
            rest = more;
        }
        Self(set)
    }

    /// Whether a type is one of them.
    pub const fn holds(self, kind: MemoryType) -> bool {
        self.0 & (1 << kind as u16) != 0
    }
}

impl FromIterator<MemoryType> for Kinds {
    fn from_iter<T: IntoIterator<Item = MemoryType>>(kinds: T) -> Self {
        let all: Vec<MemoryType> = kinds.into_iter().collect();
        Self::of(&all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rec_02_a_set_holds_what_was_put_in() {
        for kind in MemoryType::ALL {
            let set = Kinds::of(&[*kind]);
            for other in MemoryType::ALL {
                assert_eq!(set.holds(*other), kind == other);
            }
        }
        assert_eq!(
            MemoryType::ALL.iter().copied().collect::<Kinds>(),
            Kinds::of(MemoryType::ALL)
        );
    }
}

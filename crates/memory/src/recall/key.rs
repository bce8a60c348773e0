//! The integer key that clusters rows by grade and scope.

use taffrail_domain::Grade;

/// Bits of a memory's number.
const MEMORY_BITS: u32 = 40;
/// Bits of a project's number.
const PROJECT_BITS: u32 = 21;

/// A grade of a scope: what one range of keys holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Partition(i64);

impl Partition {
    /// The partition of a grade and a project; none is the personal scope.
    pub fn new(grade: Grade, project: Option<i64>) -> Self {
        let lane: i64 = match grade {
            Grade::Approved => 0,
            Grade::Evidence => 1,
            Grade::Pending => 2,
        };
        let project = project.unwrap_or(0) & ((1 << PROJECT_BITS) - 1);
        Self(lane << PROJECT_BITS | project)
    }

    /// The number that rows hold.
    pub fn number(self) -> i64 {
        self.0
    }

    /// The partition that a row's number names.
    pub fn from_number(number: i64) -> Self {
        Self(number & ((1 << (PROJECT_BITS + 2)) - 1))
    }

    /// Its grade.
    pub fn grade(self) -> Grade {
        match self.0 >> PROJECT_BITS {
            0 => Grade::Approved,
            1 => Grade::Evidence,
            _ => Grade::Pending,
        }
    }

    /// Its project; none is the personal scope.
    pub fn project(self) -> Option<i64> {
        let project = self.0 & ((1 << PROJECT_BITS) - 1);
        (project != 0).then_some(project)
    }

    /// The key of a memory in it.
    pub fn key(self, memory: i64) -> RowKey {
        RowKey(self.0 << MEMORY_BITS | (memory & ((1 << MEMORY_BITS) - 1)))
    }

    /// The smallest and the largest key that it can hold.
    pub fn range(self) -> (i64, i64) {
        let first = self.0 << MEMORY_BITS;
        (first, first | ((1 << MEMORY_BITS) - 1))
    }

    /// The number under which rows count a term of this partition.
    pub fn term_key(self, hash: u32) -> i64 {
        self.0 << 32 | i64::from(hash)
    }
}

/// Grade, scope and memory in one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RowKey(pub i64);

impl RowKey {
    /// Where it lies.
    pub fn partition(self) -> Partition {
        Partition::from_number(self.0 >> MEMORY_BITS)
    }

    /// The memory's number.
    pub fn memory(self) -> i64 {
        self.0 & ((1 << MEMORY_BITS) - 1)
    }
}

//! A project that lies elsewhere now (NB-01).

use taffrail_domain::ProjectId;

use super::{ProjectRoot, insert_root, project_seq, record};
use crate::writer::Durability;
use crate::{Store, StoreError};

impl Store {
    /// The project lies only here from now on: its other roots are no longer its own.
    ///
    /// # Errors
    /// `NotFound`; `ProjectTaken` when another project has the root.
    pub fn move_project(&self, id: &ProjectId, root: &ProjectRoot) -> Result<(), StoreError> {
        let (id, root, now) = (*id, root.clone(), self.now());
        self.write(Durability::Full, move |transaction| {
            let seq = project_seq(transaction, &id)?;
            transaction
                .prepare_cached("DELETE FROM project_roots WHERE project = ?1")?
                .execute([seq])?;
            insert_root(transaction, seq, &root)?;
            record(transaction, now, &id, "moved")
        })
    }
}

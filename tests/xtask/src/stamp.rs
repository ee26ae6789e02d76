//! Remembers what was installed, so that a second run has nothing to do.

use std::fs;
use std::path::{Path, PathBuf};

use crate::stop::{Doing, Stop};

/// A file beside the thing installed. It holds the exact text of what was
/// asked for: other text means another installation.
pub(crate) struct Stamp {
    file: PathBuf,
    wanted: String,
}

impl Stamp {
    /// The stamp of `folder`, made from the files in `inputs` and from `extra`.
    pub(crate) fn new(folder: &Path, inputs: &[PathBuf], extra: &str) -> Result<Self, Stop> {
        let mut wanted = format!("{}\n{extra}\n", folder.display());
        for input in inputs {
            wanted += &fs::read_to_string(input).doing(input.display())?;
        }
        Ok(Self {
            file: folder.join(".installed"),
            wanted,
        })
    }

    /// Whether exactly this was installed.
    pub(crate) fn is_set(&self) -> bool {
        fs::read_to_string(&self.file).is_ok_and(|found| found == self.wanted)
    }

    /// To be called when the installation is complete.
    pub(crate) fn set(&self) -> Result<(), Stop> {
        fs::write(&self.file, &self.wanted).doing(self.file.display())
    }
}

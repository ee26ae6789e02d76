//! Where records outlive the device's power, if they do.

use super::table::TaskId;

/// What has become of an attempt to keep a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// It is kept: its work may begin.
    Yes,
    /// Not yet: the journal is asked again with the same bytes.
    NotYet,
    /// It cannot be kept: the task fails, and no work begins.
    No,
}

/// The storage of task records (P-020, P-055).
///
/// A new task is offered to it before its work starts and before the caller
/// hears of it, so that a journal in flash can make it outlive a loss of
/// power. Without a journal of its own, a device keeps records in RAM alone:
///
/// ```
/// # struct Arm;
/// impl agentmote::task::Journal for Arm {}
/// ```
pub trait Journal {
    /// Keeps the record of a new task, as the bytes that it consists of.
    ///
    /// # Errors
    /// None: see [`Kept`].
    fn keep(&mut self, id: TaskId, record: &[u8]) -> Kept {
        let _ = (id, record);
        Kept::Yes
    }
}

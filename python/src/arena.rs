//! Memory of tables that the core takes as constants.
//!
//! The core reads its descriptors through `&'static`. Here they are made at
//! run time, so an arena owns them, and stands beside what reads them until
//! both go.

/// Owns texts and tables, and frees them when it is dropped.
#[derive(Debug, Default)]
pub(crate) struct Arena {
    texts: Vec<*mut str>,
    free: Vec<Table>,
}

/// A table, and how to free it.
#[derive(Debug)]
struct Table {
    start: *mut (),
    len: usize,
    free: unsafe fn(*mut (), usize),
}

// SAFETY: the arena is the only owner of what its pointers lead to, and gives
// out shared references alone; `slice` asks for `Send + Sync`.
unsafe impl Send for Arena {}
// SAFETY: as above; a shared arena has no method that changes anything.
unsafe impl Sync for Arena {}

impl Arena {
    /// A copy of a text.
    ///
    /// # Safety
    /// The reference must not be used once the arena is gone.
    pub(crate) unsafe fn text(&mut self, text: &str) -> &'static str {
        let place = Box::into_raw(Box::<str>::from(text));
        self.texts.push(place);
        // SAFETY: `place` comes from a box that only `drop` frees; the caller
        // does not use the reference after that.
        unsafe { &*place }
    }

    /// A table of these values.
    ///
    /// # Safety
    /// The reference must not be used once the arena is gone.
    pub(crate) unsafe fn slice<T: Send + Sync + 'static>(
        &mut self,
        values: Vec<T>,
    ) -> &'static [T] {
        let values = values.into_boxed_slice();
        let len = values.len();
        let start = Box::into_raw(values).cast::<T>();
        self.free.push(Table {
            start: start.cast(),
            len,
            free: free::<T>,
        });
        // SAFETY: `start` leads to `len` values of a box that only `drop`
        // frees; the caller does not use the reference after that.
        unsafe { std::slice::from_raw_parts(start, len) }
    }

    /// One value.
    ///
    /// # Safety
    /// The reference must not be used once the arena is gone.
    pub(crate) unsafe fn one<T: Send + Sync + 'static>(&mut self, value: T) -> &'static T {
        // SAFETY: passed on to the caller; a table of one has a first.
        unsafe { &*self.slice(vec![value]).as_ptr() }
    }
}

/// # Safety
/// `start` and `len` are those of a boxed slice of `T` that nobody else frees.
unsafe fn free<T>(start: *mut (), len: usize) {
    let slice = std::ptr::slice_from_raw_parts_mut(start.cast::<T>(), len);
    // SAFETY: told by the caller.
    drop(unsafe { Box::from_raw(slice) });
}

impl Drop for Arena {
    fn drop(&mut self) {
        // Later ones point to earlier ones.
        for table in self.free.drain(..).rev() {
            // SAFETY: both come from `slice`, and are freed here alone.
            unsafe { (table.free)(table.start, table.len) };
        }
        for text in self.texts.drain(..) {
            // SAFETY: it comes from `text`, and is freed here alone.
            drop(unsafe { Box::from_raw(text) });
        }
    }
}

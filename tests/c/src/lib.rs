//! The bench arm in C, linked into tests.

mod dice;

pub use dice::{Dice, spoil};

use std::cell::Cell;
use std::ffi::c_void;
use std::ptr;

use agentmote_ffi_c::{
    AGENTMOTE_ABSENT, AGENTMOTE_OK, agentmote_agent_open, agentmote_agent_t,
    agentmote_connection_t, agentmote_device_t, agentmote_hang_up, agentmote_http_open,
    agentmote_init, agentmote_is_closed, agentmote_line_open, agentmote_memory_t, agentmote_poll,
    agentmote_problem_t, agentmote_receive, agentmote_run_tasks, agentmote_server_t,
    agentmote_set_clock, agentmote_set_key, agentmote_task_memory_t, agentmote_wake,
};

/// The key of every server of these tests.
pub const KEY: [u8; 32] = [7; 32];

/// `arm_t` of `arm.h`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Arm {
    joints: [Joint; 6],
    jobs: u32,
    stopped: [u32; 8],
    note: [u8; 129],
    celsius: f32,
    /// How many commands the drives have had.
    pub commands: u32,
    calibrates: bool,
    task: [u8; 16],
    job: u32,
    moves: i32,
}

thread_local! {
    /// How often the arms of this thread have asked for random bytes.
    static DRAWN: Cell<u8> = const { Cell::new(0) };
}

/// Random bytes of a test: others each time, the same in each run.
pub fn draw(drawn: &mut u8, bytes: &mut [u8]) {
    *drawn = drawn.wrapping_add(1);
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = drawn.wrapping_mul(31) ^ (at as u8).wrapping_mul(57);
    }
}

/// Begins the random bytes of the arms of this thread anew.
pub fn start_drawing() {
    DRAWN.set(0);
}

/// # Safety
/// `bytes` points to `size` bytes.
#[unsafe(no_mangle)]
unsafe extern "C" fn arm_random(_: *mut c_void, bytes: *mut c_void, size: usize) {
    // SAFETY: as the caller promises.
    let bytes = unsafe { std::slice::from_raw_parts_mut(bytes.cast::<u8>(), size) };
    let mut drawn = DRAWN.get();
    draw(&mut drawn, bytes);
    DRAWN.set(drawn);
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct Joint {
    from: i32,
    to: i32,
    start_ms: u64,
    millis: u32,
    job: u32,
}

unsafe extern "C" {
    safe fn arm_init(arm: &mut Arm);
    static ARM_DEVICE_WITH_RESOURCES: agentmote_device_t;
    static ARM_AGENT: agentmote_agent_t;
}

impl Arm {
    /// An arm at rest.
    pub fn new() -> Box<Self> {
        const HOME: Joint = Joint {
            from: 1,
            to: 1,
            start_ms: 1,
            millis: 1,
            job: 1,
        };
        let mut arm = Box::new(Self {
            joints: [HOME; 6],
            jobs: 1,
            stopped: [1; 8],
            note: [1; 129],
            celsius: 1.0,
            commands: 1,
            calibrates: true,
            task: [1; 16],
            job: 1,
            moves: 1,
        });
        arm_init(&mut arm);
        arm
    }

    /// What was written with `note_set` last.
    pub fn note(&self) -> &[u8] {
        let end = self.note.iter().position(|byte| *byte == 0);
        &self.note[..end.expect("a zero byte")]
    }
}

/// A server of the arm, with one connection at a time.
#[derive(Debug)]
pub struct Peer {
    // Never moved: C keeps pointers to them.
    _storage: Vec<u64>,
    room: Vec<u64>,
    tasks: Vec<u64>,
    server: *mut agentmote_server_t,
    connection: *mut agentmote_connection_t,
}

impl Peer {
    /// A server of this arm, which must live as long.
    pub fn new(arm: &mut Arm) -> Self {
        let context: *mut c_void = ptr::from_mut(arm).cast();
        let mut storage = vec![0u64; 4096];
        let mut server = ptr::null_mut();
        // SAFETY: a problem is made of numbers.
        let mut problem: agentmote_problem_t = unsafe { std::mem::zeroed() };
        // SAFETY: the storage lives as long as the server; the device is a
        // static of C, or lives as long as the caller's test.
        let status = unsafe {
            agentmote_init(
                storage.as_mut_ptr().cast(),
                storage.len() * 8,
                &raw const ARM_DEVICE_WITH_RESOURCES,
                context,
                &mut server,
                &mut problem,
            )
        };
        assert_eq!(status, AGENTMOTE_OK, "{problem:?}");
        // SAFETY: the server was just opened.
        let status = unsafe { agentmote_set_key(server, KEY.as_ptr()) };
        assert_eq!(status, AGENTMOTE_OK);
        Self {
            _storage: storage,
            room: vec![0; 8192],
            tasks: Vec::new(),
            server,
            connection: ptr::null_mut(),
        }
    }

    /// Opens the arm's agent, with places for so many tasks of so many bytes.
    pub fn open_agent(&mut self, tasks: u16, log: u16, result: u16) {
        self.tasks = vec![0; 8192];
        let memory = agentmote_task_memory_t {
            start: self.tasks.as_mut_ptr().cast(),
            size: self.tasks.len() * 8,
            tasks,
            log,
            result,
        };
        // SAFETY: a problem is made of numbers.
        let mut problem: agentmote_problem_t = unsafe { std::mem::zeroed() };
        // SAFETY: the memory lives as long as the server; the agent is a
        // static of C.
        let status = unsafe {
            agentmote_agent_open(&memory, self.server, &raw const ARM_AGENT, &mut problem)
        };
        assert_eq!(status, AGENTMOTE_OK, "{problem:?}");
    }

    /// Tells the time.
    pub fn set_clock(&mut self, unix_millis: u64, now: u64) {
        // SAFETY: the server was opened.
        let status = unsafe { agentmote_set_clock(self.server, unix_millis, now) };
        assert_eq!(status, AGENTMOTE_OK);
    }

    /// Lets tasks take a step; gives when the next one is due.
    pub fn run_tasks(&mut self, now: u64) -> Option<u64> {
        let mut due = 0;
        // SAFETY: the server was opened.
        match unsafe { agentmote_run_tasks(self.server, now, &mut due) } {
            AGENTMOTE_OK => Some(due),
            AGENTMOTE_ABSENT => None,
            status => panic!("{status}"),
        }
    }

    fn memory(&mut self, [rx, result, calls, kept]: [u16; 4]) -> agentmote_memory_t {
        agentmote_memory_t {
            start: self.room.as_mut_ptr().cast(),
            size: self.room.len() * 8,
            rx,
            result,
            calls,
            kept,
        }
    }

    /// Opens a line connection with buffers of these sizes.
    pub fn open_line(&mut self, sizes: [u16; 4]) {
        let memory = self.memory(sizes);
        // SAFETY: the room lives as long as the connection.
        let status = unsafe { agentmote_line_open(&memory, self.server, &mut self.connection) };
        assert_eq!(status, AGENTMOTE_OK);
    }

    /// Opens an HTTP connection with buffers of these sizes.
    pub fn open_http(&mut self, rx: u16, result: u16) {
        let memory = self.memory([rx, result, 0, 0]);
        // SAFETY: as above.
        let status =
            unsafe { agentmote_http_open(&memory, self.server, ptr::null(), &mut self.connection) };
        assert_eq!(status, AGENTMOTE_OK);
    }

    /// Offers bytes; gives how many were taken.
    pub fn receive(&mut self, bytes: &[u8]) -> usize {
        let mut taken = usize::MAX;
        // SAFETY: all of it lives until the function returns.
        let status = unsafe {
            agentmote_receive(
                self.connection,
                bytes.as_ptr().cast(),
                bytes.len(),
                &mut taken,
            )
        };
        assert_eq!(status, AGENTMOTE_OK);
        taken
    }

    /// Works; gives how many bytes there are to send.
    pub fn poll(&mut self, now: u64, out: &mut [u8]) -> usize {
        let mut filled = usize::MAX;
        // SAFETY: all of it lives until the function returns.
        let status = unsafe {
            agentmote_poll(
                self.connection,
                now,
                out.as_mut_ptr().cast(),
                out.len(),
                &mut filled,
            )
        };
        assert_eq!(status, AGENTMOTE_OK);
        filled
    }

    /// When a poll is due.
    pub fn wake(&mut self) -> Option<u64> {
        let mut at = 0;
        // SAFETY: as above.
        match unsafe { agentmote_wake(self.connection, &mut at) } {
            AGENTMOTE_OK => Some(at),
            AGENTMOTE_ABSENT => None,
            status => panic!("{status}"),
        }
    }

    /// The peer has gone.
    pub fn hang_up(&mut self, now: u64) {
        // SAFETY: as above.
        let status = unsafe { agentmote_hang_up(self.connection, now) };
        assert_eq!(status, AGENTMOTE_OK);
    }

    /// Whether the connection should be closed.
    pub fn is_closed(&mut self) -> bool {
        let mut closed = false;
        // SAFETY: as above.
        let status = unsafe { agentmote_is_closed(self.connection, &mut closed) };
        assert_eq!(status, AGENTMOTE_OK);
        closed
    }
}

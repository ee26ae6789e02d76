//! The policy in front of a server: who is let in, what he may do, and what is
//! written down of it.

use core::ffi::{c_char, c_void};

use crate::abi::{
    AGENTMOTE_ERROR_NULL, AGENTMOTE_PROBLEM_BYTES, agentmote_problem_t, agentmote_status_t, put,
};
use crate::server::agentmote_server_t;
use crate::task::agentmote_asker_t;

pub use sizes::*;

#[cfg(target_pointer_width = "64")]
mod sizes {
    /// Words of storage for a policy with its eight tokens; each name of a
    /// scope and each authorization server takes `AGENTMOTE_CHOICE_WORDS` more.
    pub const AGENTMOTE_POLICY_WORDS: usize = 124;
}
#[cfg(target_pointer_width = "32")]
mod sizes {
    /// Words of storage for a policy with its eight tokens; each name of a
    /// scope and each authorization server takes `AGENTMOTE_CHOICE_WORDS` more.
    pub const AGENTMOTE_POLICY_WORDS: usize = 102;
}

/// Kind of a secret: the token of `Authorization: Bearer`.
pub const AGENTMOTE_SECRET_BEARER: u8 = 1;
/// Kind of a secret: the value of `X-API-KEY`.
pub const AGENTMOTE_SECRET_API_KEY: u8 = 2;

/// Door of a request: MCP.
pub const AGENTMOTE_DOOR_MCP: u8 = 1;
/// Door of a request: A2A.
pub const AGENTMOTE_DOOR_A2A: u8 = 2;

/// Operation: a request that was refused before it was known what it asks for.
pub const AGENTMOTE_REQUEST: u8 = 0;
/// Operation: a tool is called.
pub const AGENTMOTE_CALL_TOOL: u8 = 1;
/// Operation: a resource is read.
pub const AGENTMOTE_READ_RESOURCE: u8 = 2;
/// Operation: a prompt is fetched.
pub const AGENTMOTE_GET_PROMPT: u8 = 3;
/// Operation: a message is sent; it begins a task, or goes to one.
pub const AGENTMOTE_SEND_MESSAGE: u8 = 4;
/// Operation: a task is read.
pub const AGENTMOTE_GET_TASK: u8 = 5;
/// Operation: tasks are listed.
pub const AGENTMOTE_LIST_TASKS: u8 = 6;
/// Operation: a task is to be stopped.
pub const AGENTMOTE_CANCEL_TASK: u8 = 7;
/// Operation: a task is watched.
pub const AGENTMOTE_WATCH_TASK: u8 = 8;
/// Operation: the card for known callers is fetched.
pub const AGENTMOTE_CARD: u8 = 9;
/// Operation: one that this header has no number for.
pub const AGENTMOTE_OTHER_OPERATION: u8 = 255;

/// Subject: nothing that is there.
pub const AGENTMOTE_ON_NOTHING: u8 = 0;
/// Subject: a tool, by its name.
pub const AGENTMOTE_ON_TOOL: u8 = 1;
/// Subject: a skill, by its id.
pub const AGENTMOTE_ON_SKILL: u8 = 2;
/// Subject: a task, by its id of 16 bytes.
pub const AGENTMOTE_ON_TASK: u8 = 3;
/// Subject: one that this header has no number for.
pub const AGENTMOTE_ON_OTHER: u8 = 255;

/// Outcome: it was done.
pub const AGENTMOTE_WAS_DONE: u8 = 0;
/// Outcome: it has begun; its own record tells what came of it.
pub const AGENTMOTE_WAS_ACCEPTED: u8 = 1;
/// Outcome: the caller is asked something first; nothing else was done.
pub const AGENTMOTE_WAS_ASKED: u8 = 2;
/// Outcome: it was begun and failed.
pub const AGENTMOTE_WAS_FAILED: u8 = 3;
/// Outcome: it was begun, and given up by its caller.
pub const AGENTMOTE_WAS_CANCELLED: u8 = 4;
/// Outcome: refused, without a credential that is known (401).
pub const AGENTMOTE_REFUSED_CREDENTIAL: u8 = 16;
/// Outcome: refused, after too many tries (429).
pub const AGENTMOTE_REFUSED_TRIES: u8 = 17;
/// Outcome: refused, for want of scopes of the door (403).
pub const AGENTMOTE_REFUSED_SCOPE: u8 = 18;
/// Outcome: refused, for the host, origin, path, method or form over HTTP.
pub const AGENTMOTE_REFUSED_HTTP: u8 = 19;
/// Outcome: refused, since the message is not right.
pub const AGENTMOTE_REFUSED_MESSAGE: u8 = 20;
/// Outcome: refused, since what it names is not there for this caller.
pub const AGENTMOTE_REFUSED_NOT_THERE: u8 = 21;
/// Outcome: refused, since the arguments of a tool are not right.
pub const AGENTMOTE_REFUSED_ARGUMENTS: u8 = 22;
/// Outcome: refused, since it can't be done now.
pub const AGENTMOTE_REFUSED_STATE: u8 = 23;
/// Outcome: one that this header has no number for.
pub const AGENTMOTE_OTHER_OUTCOME: u8 = 255;

/// Authority: none; what was shown is not known, or nothing was.
pub const AGENTMOTE_BY_NOTHING: u8 = 0;
/// Authority: where the caller is, at the other end of a line.
pub const AGENTMOTE_BY_PLACE: u8 = 1;
/// Authority: a token of the table, by its name.
pub const AGENTMOTE_BY_TOKEN: u8 = 2;
/// Authority: what `verify` has found, by its name.
pub const AGENTMOTE_BY_VERIFY: u8 = 3;
/// Authority: none; the device does it for one who has asked before.
pub const AGENTMOTE_BY_DEVICE: u8 = 4;

/// What a caller wants to do. Its texts have no zero byte behind them, but a
/// length.
#[repr(C)]
#[derive(Debug)]
pub struct agentmote_request_t {
    /// The name or id of the subject: of a task 16 bytes, else text; NULL for
    /// none.
    pub subject: *const c_void,
    /// Bytes of `subject`.
    pub subject_size: usize,
    /// `AGENTMOTE_DOOR_MCP` or `AGENTMOTE_DOOR_A2A`.
    pub door: u8,
    /// `AGENTMOTE_CALL_TOOL` and the like.
    pub operation: u8,
    /// `AGENTMOTE_ON_TOOL` and the like.
    pub on: u8,
}

/// One entry of the audit trail. It holds numbers, names of tables and ids that
/// the device gave: nothing of a message or of a secret.
#[repr(C)]
#[derive(Debug)]
pub struct agentmote_event_t {
    /// The time of the connection's poll, in milliseconds.
    pub at_ms: u64,
    /// Who; 0 where that is not known.
    pub caller: u32,
    /// For whom; 0 where that is not known.
    pub tenant: u32,
    /// The name of the authority, in text of the tables or of `verify`; NULL
    /// for none.
    pub authority: *const c_char,
    /// Bytes of `authority`.
    pub authority_size: usize,
    /// What, on what.
    pub request: agentmote_request_t,
    /// `AGENTMOTE_BY_TOKEN` and the like.
    pub by: u8,
    /// `AGENTMOTE_WAS_DONE` and the like; from `AGENTMOTE_REFUSED_CREDENTIAL`
    /// on: it was refused, and nothing was done.
    pub outcome: u8,
}

/// Tells whose secret this is that the table does not know, such as a token
/// that the firmware verifies: its issuer, its audience (M-204), its expiry. It
/// writes who asks, and a name that events show, a text that ends with a zero
/// byte and stays as long as the server; false if it is nobody's. `secret` has
/// `length` bytes; `kind` is `AGENTMOTE_SECRET_BEARER` or
/// `AGENTMOTE_SECRET_API_KEY`.
pub type agentmote_verify_t = Option<
    unsafe extern "C" fn(
        context: *mut c_void,
        kind: u8,
        secret: *const c_char,
        length: usize,
        now_ms: u64,
        asker: *mut agentmote_asker_t,
        name: *mut *const c_char,
    ) -> bool,
>;

/// Tells whether a caller may do this, asked after scopes, owner and tenant
/// have said yes: what is not allowed is answered as if it was not there. It is
/// asked for each tool at each request, so it must be quick.
pub type agentmote_allows_t = Option<
    unsafe extern "C" fn(
        context: *const c_void,
        asker: *const agentmote_asker_t,
        request: *const agentmote_request_t,
    ) -> bool,
>;

/// Takes one entry of the audit trail: one for each refusal and each side
/// effect. It must be quick; what it points to is valid until it returns, but
/// for the texts of tables.
pub type agentmote_record_t =
    Option<unsafe extern "C" fn(context: *mut c_void, event: *const agentmote_event_t)>;

/// The constant part of a policy. Written by `AGENTMOTE_POLICY_OF`.
#[repr(C)]
#[derive(Debug)]
pub struct agentmote_policy_t {
    /// The realm of the challenge (M-200), without quotes, backslashes and
    /// control characters; NULL for none.
    pub realm: *const c_char,
    /// The names of the bits of scopes, from the lowest on, as OAuth has them:
    /// for challenges and metadata; NULL for none.
    pub scopes: *const *const c_char,
    /// The absolute URL of the endpoint as a protected resource (RFC 9728): what
    /// tokens are issued for; NULL if none are.
    pub resource: *const c_char,
    /// The absolute URL of its metadata, with
    /// `/.well-known/oauth-protected-resource` and the path of the endpoint.
    pub metadata: *const c_char,
    /// The issuers of tokens, at least one if there is a `resource` (M-202).
    pub issuers: *const *const c_char,
    /// What verifies secrets that the table does not know; NULL for nothing.
    pub verify: agentmote_verify_t,
    /// What decides beyond scopes, owners and tenants; NULL for nothing.
    pub allows: agentmote_allows_t,
    /// What takes the audit trail; NULL: it is not written.
    pub record: agentmote_record_t,
    /// The scopes that a caller needs to use MCP at all.
    pub mcp_scopes: u32,
    /// The scopes that a caller needs to use the agent at all.
    pub agent_scopes: u32,
    /// How many tries with unknown secrets are answered in `per_ms`; those
    /// beyond are answered 429. 0 for no limit.
    pub tries: u16,
    /// How many `scopes`; at most 32.
    pub scope_count: u16,
    /// How many `issuers`.
    pub issuer_count: u16,
    /// Not 0: known secrets are refused too while the limit is reached. Then
    /// nobody finds a weak one by trying, but anybody who reaches the device
    /// locks everybody out, from its stop too.
    pub closes: u8,
    /// In how long `tries`, in milliseconds.
    pub per_ms: u32,
}

/// A secret of which only the digest is kept, and what it opens.
#[repr(C)]
#[derive(Debug)]
pub struct agentmote_token_t {
    /// Its name, unique in the table: what events call it by, and what revokes
    /// it. It is shown, so it must not be secret. It stays as long as the
    /// token.
    pub name: *const c_char,
    /// The tenant's name on the wire of A2A; NULL for none. It stays as
    /// long as the token.
    pub tenant_name: *const c_char,
    /// SHA-256 of the secret, as it stands behind `Bearer ` or in `X-API-KEY`:
    /// `agentmote_digest`. A secret should have 128 random bits or more.
    pub digest: [u8; 32],
    /// Whose it is: a number of your choice. All tokens of one caller have the
    /// same, and no two tenants share one.
    pub id: u32,
    /// For whom he asks: a number of your choice.
    pub tenant: u32,
    /// What it may do: bits of your choice.
    pub scopes: u32,
    /// From when on it is good no longer, on the clock of `agentmote_poll`; 0
    /// for never.
    pub expires_ms: u64,
}

/// Puts a policy in front of a server: who is let in over HTTP, to MCP and to
/// the agent, what is there for whom, on every transport, and what is written
/// down. Its table of tokens is empty: nobody is let in before
/// `agentmote_token_add`. It stands in the place of the credentials of an
/// `agentmote_http_t`.
///
/// * `storage`: `size` bytes at a multiple of 8, such as
///   `uint64_t[AGENTMOTE_POLICY_WORDS + ...]`. They belong to the server until
///   that is opened anew.
/// * `policy`: with its texts, must stay as it is as long as the server.
/// * `problem`: NULL, or gets what is wrong and how much storage is needed; it
///   is written on success too.
///
/// Connections that were opened before must be opened anew: they answer
/// `AGENTMOTE_ERROR_NOT_OPEN`. On failure everything is as it was.
///
/// `AGENTMOTE_ERROR_STORAGE` if the storage is too small or not aligned,
/// `AGENTMOTE_ERROR_TABLE` if a rule is broken, `AGENTMOTE_ERROR_FEATURE` if
/// the library was built without `policy`, `AGENTMOTE_ERROR_BUSY` from inside a
/// handler, or if the server has a policy already.
///
/// # Safety
/// As said for each parameter; `server` is NULL or storage that was given to
/// `agentmote_init`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_policy_open(
    storage: *mut c_void,
    size: usize,
    server: *mut agentmote_server_t,
    policy: *const agentmote_policy_t,
    problem: *mut agentmote_problem_t,
) -> agentmote_status_t {
    let none = agentmote_problem_t {
        needed: 0,
        text: [0; AGENTMOTE_PROBLEM_BYTES],
    };
    // SAFETY: as the caller promises.
    unsafe { put(problem, none) };
    if storage.is_null() || server.is_null() || policy.is_null() {
        return AGENTMOTE_ERROR_NULL;
    }
    // SAFETY: as the caller promises.
    unsafe { imp::open(storage, size, server, policy, problem) }
}

/// Adds a token, from the next request on. To change a secret with an overlap,
/// add the new one under another name, and revoke the old one later. `problem`
/// is NULL, or gets what is wrong, such as `there is a credential of that name`.
///
/// `AGENTMOTE_ERROR_TABLE` if it was refused, and the table is as it was: it is
/// full (eight tokens), the name or the digest is there, the caller belongs to
/// another tenant; `AGENTMOTE_ERROR_NOT_OPEN` if the server has no policy,
/// `AGENTMOTE_ERROR_BUSY` from inside a handler, `AGENTMOTE_ERROR_FEATURE` if
/// the library was built without `policy`.
///
/// # Safety
/// `server` is NULL or storage that was given to `agentmote_init`; `token` is
/// NULL or points to one; `problem` is NULL or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_token_add(
    server: *mut agentmote_server_t,
    token: *const agentmote_token_t,
    problem: *mut agentmote_problem_t,
) -> agentmote_status_t {
    let none = agentmote_problem_t {
        needed: 0,
        text: [0; AGENTMOTE_PROBLEM_BYTES],
    };
    // SAFETY: as the caller promises.
    unsafe { put(problem, none) };
    if server.is_null() || token.is_null() {
        return AGENTMOTE_ERROR_NULL;
    }
    // SAFETY: as the caller promises.
    unsafe { imp::add(server, &*token, problem) }
}

/// Takes the token of this name back, from the next request on; streams that it
/// opened are closed, calls and tasks that it began go on.
///
/// `AGENTMOTE_ERROR_PLACE` if there is none; else as `agentmote_token_add`.
///
/// # Safety
/// `server` is NULL or storage that was given to `agentmote_init`; `name` is
/// NULL or ends with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_token_revoke(
    server: *mut agentmote_server_t,
    name: *const c_char,
) -> agentmote_status_t {
    // SAFETY: as the caller promises.
    match unsafe { crate::abi::text(name) } {
        // SAFETY: as the caller promises.
        Some(name) if !server.is_null() => unsafe { imp::revoke(server, name) },
        _ => AGENTMOTE_ERROR_NULL,
    }
}

/// Gives the token of this name another secret, of the digest of 32 bytes; the
/// old one is good no longer.
///
/// `AGENTMOTE_ERROR_PLACE` if there is none of that name, or another one has
/// that digest; else as `agentmote_token_add`.
///
/// # Safety
/// As for `agentmote_token_revoke`; `digest` is NULL or points to 32 bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_token_rotate(
    server: *mut agentmote_server_t,
    name: *const c_char,
    digest: *const u8,
) -> agentmote_status_t {
    if digest.is_null() {
        return AGENTMOTE_ERROR_NULL;
    }
    // SAFETY: as the caller promises.
    match unsafe { crate::abi::text(name) } {
        // SAFETY: as the caller promises.
        Some(name) if !server.is_null() => unsafe {
            imp::rotate(server, name, &*digest.cast::<[u8; 32]>())
        },
        _ => AGENTMOTE_ERROR_NULL,
    }
}

/// The digest of a secret of `length` bytes, for `agentmote_token_t`: `digest`
/// gets 32 bytes. Needs no server.
///
/// `AGENTMOTE_ERROR_FEATURE` if the library was built without `policy`.
///
/// # Safety
/// `secret` is NULL or points to `length` bytes; `digest` is NULL or points to
/// 32 bytes that may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn agentmote_digest(
    secret: *const c_char,
    length: usize,
    digest: *mut u8,
) -> agentmote_status_t {
    if secret.is_null() || digest.is_null() {
        return AGENTMOTE_ERROR_NULL;
    }
    #[cfg(feature = "policy")]
    // SAFETY: as the caller promises.
    unsafe {
        let secret = crate::abi::items(secret.cast::<u8>(), length);
        let of = agentmote::policy::Credential::of_secret("", secret, 0);
        put(digest.cast::<[u8; 32]>(), of.digest);
        crate::abi::AGENTMOTE_OK
    }
    #[cfg(not(feature = "policy"))]
    {
        let _ = length;
        crate::abi::AGENTMOTE_ERROR_FEATURE
    }
}

#[cfg(not(feature = "policy"))]
mod imp {
    use core::ffi::c_void;

    use super::{agentmote_policy_t, agentmote_token_t};
    use crate::abi::{AGENTMOTE_ERROR_FEATURE, agentmote_problem_t, agentmote_status_t};
    use crate::server::agentmote_server_t;

    pub(super) unsafe fn open(
        _: *mut c_void,
        _: usize,
        _: *mut agentmote_server_t,
        _: *const agentmote_policy_t,
        _: *mut agentmote_problem_t,
    ) -> agentmote_status_t {
        AGENTMOTE_ERROR_FEATURE
    }

    pub(super) unsafe fn add(
        _: *mut agentmote_server_t,
        _: &agentmote_token_t,
        _: *mut agentmote_problem_t,
    ) -> agentmote_status_t {
        AGENTMOTE_ERROR_FEATURE
    }

    pub(super) unsafe fn revoke(_: *mut agentmote_server_t, _: &str) -> agentmote_status_t {
        AGENTMOTE_ERROR_FEATURE
    }

    pub(super) unsafe fn rotate(
        _: *mut agentmote_server_t,
        _: &str,
        _: &[u8; 32],
    ) -> agentmote_status_t {
        AGENTMOTE_ERROR_FEATURE
    }
}

#[cfg(feature = "policy")]
mod imp {
    use core::ptr;
    use core::ptr::{addr_of, addr_of_mut};

    use agentmote::policy::{
        Authority, Credential, Endpoint, Event, Grant, Guard, Operation, Outcome, Policy,
        Presented, Protected, Request, Rules, Subject, TryLimit, Why,
    };
    use agentmote::time::Instant;
    use agentmote::tool::Broken;

    use super::*;
    use crate::abi::{
        AGENTMOTE_ERROR_BUSY, AGENTMOTE_ERROR_NOT_OPEN, AGENTMOTE_ERROR_PLACE,
        AGENTMOTE_ERROR_STORAGE, AGENTMOTE_ERROR_TABLE, AGENTMOTE_OK,
    };
    use crate::gate::Mark;
    use crate::server::{App, Refusal, explain};
    use crate::table::{Room, Rule, WORD, choices, fits, name, optional, room, take, words};

    const _: () = fits::<Policy<App>>(AGENTMOTE_POLICY_WORDS, 8);

    /// The guard of a server in C: the functions of its policy.
    struct Guarded;

    impl Guard<App> for Guarded {
        fn verify(app: &mut App, presented: Presented<'_>, now: Instant) -> Option<Grant> {
            let kind = match presented {
                Presented::Bearer(_) => AGENTMOTE_SECRET_BEARER,
                Presented::ApiKey(_) => AGENTMOTE_SECRET_API_KEY,
                Presented::None => return None,
            };
            let (verify, secret) = (app.policy()?.verify?, presented.secret()?);
            let mut asker = agentmote_asker_t {
                id: 0,
                tenant: 0,
                scopes: 0,
            };
            let mut name = ptr::null();
            let (start, length) = (secret.as_ptr().cast(), secret.len());
            // SAFETY: the function and the context come from the firmware,
            // which promises that they belong together.
            let known = unsafe {
                let now = now.as_millis();
                verify(app.context, kind, start, length, now, &mut asker, &mut name)
            };
            // SAFETY: as the firmware promises; the text stays as long as the
            // server.
            let name = unsafe { crate::abi::text(name) };
            match (known, name) {
                (true, Some(name)) => {
                    Some(Grant::verified(name, asker.id, asker.tenant, asker.scopes))
                }
                // Without a name nobody could say who it was.
                _ => None,
            }
        }

        fn allows(app: &App, who: &Grant, request: &Request) -> bool {
            let Some(allows) = app.policy().and_then(|policy| policy.allows) else {
                return true;
            };
            let asker = agentmote_asker_t {
                id: who.id,
                tenant: who.tenant,
                scopes: who.scopes,
            };
            // SAFETY: as above.
            unsafe { allows(app.context, &asker, &of_request(request)) }
        }

        fn record(app: &mut App, event: &Event) {
            let Some(record) = app.policy().and_then(|policy| policy.record) else {
                return;
            };
            let (by, authority) = match event.by {
                Authority::None => (AGENTMOTE_BY_NOTHING, ""),
                Authority::Place => (AGENTMOTE_BY_PLACE, ""),
                Authority::Credential(name) => (AGENTMOTE_BY_TOKEN, name),
                Authority::Guard(name) => (AGENTMOTE_BY_VERIFY, name),
                Authority::Device => (AGENTMOTE_BY_DEVICE, ""),
            };
            let event = agentmote_event_t {
                at_ms: event.at_ms,
                caller: event.id,
                tenant: event.tenant,
                authority: match authority.is_empty() {
                    true => ptr::null(),
                    false => authority.as_ptr().cast(),
                },
                authority_size: authority.len(),
                request: of_request(&event.request),
                by,
                outcome: of_outcome(event.outcome),
            };
            // SAFETY: as above.
            unsafe { record(app.context, &event) };
        }
    }

    impl App {
        fn policy(&self) -> Option<&'static agentmote_policy_t> {
            // SAFETY: a policy stays as long as the server.
            unsafe { self.policy.as_ref() }
        }
    }

    fn of_request(request: &Request) -> agentmote_request_t {
        let (on, subject) = match &request.subject {
            Subject::None => (AGENTMOTE_ON_NOTHING, &[][..]),
            Subject::Tool(name) => (AGENTMOTE_ON_TOOL, name.as_bytes()),
            Subject::Skill(id) => (AGENTMOTE_ON_SKILL, id.as_bytes()),
            Subject::Task(id) => (AGENTMOTE_ON_TASK, &id[..]),
            _ => (AGENTMOTE_ON_OTHER, &[][..]),
        };
        agentmote_request_t {
            subject: match subject.is_empty() {
                true => ptr::null(),
                false => subject.as_ptr().cast(),
            },
            subject_size: subject.len(),
            door: match request.endpoint {
                Endpoint::Mcp => AGENTMOTE_DOOR_MCP,
                Endpoint::Agent => AGENTMOTE_DOOR_A2A,
            },
            operation: match request.operation {
                Operation::Request => AGENTMOTE_REQUEST,
                Operation::CallTool => AGENTMOTE_CALL_TOOL,
                Operation::ReadResource => AGENTMOTE_READ_RESOURCE,
                Operation::GetPrompt => AGENTMOTE_GET_PROMPT,
                Operation::SendMessage => AGENTMOTE_SEND_MESSAGE,
                Operation::GetTask => AGENTMOTE_GET_TASK,
                Operation::ListTasks => AGENTMOTE_LIST_TASKS,
                Operation::CancelTask => AGENTMOTE_CANCEL_TASK,
                Operation::WatchTask => AGENTMOTE_WATCH_TASK,
                Operation::ExtendedCard => AGENTMOTE_CARD,
                _ => AGENTMOTE_OTHER_OPERATION,
            },
            on,
        }
    }

    fn of_outcome(outcome: Outcome) -> u8 {
        match outcome {
            Outcome::Done => AGENTMOTE_WAS_DONE,
            Outcome::Accepted => AGENTMOTE_WAS_ACCEPTED,
            Outcome::Asked => AGENTMOTE_WAS_ASKED,
            Outcome::Failed => AGENTMOTE_WAS_FAILED,
            Outcome::Cancelled => AGENTMOTE_WAS_CANCELLED,
            Outcome::Refused(Why::Credential) => AGENTMOTE_REFUSED_CREDENTIAL,
            Outcome::Refused(Why::Tries) => AGENTMOTE_REFUSED_TRIES,
            Outcome::Refused(Why::Scope) => AGENTMOTE_REFUSED_SCOPE,
            Outcome::Refused(Why::Http) => AGENTMOTE_REFUSED_HTTP,
            Outcome::Refused(Why::Message) => AGENTMOTE_REFUSED_MESSAGE,
            Outcome::Refused(Why::NotThere) => AGENTMOTE_REFUSED_NOT_THERE,
            Outcome::Refused(Why::Arguments) => AGENTMOTE_REFUSED_ARGUMENTS,
            Outcome::Refused(Why::State) => AGENTMOTE_REFUSED_STATE,
            _ => AGENTMOTE_OTHER_OUTCOME,
        }
    }

    /// # Safety
    /// As for `agentmote_policy_open`; none but `problem` is NULL.
    pub(super) unsafe fn open(
        storage: *mut c_void,
        size: usize,
        server: *mut agentmote_server_t,
        policy: *const agentmote_policy_t,
        problem: *mut agentmote_problem_t,
    ) -> agentmote_status_t {
        // SAFETY: as the caller promises.
        match unsafe { opened(storage.cast(), size, server, policy, problem) } {
            Ok(()) => AGENTMOTE_OK,
            Err(Refusal::Status(status)) => status,
            Err(Refusal::Rule(broken)) => {
                // SAFETY: as the caller promises.
                unsafe { explain(problem, broken) };
                AGENTMOTE_ERROR_TABLE
            }
        }
    }

    /// # Safety
    /// As for [`open`].
    unsafe fn opened(
        storage: *mut u8,
        size: usize,
        server: *mut agentmote_server_t,
        table: *const agentmote_policy_t,
        problem: *mut agentmote_problem_t,
    ) -> Result<(), Refusal> {
        const FRONT: usize = words::<Policy<App>>() * WORD;
        let rule = |rule: Rule| Refusal::from(("", rule));
        // SAFETY: as the caller promises.
        let given = unsafe { &*table };
        let (scopes, issuers) = (
            usize::from(given.scope_count),
            usize::from(given.issuer_count),
        );
        let needed = FRONT
            .saturating_add(room::<&str>(scopes))
            .saturating_add(room::<&str>(issuers));
        if !problem.is_null() {
            // SAFETY: as the caller promises.
            unsafe { put(addr_of_mut!((*problem).needed), needed) };
        }
        if scopes > 32 {
            return Err(rule("a policy has more than 32 scopes"));
        }
        if given.tries > 0 && given.per_ms == 0 {
            return Err(rule("tries are limited in no time"));
        }
        if size < needed || !storage.addr().is_multiple_of(WORD) {
            return Err(Refusal::Status(AGENTMOTE_ERROR_STORAGE));
        }
        // SAFETY: as the caller promises.
        let gate = unsafe { &*addr_of!((*server).gate) };
        let _guard = gate.enter(Mark::Server).map_err(Refusal::Status)?;
        // SAFETY: the gate was entered.
        let inner = unsafe { (*server).inner() };
        // It may lie in the same storage.
        if inner.policy().is_some() {
            return Err(Refusal::Status(AGENTMOTE_ERROR_BUSY));
        }
        // SAFETY: there is room for all of them, as was just summed up.
        unsafe {
            let mut next = storage.add(FRONT);
            let mut for_scopes: Room<&'static str> = take(&mut next, scopes);
            let mut for_issuers: Room<&'static str> = take(&mut next, issuers);
            let scopes = choices(given.scopes, given.scope_count, &mut for_scopes);
            let issuers = choices(given.issuers, given.issuer_count, &mut for_issuers);
            let scopes = scopes.map_err(rule)?;
            let issuers = issuers.map_err(rule)?;
            let realm = optional(given.realm).map_err(rule)?;
            let protected = match given.resource.is_null() {
                true => None,
                false => Some(Protected {
                    resource: name(given.resource).map_err(rule)?,
                    metadata: name(given.metadata).map_err(rule)?,
                    authorization_servers: issuers,
                }),
            };
            if protected.is_some() && issuers.is_empty() {
                return Err(rule("a protected resource has no issuer of tokens"));
            }
            let metadata = protected.map_or("", |protected| protected.metadata);
            let mut quoted = [realm, metadata].into_iter().chain(scopes.iter().copied());
            if !quoted.all(is_plain) {
                return Err(rule(
                    "a text of the challenge has a quote, a backslash or a control character",
                ));
            }
            let rules = Rules {
                realm,
                scopes,
                mcp: given.mcp_scopes,
                agent: given.agent_scopes,
                protected,
                limit: match given.tries {
                    0 => None,
                    tries => Some(TryLimit {
                        tries,
                        per_ms: given.per_ms,
                        closes: given.closes != 0,
                    }),
                },
            };
            let place = storage.cast::<Policy<App>>();
            place.write(Policy::new::<Guarded>(rules));
            inner.app.policy = table;
            inner.set_policy(&mut *place);
        }
        // Connections keep what was granted without a policy.
        gate.open(Mark::Server);
        Ok(())
    }

    /// Whether a text can stand between quotes as it is.
    fn is_plain(text: &str) -> bool {
        text.bytes()
            .all(|byte| byte >= 0x20 && byte != 0x7F && byte != b'"' && byte != b'\\')
    }

    /// Lets `act` work on the policy of a server.
    ///
    /// # Safety
    /// `server` is storage that was given to `agentmote_init`.
    unsafe fn with(
        server: *mut agentmote_server_t,
        act: impl FnOnce(&mut Policy<App>) -> agentmote_status_t,
    ) -> agentmote_status_t {
        // SAFETY: as the caller promises.
        let gate = unsafe { &*addr_of!((*server).gate) };
        match gate.enter(Mark::Server) {
            // SAFETY: the gate was entered.
            Ok(_guard) => match unsafe { (*server).inner() }.policy() {
                Some(policy) => act(policy),
                None => AGENTMOTE_ERROR_NOT_OPEN,
            },
            Err(status) => status,
        }
    }

    /// # Safety
    /// As for [`super::agentmote_token_add`]; none but `problem` is NULL.
    pub(super) unsafe fn add(
        server: *mut agentmote_server_t,
        token: &agentmote_token_t,
        problem: *mut agentmote_problem_t,
    ) -> agentmote_status_t {
        // SAFETY: as the caller promises; the texts stay as long as the token.
        let credential = unsafe {
            name(token.name).and_then(|name| {
                Ok(Credential {
                    tenant: token.tenant,
                    tenant_name: optional(token.tenant_name)?,
                    scopes: token.scopes,
                    expires: match token.expires_ms {
                        0 => None,
                        millis => Some(Instant::from_millis(millis)),
                    },
                    ..Credential::new(name, token.digest, token.id)
                })
            })
        };
        let add = |policy: &mut Policy<App>| {
            let added = credential.and_then(|credential| {
                let added = policy.credentials.add(credential);
                added.map_err(agentmote::policy::AddError::text)
            });
            match added {
                Ok(()) => AGENTMOTE_OK,
                Err(rule) => {
                    // SAFETY: as the caller promises.
                    unsafe { explain(problem, Broken { who: "", rule }) };
                    AGENTMOTE_ERROR_TABLE
                }
            }
        };
        // SAFETY: as the caller promises.
        unsafe { with(server, add) }
    }

    /// # Safety
    /// As for [`super::agentmote_token_revoke`].
    pub(super) unsafe fn revoke(server: *mut agentmote_server_t, name: &str) -> agentmote_status_t {
        let revoke = |policy: &mut Policy<App>| match policy.credentials.revoke(name) {
            true => AGENTMOTE_OK,
            false => AGENTMOTE_ERROR_PLACE,
        };
        // SAFETY: as the caller promises.
        unsafe { with(server, revoke) }
    }

    /// # Safety
    /// As for [`super::agentmote_token_rotate`].
    pub(super) unsafe fn rotate(
        server: *mut agentmote_server_t,
        name: &str,
        digest: &[u8; 32],
    ) -> agentmote_status_t {
        let rotate = |policy: &mut Policy<App>| match policy.credentials.rotate(name, *digest) {
            true => AGENTMOTE_OK,
            false => AGENTMOTE_ERROR_PLACE,
        };
        // SAFETY: as the caller promises.
        unsafe { with(server, rotate) }
    }
}

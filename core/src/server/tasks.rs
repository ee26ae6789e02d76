//! The tasks extension of MCP, whatever the connection: calls that become
//! records of a table, and what is asked of them later.

use super::Server;
#[cfg(feature = "policy")]
use super::running::note;
use super::running::{admits, reply};
use crate::json::{Text, Value};
use crate::mcp::{Body, CallPlan, Fault, Reply, TaskPlan, TaskReply, TaskWish, Version};
#[cfg(feature = "policy")]
use crate::policy::{Endpoint, Grant, Outcome as Happened, Request, Subject, Why};
use crate::task::{
    Kind, New, Pieces, Principal, Refusal, Runtime, Skill, State, Stop, Task, TaskId, Tasks,
};
use crate::time::Instant;
#[cfg(not(feature = "policy"))]
use crate::tool::Caller;
use crate::tool::Outcome;

/// Who makes a request, and by what authority where a policy wants to know.
#[cfg(feature = "policy")]
pub(super) type Asker = Grant;
#[cfg(not(feature = "policy"))]
pub(super) type Asker = Caller;

/// What a request wants of the table of tasks.
#[derive(Clone, Copy, Debug)]
pub(super) enum Ask {
    /// That a call becomes a task; what its handler remembers.
    Call(CallPlan, u32),
    /// The answer to that call, once the journal has the record.
    Kept(CallPlan, Task),
    /// A wish about a task.
    Wish(TaskPlan),
}

/// What comes of it.
pub(super) enum Came {
    /// A task is told.
    Task(TaskReply),
    /// Anything else.
    Reply(Reply),
    /// The journal does not have the record yet: this is asked again.
    Wait(Ask),
}

/// Does what is asked for the owner. `message` is the buffer of the request.
#[expect(clippy::too_many_arguments, reason = "all that a connection has")]
pub(super) fn serve<App: Runtime>(
    server: &mut Server<App>,
    tasks: &mut Tasks<'_>,
    skills: &[Skill<App>],
    now: Instant,
    owner: Principal,
    asker: Asker,
    ask: Ask,
    message: &[u8],
    result: &mut [u8],
    outcome: &mut Outcome,
) -> Came {
    match ask {
        Ask::Call(plan, memo) => {
            if !admits(server, plan, message, result, outcome) {
                #[cfg(feature = "policy")]
                note(
                    server,
                    now,
                    plan,
                    asker.doer(),
                    Happened::Refused(Why::Arguments),
                );
                return Came::Reply(reply(plan));
            }
            #[cfg(feature = "scopes")]
            let needs = server.device.tools.get(plan.tool);
            #[cfg(feature = "scopes")]
            let needs = needs.map_or(0, |entry| entry.tool.scopes);
            #[cfg(not(feature = "scopes"))]
            let needs = 0;
            match create(tasks, now, owner, plan, memo, needs, message) {
                Ok(task) => {
                    tasks.keep(&mut server.app, task, now);
                    // One that cannot be kept is refused by its answer.
                    #[cfg(feature = "policy")]
                    if !tasks.is_fault(task) {
                        note(server, now, plan, asker.doer(), Happened::Accepted);
                    }
                    kept(tasks, plan, task)
                }
                Err(refusal) => Came::Reply(Reply {
                    body: Body::Fault(fault(refusal)),
                    ..reply(plan)
                }),
            }
        }
        Ask::Kept(plan, task) => kept(tasks, plan, task),
        Ask::Wish(plan) => {
            let body = match wish(server, tasks, skills, now, owner, asker, plan, message) {
                Ok(Some(task)) => {
                    return Came::Task(TaskReply {
                        id: plan.id,
                        task,
                        until: tasks.last(),
                        created: false,
                    });
                }
                Ok(None) => Body::Empty,
                Err(fault) => Body::Fault(fault),
            };
            Came::Reply(Reply {
                id: plan.id,
                version: Version::V2026_07_28,
                body,
            })
        }
    }
}

/// Makes a record of a call whose arguments are right.
fn create(
    tasks: &mut Tasks<'_>,
    now: Instant,
    owner: Principal,
    plan: CallPlan,
    memo: u32,
    needs: u32,
    message: &[u8],
) -> Result<Task, Refusal> {
    let write = |pieces: &mut Pieces<'_>| {
        pieces.needs(needs);
        if !plan.arguments.is_empty() {
            pieces.part(Kind::Data, plan.arguments.get(message));
        }
        pieces.client(plan.retry.client);
        if !plan.retry.responses.is_empty() {
            pieces.responses(plan.retry.responses.get(message));
        }
    };
    let mut count = Pieces::counter();
    write(&mut count);
    let new = New {
        who: owner,
        skill: Some(plan.tool),
        tool: true,
        memo,
        talks: false,
        context: None,
        message: Text::checked(b""),
        bytes: count.total(),
        #[cfg(feature = "extensions")]
        elsewhere: false,
    };
    tasks.create(new, now, write)
}

/// Answers a call with its task, once the journal has it (M-161).
fn kept(tasks: &Tasks<'_>, plan: CallPlan, task: Task) -> Came {
    if !tasks.is_kept(task) {
        return Came::Wait(Ask::Kept(plan, task));
    }
    if tasks.state(task) == Some(State::Failed) && tasks.is_fault(task) {
        let why = "the task cannot be kept by this device";
        return Came::Reply(Reply {
            body: Body::Fault(Fault::Internal(why)),
            ..reply(plan)
        });
    }
    Came::Task(TaskReply {
        id: plan.id,
        task,
        until: tasks.last(),
        created: true,
    })
}

/// Does what is wished; the task, if it is to be told.
///
/// A task of another is looked for like one that is not there, in the same
/// time and with the same answer.
#[expect(clippy::too_many_arguments, reason = "all that a connection has")]
fn wish<App>(
    server: &mut Server<App>,
    tasks: &mut Tasks<'_>,
    skills: &[Skill<App>],
    now: Instant,
    owner: Principal,
    asker: Asker,
    plan: TaskPlan,
    message: &[u8],
) -> Result<Option<Task>, Fault> {
    let id = TaskId::read(Text::checked(plan.task.get(message)));
    let found = id.and_then(|id| tasks.find(owner, id));
    #[cfg(feature = "policy")]
    let request = Request {
        endpoint: Endpoint::Mcp,
        operation: plan.what.operation(),
        subject: id.map_or(Subject::None, |id| Subject::Task(*id.as_bytes())),
    };
    // What the guard does not let through is not there, as on A2A.
    #[cfg(feature = "policy")]
    let found = found.filter(|_| match &server.policy {
        Some(policy) => policy.allows(&server.app, &asker, &request),
        None => true,
    });
    // An answer lets the work go on, so who may not begin it may not answer
    // either: a credential of the same owner that never could, or one that
    // could when the task began.
    let found = found.filter(|task| match (plan.what, tasks.tool(*task)) {
        (TaskWish::Update(_), Some(tool)) => server.who(asker).shown.has(tool),
        (TaskWish::Update(_), None) => {
            let at = tasks.skill(*task).map_or(usize::MAX, usize::from);
            let needed = skills.get(at).map_or(0, |skill| skill.scopes);
            needed & !owner.scopes == 0
        }
        _ => true,
    });
    let task = found.ok_or(Fault::Task(plan.task, plan.what))?;
    // What changes nothing is acknowledged too (M-162).
    let changed = match plan.what {
        TaskWish::Get => return Ok(Some(task)),
        TaskWish::Update(responses) => {
            let responses = Value::checked(responses.get(message));
            tasks.answer(task, owner, responses, now).map_err(fault)?
        }
        TaskWish::Cancel => tasks.stop(task, now) == Stop::Told,
    };
    #[cfg(not(feature = "policy"))]
    let _ = changed;
    #[cfg(feature = "policy")]
    {
        let outcome = if changed {
            Happened::Accepted
        } else {
            Happened::Refused(Why::State)
        };
        server.record(now, asker.doer(), request, outcome);
        server.record_ends(tasks);
    }
    Ok(None)
}

fn fault(refusal: Refusal) -> Fault {
    match refusal {
        Refusal::Full { slots } => Fault::Busy(" tasks", slots),
        Refusal::TooLong { need, room } => Fault::NoRoom { need, room },
        Refusal::Entropy => Fault::Internal("no random bytes for a new id"),
        Refusal::Busy | Refusal::Ended => Fault::Internal("the task takes no answer"),
    }
}

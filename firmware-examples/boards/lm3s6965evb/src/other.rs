//! A device that calls others, for the table of sizes: an agent is told that
//! the arm is up, and a tool is called if the agent has taken that on.

use agentmote::client::{
    Call, CallTool, Content, Endpoint, GetTask, Part, Post, Reply, Response, SendMessage, Sent,
    State, Task, TaskState, ToolResult, Wire,
};
use agentmote::mcp::Version;
use core::convert::Infallible;
use embedded_io::{Read, Write};

/// The longest request, and the longest answer, in bytes.
const MESSAGE: usize = 1024;

/// Sends a call to the other end, and waits for its answer.
fn call<'b>(
    wire: &mut (impl Read<Error = Infallible> + Write<Error = Infallible>),
    (id, url): (u32, &str),
    call: &dyn Call,
    room: &'b mut [u8; MESSAGE],
) -> Option<Response<'b>> {
    let endpoint = Endpoint::new(url, &["http://192.0.2.9"]).ok()?;
    let post = Post {
        endpoint: &endpoint,
        headers: &[],
        call,
        id,
    };
    let length = post.write(room).ok()?;
    let Ok(()) = wire.write_all(room.get(..length)?);
    let mut response = Response::new(room, id);
    let mut byte = [0];
    loop {
        let Ok(count) = wire.read(&mut byte);
        if count == 0 {
            response.end().ok()?;
            return Some(response);
        }
        if response.feed(&byte).ok()?.state == State::Done {
            return Some(response);
        }
    }
}

/// Tells an agent, and calls a tool. What does not work is left.
pub(crate) fn tell(wire: &mut (impl Read<Error = Infallible> + Write<Error = Infallible>)) {
    let _ = tell_agent(wire);
}

fn tell_agent(
    wire: &mut (impl Read<Error = Infallible> + Write<Error = Infallible>),
) -> Option<bool> {
    const AGENT: &str = "http://192.0.2.9/a2a/";
    let mut room = [0; MESSAGE];
    let parts = [Part::new(Content::Text("the arm is up"))];
    let send = SendMessage::new(Wire::V1, "up-1", &parts);
    let response = call(wire, (1, AGENT), &send, &mut room)?;
    let mut id = [0; 64];
    let (mut state, id) = match response.reply().ok()? {
        Reply::Result(result) => match Sent::read(result, Wire::V1).ok()? {
            Sent::Task(task) => (task.state, task.id.copy_to(&mut id)?),
            Sent::Message(_) => return None,
        },
        _ => return None,
    };
    while state.is_open() {
        let get = GetTask {
            wire: Wire::V1,
            tenant: "",
            task: id,
            history: Some(0),
        };
        let response = call(wire, (2, AGENT), &get, &mut room)?;
        state = match response.reply().ok()? {
            Reply::Result(task) => Task::read(task, Wire::V1).ok()?.state,
            _ => return None,
        };
    }
    if state != TaskState::Completed {
        return None;
    }
    let version = Version::V2026_07_28;
    let tool = CallTool {
        version,
        session: "",
        name: "lamp_set",
        arguments: b"{\"on\":true}",
    };
    let response = call(wire, (3, "http://192.0.2.9/mcp"), &tool, &mut room)?;
    match response.reply().ok()? {
        Reply::Result(result) => Some(!ToolResult::read(result, version).ok()?.is_error),
        _ => None,
    }
}

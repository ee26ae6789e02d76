//! The official A2A client for Rust against the bench arm, on the 1.x wire.
//!
//! usage: a2a-client URL
//!
//! URL is where the agent's card is found.

use std::fmt::Debug;
use std::time::Duration;

use a2a::{
    A2AError, CancelTaskRequest, GetTaskRequest, ListTasksRequest, Message, Part, PartContent,
    Role, SendMessageConfiguration, SendMessageRequest, SendMessageResponse, StreamResponse,
    SubscribeToTaskRequest, Task, TaskState,
};
use a2a_client::agent_card::AgentCardResolver;
use a2a_client::{A2AClient, A2AClientFactory, Transport};
use futures::StreamExt;

struct Checks(usize);

impl Checks {
    fn that<T: PartialEq + Debug>(&mut self, what: &str, found: T, wanted: T) {
        if found != wanted {
            println!("not ok: {what}: found {found:?}, wanted {wanted:?}");
            std::process::exit(1);
        }
        self.0 += 1;
        println!("ok {} {what}", self.0);
    }
}

fn message(text: &str, task: Option<&Task>, return_immediately: bool) -> SendMessageRequest {
    let mut message = Message::new(Role::User, vec![Part::text(text)]);
    message.task_id = task.map(|task| task.id.clone());
    SendMessageRequest {
        message,
        configuration: Some(SendMessageConfiguration {
            accepted_output_modes: None,
            task_push_notification_config: None,
            history_length: None,
            return_immediately: Some(return_immediately),
        }),
        metadata: None,
        tenant: None,
    }
}

async fn sent<T: Transport>(
    client: &A2AClient<T>,
    request: SendMessageRequest,
) -> Result<Task, A2AError> {
    match client.send_message(&request).await? {
        SendMessageResponse::Task(task) => Ok(task),
        SendMessageResponse::Message(_) => Err(A2AError::new(0, "a message, not a task")),
    }
}

async fn until<T: Transport>(
    client: &A2AClient<T>,
    task: &Task,
    wanted: TaskState,
) -> Result<Task, A2AError> {
    let request = GetTaskRequest {
        id: task.id.clone(),
        history_length: None,
        tenant: None,
    };
    for _ in 0..600 {
        let task = client.get_task(&request).await?;
        if task.status.state == wanted {
            return Ok(task);
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Err(A2AError::new(0, format!("never {wanted:?}")))
}

async fn run(url: &str, checks: &mut Checks) -> Result<(), A2AError> {
    let card = AgentCardResolver::new(None).resolve(url).await?;
    let skills: Vec<&str> = card.skills.iter().map(|skill| &*skill.id).collect();
    checks.that("skills", skills, vec!["calibrate", "home"]);
    let client = A2AClientFactory::builder()
        .build()
        .create_from_card(&card)
        .await?;

    // Send, poll, answer the question, read the artifact.
    let task = sent(&client, message("calibrate the arm", None, true)).await?;
    checks.that(
        "a new task",
        task.status.state.clone(),
        TaskState::Submitted,
    );
    let task = until(&client, &task, TaskState::InputRequired).await?;
    let question = task.status.message.clone().map(|message| message.role);
    checks.that("who asks", question, Some(Role::Agent));
    let done = sent(&client, message("yes", Some(&task), false)).await?;
    checks.that("the same task", &done.id, &task.id);
    checks.that("done", done.status.state.clone(), TaskState::Completed);
    let artifacts = done.artifacts.unwrap_or_default();
    checks.that("one artifact", artifacts.len(), 1);
    let joints = match &artifacts[0].parts[0].content {
        PartContent::Data(data) => data["joints"].as_f64(),
        _ => None,
    };
    checks.that("what was measured", joints, Some(6.0));
    let said: Vec<Role> = done
        .history
        .unwrap_or_default()
        .iter()
        .map(|one| one.role.clone())
        .collect();
    checks.that("who spoke", said, vec![Role::User, Role::Agent, Role::User]);

    // Cancel while the arm moves.
    let task = sent(&client, message("calibrate the arm", None, false)).await?;
    checks.that(
        "it asks",
        task.status.state.clone(),
        TaskState::InputRequired,
    );
    sent(&client, message("yes", Some(&task), true)).await?;
    let cancel = CancelTaskRequest {
        id: task.id.clone(),
        metadata: None,
        tenant: None,
    };
    let stopped = client.cancel_task(&cancel).await?;
    checks.that("it stopped", stopped.status.state, TaskState::Canceled);
    let again = client.cancel_task(&cancel).await.map(|_| ());
    checks.that(
        "a second cancel",
        again.map_err(|error| error.code),
        Err(-32002),
    );
    let none = GetTaskRequest {
        id: "no-such-task".into(),
        history_length: None,
        tenant: None,
    };
    let none = client.get_task(&none).await.map(|_| ());
    checks.that(
        "no such task",
        none.map_err(|error| error.code),
        Err(-32001),
    );

    // A stream, from the message to the end.
    let mut events = client
        .send_streaming_message(&message("home the arm", None, false))
        .await?;
    let mut kinds = Vec::new();
    let mut last = None;
    while let Some(event) = events.next().await {
        kinds.push(match event? {
            StreamResponse::Task(_) => "task",
            StreamResponse::Message(_) => "message",
            StreamResponse::ArtifactUpdate(_) => "artifact",
            StreamResponse::StatusUpdate(update) => {
                last = Some(update.status.state);
                "status"
            }
        });
    }
    checks.that("the task first", kinds.first().copied(), Some("task"));
    checks.that("an artifact", kinds.contains(&"artifact"), true);
    checks.that("the end last", last, Some(TaskState::Completed));

    // A stream of a task that goes on.
    let task = sent(&client, message("calibrate the arm", None, false)).await?;
    let watch = SubscribeToTaskRequest {
        id: task.id.clone(),
        tenant: None,
    };
    let mut events = client.subscribe_to_task(&watch).await?;
    let (going, reports) =
        futures::join!(sent(&client, message("yes", Some(&task), false)), async {
            let mut reports = 0;
            while let Some(event) = events.next().await {
                if let Ok(StreamResponse::StatusUpdate(update)) = event
                    && update.status.message.is_some()
                {
                    reports += 1;
                }
            }
            reports
        });
    checks.that("done again", going?.status.state, TaskState::Completed);
    checks.that("each joint was told", reports, 6);

    let list = ListTasksRequest {
        context_id: None,
        status: None,
        page_size: Some(1),
        page_token: None,
        history_length: None,
        status_timestamp_after: None,
        include_artifacts: None,
        tenant: None,
    };
    let listed = client.list_tasks(&list).await?;
    checks.that("the newest first", &listed.tasks[0].id, &task.id);
    checks.that("more of them", listed.total_size >= 4, true);
    Ok(())
}

#[tokio::main]
async fn main() {
    let url = std::env::args().nth(1).unwrap_or_default();
    let mut checks = Checks(0);
    let limit = Duration::from_secs(120);
    match tokio::time::timeout(limit, run(&url, &mut checks)).await {
        Ok(Ok(())) => println!("done: {} assertions", checks.0),
        Ok(Err(error)) => {
            println!("not ok: {} {}", error.code, error.message);
            std::process::exit(1);
        }
        Err(_) => {
            println!("not ok: no end");
            std::process::exit(1);
        }
    }
}

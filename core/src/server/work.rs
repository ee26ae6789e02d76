//! An answer whose body the application fills at once: a reading, a prompt.

use super::Server;
#[cfg(all(feature = "prompts", feature = "input"))]
use super::questions::{self, Asking};
#[cfg(feature = "prompts")]
use crate::json::Value;
#[cfg(all(feature = "prompts", feature = "input"))]
use crate::mcp::{About, Arguments};
use crate::mcp::{Body, Reply};
use crate::time::Instant;
#[cfg(all(feature = "prompts", feature = "input"))]
use crate::tool::Inputs;
use crate::tool::Outcome;

/// Lets the application fill the body; gives the answer.
pub(super) fn work<App>(
    server: &mut Server<App>,
    now: Instant,
    reply: Reply,
    message: &[u8],
    result: &mut [u8],
    outcome: &mut Outcome,
) -> Reply {
    match reply.body {
        #[cfg(feature = "resources")]
        Body::Contents { at, uri } => {
            let text = crate::json::Text::checked(uri.get(message));
            let found = server.device.resource(at).is_some_and(|resource| {
                crate::resource::read(resource, &mut server.app, now, text, result, outcome)
            });
            if !found {
                let modern = reply.version.is_modern();
                return Reply {
                    body: Body::Fault(crate::mcp::Fault::Resource { uri, modern }),
                    ..reply
                };
            }
        }
        #[cfg(feature = "prompts")]
        Body::Messages {
            at,
            arguments,
            #[cfg(feature = "input")]
            retry,
        } => {
            let arguments = (!arguments.is_empty()).then(|| Value::checked(arguments.get(message)));
            let Some(prompt) = server.device.prompt(at) else {
                return reply;
            };
            #[cfg(not(feature = "input"))]
            crate::prompt::render(prompt, &mut server.app, now, arguments, result, outcome);
            #[cfg(feature = "input")]
            {
                let about = About {
                    principal: retry.principal,
                    kind: b'p',
                    at,
                    arguments: Arguments::Raw(arguments),
                };
                let state = retry.state.get(message);
                if let Err(fault) = questions::resume(&mut server.desk, now, state, about) {
                    return Reply {
                        body: Body::Fault(fault),
                        ..reply
                    };
                }
                let responses = (!retry.responses.is_empty() && !state.is_empty())
                    .then(|| Value::checked(retry.responses.get(message)));
                let inputs = Inputs::new(responses, retry.client);
                crate::prompt::render(
                    prompt,
                    &mut server.app,
                    now,
                    arguments,
                    inputs,
                    result,
                    outcome,
                );
                if outcome.asks() && !outcome.failed() {
                    if !reply.version.is_modern() {
                        outcome.refuse(result, |out| {
                            out.text("this prompt asks, which needs protocol version 2026-07-28");
                        });
                        return reply;
                    }
                    let body = questions::required(
                        &mut server.desk,
                        now,
                        Asking {
                            client: retry.client,
                            memo: 0,
                            about,
                            open: false,
                        },
                        outcome,
                        result,
                    );
                    return Reply {
                        body: body.unwrap_or(reply.body),
                        ..reply
                    };
                }
            }
        }
        _ => {}
    }
    reply
}

//! An answer whose body the application fills at once: a reading, a prompt.

use super::Server;
#[cfg(feature = "prompts")]
use crate::json::Value;
use crate::mcp::{Body, Reply};
use crate::time::Instant;
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
        Body::Messages { at, arguments } => {
            if let Some(prompt) = server.device.prompt(at) {
                let arguments =
                    (!arguments.is_empty()).then(|| Value::checked(arguments.get(message)));
                crate::prompt::render(prompt, &mut server.app, now, arguments, result, outcome);
            }
        }
        _ => {}
    }
    reply
}

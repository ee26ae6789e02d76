//! The OpenOperator profile: the program to try by hand, and what clients, a
//! browser and the qualification make of it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};

use agentmote::json::parse;

use crate::child::{self, Job, Log, Running};
use crate::demo;
use crate::interop;
use crate::packages;
use crate::paths;
use crate::python;
use crate::qualify::{self, ASSERTIONS};
use crate::stop::{Doing as _, Stop};

/// The secret of the tests.
const SECRET: &str = "kx-5e1f-secret-of-the-tests";

/// Where a proxy in front of it would stand.
const PUBLIC: &str = "https://operator.example";

/// The commit that is checked out; with what is not committed, no commit.
fn source_sha() -> Option<String> {
    let sha = Job::new("git").args(["rev-parse", "HEAD"]).output().ok()?;
    let changed = Job::new("git")
        .args(["status", "--porcelain", "--untracked-files=no"])
        .output()
        .ok()?;
    let dirty = if changed.trim().is_empty() {
        ""
    } else {
        "-dirty"
    };
    Some(format!("{}{dirty}", sha.trim()))
}

/// Builds the program, which then knows its commit.
pub(crate) fn build(log: &mut Log) -> Result<PathBuf, Stop> {
    let sha = source_sha().unwrap_or_else(|| "unknown".into());
    demo::build_with(
        "bench-arm-host",
        "openoperator",
        |job| job.env("AGENTMOTE_SOURCE_SHA", &sha),
        log,
    )
}

/// The program with the supervision on or off, and its URL.
fn serve(argus: bool, log: &mut Log) -> Result<(Running, u16, String), Stop> {
    let port = child::free_port()?;
    let mut server = Job::new(build(log)?)
        .args(["--port", &port.to_string()])
        .env(qualify::KEY, SECRET)
        .env("ARGUS_SUPERVISOR_ENABLED", if argus { "1" } else { "0" })
        .without_env("OPENTRAINING_A2A_URL")
        .serve(log)?;
    server.wait_for_port(port)?;
    Ok((server, port, format!("http://127.0.0.1:{port}")))
}

/// The contract's own example, with curl as it stands.
pub(crate) fn contract(log: &mut Log) -> Result<String, Stop> {
    packages::need(&[&packages::CURL], log)?;
    let script = paths::root().join("firmware-examples/hosted/tests/argus_example.sh");
    for (argus, state, wanted) in [
        (
            true,
            "\"state\":\"completed\"",
            "\"requestId\":\"argus-health-1\",\"ok\":true",
        ),
        (
            false,
            "\"state\":\"failed\"",
            "{\"error\":{\"code\":\"argus_supervisor_disabled\"},\"requestId\":\"argus-health-1\"}",
        ),
    ] {
        build(log)?;
        let port = child::free_port()?;
        let mut server = Job::new(std::env::current_exe()?)
            .args(["demo", "--openoperator", "--port", &port.to_string()])
            .args(["--public-url", PUBLIC])
            .env(qualify::KEY, SECRET)
            .env("ARGUS_SUPERVISOR_ENABLED", if argus { "1" } else { "0" })
            .without_env("OPENTRAINING_A2A_URL")
            .serve(log)?;
        server.wait_for_port(port)?;
        let url = format!("http://127.0.0.1:{port}");
        let card = Job::new("curl")
            .args(["-sS", &format!("{url}/a2a/.well-known/agent.json")])
            .output()?;
        if !card.contains(&format!("\"url\":\"{PUBLIC}/a2a/\"")) {
            return Err(Stop::Fail(format!(
                "the card does not say {PUBLIC}: {card}"
            )));
        }
        let text = Job::new("sh")
            .arg(&script)
            .env("OPENOPERATOR_URL", &url)
            .env(qualify::KEY, SECRET)
            .output()?;
        drop(server);
        log.line(&text)?;
        let fine = text.starts_with("{\"jsonrpc\":\"2.0\",\"id\":\"argus-health-1\",\"result\":{");
        if !fine
            || !text.contains(state)
            || !text.contains(wanted)
            || parse(text.as_bytes()).is_err()
        {
            return Err(Stop::Fail(format!("Argus {argus}: {text}")));
        }
    }
    Ok("enabled and disabled".into())
}

/// Clients of the older wire that others wrote.
pub(crate) fn clients(log: &mut Log) -> Result<String, Stop> {
    let python = python::older(log)?;
    let script = paths::root().join("tests/interop/python/openoperator.py");
    let mut sum = 0;
    for argus in [true, false] {
        let (server, _, url) = serve(argus, log)?;
        let before = log.text().len();
        Job::new(&python)
            .arg(&script)
            .arg(&url)
            .arg(if argus { "enabled" } else { "disabled" })
            .env(qualify::KEY, SECRET)
            .minutes(3)
            .run(log)?;
        drop(server);
        sum += interop::assertions(log.text().get(before..).unwrap_or_default());
    }
    if sum < 86 {
        return Err(Stop::Fail(format!(
            "ended well after only {sum} assertions"
        )));
    }
    Ok(format!("{sum} assertions"))
}

/// The qualification, of the program itself and of one that breaks each
/// assertion once.
pub(crate) fn qualification(log: &mut Log) -> Result<String, Stop> {
    packages::need(&[&packages::CURL], log)?;
    let sha = source_sha().unwrap_or_else(|| "unknown".into());
    for argus in [true, false] {
        let (server, port, url) = serve(argus, log)?;
        let (text, fine) = qualified(&url, &sha)?;
        let done = format!("done: {} assertions\n", ASSERTIONS.len());
        if !fine || !text.ends_with(&done) {
            return Err(Stop::Fail(format!("Argus {argus}: {text}")));
        }
        for (at, assertion) in ASSERTIONS.iter().enumerate() {
            let url = broken(port, at)?;
            let (text, fine) = qualified(&url, &sha)?;
            let wanted = ASSERTIONS[..at]
                .iter()
                .map(|one| format!("ok {}\n", one.name))
                .collect::<String>()
                + &format!("not ok {}\n", assertion.name);
            if fine || text != wanted {
                return Err(Stop::Fail(format!(
                    "the assertion {} is not broken by answer {at}:\n{text}",
                    assertion.name
                )));
            }
        }
        drop(server);
    }
    // Where nothing is asked, nothing is said but why.
    for url in [
        "host",
        "ftp://host",
        "https://",
        "https://user:word@host",
        "https://a b",
        "https://host/{a,b}",
        "http://host.example",
        "http://127.0.0.1.example",
    ] {
        if qualified(url, &sha)? != (String::new(), false) {
            return Err(Stop::Fail(format!("{url} is asked")));
        }
    }
    Ok(format!("{} assertions, each broken once", ASSERTIONS.len()))
}

/// What the command prints, and whether it ends with success.
fn qualified(url: &str, sha: &str) -> Result<(String, bool), Stop> {
    // What a user sets for curl does not touch it.
    let settings = paths::target().join("openoperator-curl");
    std::fs::create_dir_all(&settings)?;
    std::fs::write(settings.join(".curlrc"), "request = \"DELETE\"\nverbose\n")?;
    let job = Job::new(std::env::current_exe()?)
        .args(["qualify", url])
        .env("CURL_HOME", &settings)
        .env(qualify::KEY, SECRET)
        .env(qualify::SHA, sha);
    let (text, fine) = job.said()?;
    if text.contains(SECRET) {
        return Err(Stop::Fail("the qualification prints the secret".into()));
    }
    Ok((text, fine))
}

/// How an answer is spoiled.
enum Spoiled {
    Status(&'static str),
    Text(&'static str, &'static str),
    /// The secret stands in a header line.
    Told,
}

/// What breaks each assertion, and no assertion before it.
fn spoiled(name: &str) -> Spoiled {
    match name {
        "health_is_ok" => Spoiled::Text("\"ok\"", "\"no\""),
        "source_is_the_expected_commit" => Spoiled::Text("\"sourceSha\":\"", "\"sourceSha\":\"x"),
        "docs_are_a_page" => Spoiled::Text("POST /a2a/", "POST /a2a"),
        "a2a_docs_are_a_page" => Spoiled::Status("503 Service Unavailable"),
        "description_names_the_endpoint" => Spoiled::Text("\"/a2a/\"", "\"/a2a\""),
        "argus_profile_is_installed" => Spoiled::Text("\"installed\":true", "\"installed\":false"),
        "card_names_the_endpoint" => Spoiled::Text("/a2a/\"", "/a2a\""),
        "compatibility_card_is_the_same" => Spoiled::Text("OpenOperator", "OpenOperators"),
        "card_declares_both_credentials" => Spoiled::Text("X-API-KEY", "X-KEY"),
        "card_lists_exactly_the_skills" => Spoiled::Text(
            "\"skills\":[",
            "\"skills\":[{\"id\":\"argus_campaign_control\"},",
        ),
        "message_send_is_no_path" | "tasks_get_is_no_path" | "agent_card_is_no_path" => {
            Spoiled::Status("307 Temporary Redirect")
        }
        "no_credential_is_refused" | "wrong_bearer_is_refused" | "wrong_api_key_is_refused" => {
            Spoiled::Status("200 OK")
        }
        "bearer_is_accepted_without_a_redirect" => Spoiled::Status("308 Permanent Redirect"),
        "api_key_is_accepted" => Spoiled::Status("401 Unauthorized"),
        "snake_case_is_refused" => Spoiled::Text("-32602", "-32603"),
        "broken_envelope_is_invalid" => Spoiled::Text("invalid_argus", "inner_argus"),
        "supervisor_health_is_answered" | "older_request_id_is_answered" => {
            // That of the answer, not that of the history.
            Spoiled::Text("\"requestId\":\"qualify\"", "\"request_id\":\"qualify\"")
        }
        "campaign_control_is_not_accepted" => {
            Spoiled::Text("\"state\":\"failed\"", "\"state\":\"completed\"")
        }
        "secret_is_never_told" => Spoiled::Told,
        // An assertion without a fault of its own is one that is not shown.
        _ => Spoiled::Text("", ""),
    }
}

/// A server before the program at `port`, which spoils the answer to one
/// request, counted from 0; gives its URL.
fn broken(port: u16, at: usize) -> Result<String, Stop> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).doing("a broken server")?;
    let url = format!("http://{}", listener.local_addr()?);
    let name = ASSERTIONS[at].name;
    std::thread::spawn(move || {
        // The last answer is the one before that the client gives up.
        for turn in 0..=at {
            let Ok((mut client, _)) = listener.accept() else {
                return;
            };
            let answer = forward(&mut client, port);
            let Ok((mut head, mut body)) = answer else {
                return;
            };
            if turn == at {
                match spoiled(name) {
                    Spoiled::Status(status) => {
                        let rest = head.split_once("\r\n").map_or("", |(_, rest)| rest);
                        head = format!("HTTP/1.1 {status}\r\n{rest}");
                    }
                    Spoiled::Text(from, to) => body = body.replace(from, to),
                    Spoiled::Told => head += &format!("X-Debug: {SECRET}\r\n"),
                }
            }
            let length = body.len();
            let _ = write!(
                client,
                "{head}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
            );
        }
    });
    Ok(url)
}

/// Sends a request on to the program; gives the lines of the answer's head
/// but its length, and its body.
fn forward(client: &mut TcpStream, port: u16) -> std::io::Result<(String, String)> {
    let (head, body) = message(client)?;
    let mut server = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
    let length = body.len();
    write!(server, "{head}Content-Length: {length}\r\n\r\n{body}")?;
    message(&mut server)
}

/// One HTTP message whose length, if it has a body, is told.
fn message(stream: &mut TcpStream) -> std::io::Result<(String, String)> {
    let mut lines = BufReader::new(stream);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        lines.read_line(&mut line)?;
        if line.trim_end().is_empty() {
            break;
        }
        let (name, value) = line.split_once(':').unwrap_or((&line, ""));
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().unwrap_or(0);
        } else if !name.eq_ignore_ascii_case("connection") {
            head += &line;
        }
    }
    let mut body = vec![0; length];
    lines.read_exact(&mut body)?;
    Ok((head, String::from_utf8_lossy(&body).into_owned()))
}

/// The pages in a real browser: their text, their links, and how they look.
pub(crate) fn browser(log: &mut Log) -> Result<String, Stop> {
    packages::need(&[&packages::CHROMIUM, &packages::CURL], log)?;
    let (server, _, url) = serve(true, log)?;
    let folder = paths::target().join("openoperator-browser");
    if folder.exists() {
        std::fs::remove_dir_all(&folder).doing(folder.display())?;
    }
    std::fs::create_dir_all(&folder).doing(folder.display())?;
    for (page, texts) in [
        (
            "/docs",
            &[
                "<h1>OpenOperator</h1>",
                "<code>argus_campaign_list</code>",
                "<a href=\"/a2a/.well-known/agent.json\">/a2a/.well-known/agent.json</a>",
                "<a href=\"/health\">/health</a>",
                "-H \"Authorization: Bearer $SPYNEL_AGENT_ZERO_API_KEY\"",
            ][..],
        ),
        (
            "/a2a/docs",
            &[
                "<h1>OpenOperator</h1>",
                "<code>POST /a2a/</code>",
                "<a href=\"/docs/a2a.json\">/docs/a2a.json</a>",
                "\"acceptedOutputModes\": [\"application/json\"]",
            ][..],
        ),
    ] {
        let name = page.trim_start_matches('/').replace('/', "-");
        let dom = chromium(&folder.join(format!("{name}-text")))
            .args(["--dump-dom", &format!("{url}{page}")])
            .output()?;
        for text in texts {
            if !dom.contains(text) {
                return Err(Stop::Fail(format!("{page} does not show {text}: {dom}")));
            }
        }
        let links: Vec<&str> = dom
            .split("<a href=\"")
            .skip(1)
            .filter_map(|rest| rest.split('"').next())
            .collect();
        if links.len() < 6 {
            return Err(Stop::Fail(format!("{page} has links {links:?} alone")));
        }
        for link in links {
            let status = Job::new("curl")
                .args([
                    "--silent",
                    "--output",
                    "/dev/null",
                    "--write-out",
                    "%{http_code}",
                ])
                .arg(format!("{url}{link}"))
                .output()?;
            if status != "200" {
                return Err(Stop::Fail(format!("{page} leads to {link}: {status}")));
            }
        }
        let shot = folder.join(format!("{name}.png"));
        chromium(&folder.join(format!("{name}-look")))
            .args(["--window-size=800,600", "--hide-scrollbars"])
            .arg(format!("--screenshot={}", shot.display()))
            .arg(format!("{url}{page}"))
            .run(log)?;
        looks_like_text(&std::fs::read(&shot).doing(shot.display())?)
            .map_err(|why| Stop::Fail(format!("{}: {why}", shot.display())))?;
    }
    drop(server);
    Ok("two pages, their links and their screenshots".into())
}

/// Chromium, which nobody has used before and which asks nobody else.
fn chromium(profile: &Path) -> Job {
    Job::new("chromium")
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--force-device-scale-factor=1",
        ])
        .arg(format!("--user-data-dir={}", profile.display()))
        .minutes(2)
}

/// Whether a PNG is as large as the window, and more than a blank one: a page
/// of one colour packs into less than a tenth of that.
fn looks_like_text(png: &[u8]) -> Result<(), String> {
    const WINDOW: (u32, u32) = (800, 600);
    const LEAST: usize = 15_000;
    let number = |at: usize| {
        let bytes = png.get(at..at + 4)?;
        Some(u32::from_be_bytes(bytes.try_into().ok()?))
    };
    if !png.starts_with(b"\x89PNG\r\n\x1a\n") {
        return Err("no PNG".into());
    }
    let size = number(16).zip(number(20));
    if size != Some(WINDOW) {
        return Err(format!("is {size:?}, not {WINDOW:?}"));
    }
    if png.len() < LEAST {
        return Err(format!("{} bytes: nothing is to be seen", png.len()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_assertion_has_a_fault() {
        for assertion in ASSERTIONS {
            let none = matches!(spoiled(assertion.name), Spoiled::Text("", ""));
            assert!(!none, "{}", assertion.name);
        }
    }

    #[test]
    fn a_blank_screenshot_is_told_apart() {
        let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x03\x20\0\0\x02\x58".to_vec();
        assert!(looks_like_text(&png).is_err_and(|why| why.contains("nothing")));
        png.resize(20_000, 7);
        assert_eq!(looks_like_text(&png), Ok(()));
        png[19] = 0;
        assert!(looks_like_text(&png).is_err());
        assert!(looks_like_text(b"GIF").is_err());
    }
}

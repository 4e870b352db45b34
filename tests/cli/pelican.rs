//! The main test workspace, with overlays of every layer.

use serde_json::Value;

use crate::project::TestProject;

pub(crate) const DATE: &str = "2026-03-01";

const FILES: [(&str, &str); 25] = [
    (
        ".faber/config.yml",
        "platforms: { issue-manager: ticketyard }\n\
         settings: { organization: pelican, team: routing, workflow: release }\n\
         access: { user: noor, groups: [engineering, routing] }\n\
         mcp_servers:\n\
         \x20 ticketyard-server:\n\
         \x20   url: https://mcp.pelican.example\n\
         \x20   config: { api_key: \"${TICKETYARD_KEY}\" }\n",
    ),
    (
        "roles/issue-manager/agent.yml",
        "name: issue-manager\n\
         type: role\n\
         description: Keeps the issues of Pelican Post in order\n\
         platforms: [ticketyard, github]\n\
         default_platform: github\n\
         platform_config_key: issue-manager\n",
    ),
    (
        "roles/issue-manager/prompt.md",
        "# Issue manager\n\n\
         You look after the issues of Pelican Post on {detected}.\n\n\
         ## Specialists\n\n\
         | Keywords | Specialist Context |\n\
         |---|---|\n\
         | invoice, refund | specialist-billing.md |\n\n\
         - \"customs\" | \"tariff\" → Load specialist-customs.md\n\n\
         ## Failures\n\n\
         | Error Type | Troubleshooting Context |\n\
         |---|---|\n\
         | RateLimitError | troubleshooting-rate-limits.md |\n\n\
         ## Answers\n\n\
         Number every step.\n",
    ),
    (
        "roles/issue-manager/tasks/triage.md",
        "# Triage\n\nSort the inbox. Load `playbook-triage.md` first.\n",
    ),
    ("roles/issue-manager/flows/week.md", "# Week\n\n1. Triage\n2. Plan\n"),
    (
        "roles/issue-manager/contexts/platforms/platform-ticketyard.md",
        "---\n\
         mcp_server: ticketyard-server\n\
         required_tools: [create_card, move_card]\n\
         fallback: cli\n\
         ---\n\
         # Ticketyard\n\n\
         Cards lie on boards.\n\n\
         ## Labels\n\n\
         - **bug**: something is broken\n\
         - **idea**: something could be better\n\n\
         ## Columns\n\n\
         Inbox, Doing, Done.\n",
    ),
    ("roles/issue-manager/contexts/platforms/platform-github.md", "# GitHub\n\nUse `gh`.\n"),
    (
        "roles/issue-manager/contexts/specialists/specialist-billing.md",
        "---\nkeywords: ['\"VAT\"']\nrelated: [reference-depots.md]\n---\n\
         # Billing\n\nA refund needs the invoice number.\n",
    ),
    (
        "roles/issue-manager/contexts/specialists/specialist-customs.md",
        "# Customs\n\nName the tariff code.\n",
    ),
    (
        "roles/issue-manager/contexts/troubleshooting/troubleshooting-rate-limits.md",
        "---\nessence: Wait when the tracker refuses.\n---\n# Rate limits\n\nWait a minute.\n",
    ),
    (
        "roles/issue-manager/contexts/playbooks/playbook-triage.md",
        "# Triage by hand\n\n1. Read\n2. Label\n",
    ),
    ("contexts/standards/standards-titles.md", "# Titles\n\n- Use the imperative.\n"),
    (
        "contexts/standards/standards-privacy.md",
        "---\nsealed: true\n---\n# Privacy\n\nNever copy addresses.\n",
    ),
    ("contexts/references/reference-depots.md", "# Depots\n\nThere are three depots.\n"),
    (
        "contexts/patterns/pattern-migrations.md",
        "---\nglobs: db/**/*.sql\n---\n# Migrations\n\nOne change a file.\n",
    ),
    (
        ".faber/overlays/organization/config.yml",
        "custom_contexts: [.faber/custom/playbook-strike.md]\n",
    ),
    (".faber/custom/playbook-strike.md", "# Strike\n\nTell the depots.\n"),
    (
        ".faber/overlays/organization/contexts/references/reference-glossary.md",
        "# Glossary\n\nA *run* is one tour of a van.\n",
    ),
    (
        ".faber/overlays/organization/contexts/platforms/platform-ticketyard.md",
        "---\nstrategy: merge\nrequired_tools: [archive_card]\n---\n\
         # Ticketyard at Pelican\n\n## Labels\n\n\
         - **bug**: a parcel goes astray\n- **customer**: a customer waits\n",
    ),
    (
        ".faber/overlays/platforms/ticketyard/contexts/standards/standards-boards.md",
        "# Boards\n\nOne board for each depot.\n",
    ),
    (
        ".faber/overlays/roles/issue-manager/contexts/standards/standards-titles.md",
        "---\nstrategy: append\n---\n# Titles\n\n- Use the imperative.\n- Name the depot.\n",
    ),
    (
        ".faber/overlays/teams/routing/contexts/standards/standards-titles.md",
        "---\nstrategy: append\n---\n# Titles\n\n- Name the run.\n",
    ),
    (
        ".faber/overlays/workflows/release/contexts/standards/standards-titles.md",
        "---\nstrategy: append\n---\n# Titles\n\n- Name the release.\n",
    ),
    (
        ".faber/overlays/users/noor/contexts/standards/standards-titles.md",
        "---\nstrategy: append\n---\n# Titles\n\n- Sign with N.\n",
    ),
    (
        ".faber/overlays/users/rafa/contexts/standards/standards-titles.md",
        "# Titles\n\nAs you like.\n",
    ),
];

pub(crate) fn pelican() -> TestProject {
    FILES
        .iter()
        .fold(TestProject::new(), |project, (path, text)| project.file(path, text))
        .env("TICKETYARD_KEY", "hunter2")
}

pub(crate) fn pelican_backwards() -> TestProject {
    FILES
        .iter()
        .rev()
        .fold(TestProject::new(), |project, (path, text)| project.file(path, text))
        .env("TICKETYARD_KEY", "hunter2")
}

#[track_caller]
pub(crate) fn bundle(project: &TestProject, arguments: &[&str]) -> Value {
    let head = ["assemble", "issue-manager", "--at", DATE, "--format", "json"];
    project.json(&[&head, arguments].concat())
}

pub(crate) fn ids<'a>(bundle: &'a Value, list: &str) -> Vec<&'a str> {
    bundle[list].as_array().unwrap().iter().map(|entry| entry["id"].as_str().unwrap()).collect()
}

#[track_caller]
pub(crate) fn reasons<'a>(bundle: &'a Value, id: &str) -> Vec<&'a str> {
    let context = entry(bundle, "contexts", id);
    let reasons = context["reasons"].as_array().unwrap();
    reasons.iter().map(|reason| reason["kind"].as_str().unwrap()).collect()
}

#[track_caller]
pub(crate) fn entry<'a>(bundle: &'a Value, list: &str, id: &str) -> &'a Value {
    let found = bundle[list].as_array().unwrap().iter().find(|entry| entry["id"] == id);
    found.unwrap_or_else(|| panic!("no `{id}` in {list}: {:?}", ids(bundle, list)))
}

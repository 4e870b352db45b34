//! Bundles as XML and text.

use super::*;

#[test]
fn a_bundle_in_xml() {
    assert_cmd_snapshot!(pelican().faber(&[&REQUEST[..], &["--format", "xml"]].concat()), @r#"
    success: true
    exit_code: 0
    ----- stdout -----
    <role>
    # Issue manager

    You look after the issues of Pelican Post on ticketyard.

    ## Answers

    Number every step.
    </role>

    <context id="platform/ticketyard" source="roles/issue-manager/contexts/platforms/platform-ticketyard.md + .faber/overlays/organization/contexts/platforms/platform-ticketyard.md" layer="organization">
    # Ticketyard

    Cards lie on boards.

    ## Labels

    - **bug**: a parcel goes astray
    - **idea**: something could be better
    - **customer**: a customer waits

    ## Columns

    Inbox, Doing, Done.

    MCP server `ticketyard-server` with `create_card`, `move_card`, `archive_card`; the fallback is `cli`.
    </context>

    <context id="reference/glossary" source=".faber/overlays/organization/contexts/references/reference-glossary.md" layer="organization">
    # Glossary

    A *run* is one tour of a van.
    </context>

    <context id="standard/boards" source=".faber/overlays/platforms/ticketyard/contexts/standards/standards-boards.md" layer="platform">
    # Boards

    One board for each depot.
    </context>

    <context id="standard/privacy" source="contexts/standards/standards-privacy.md" layer="project">
    # Privacy

    Never copy addresses.
    </context>

    <context id="standard/titles" source="contexts/standards/standards-titles.md + .faber/overlays/roles/issue-manager/contexts/standards/standards-titles.md + .faber/overlays/teams/routing/contexts/standards/standards-titles.md + .faber/overlays/workflows/release/contexts/standards/standards-titles.md + .faber/overlays/users/noor/contexts/standards/standards-titles.md" layer="user">
    # Titles

    - Use the imperative.
    - Name the depot.
    - Name the run.
    - Name the release.
    - Sign with N.
    </context>

    <context id="specialist/billing" source="roles/issue-manager/contexts/specialists/specialist-billing.md" layer="role">
    # Billing

    A refund needs the invoice number.
    </context>

    <context id="specialist/customs" source="roles/issue-manager/contexts/specialists/specialist-customs.md" layer="role">
    # Customs

    Name the tariff code.
    </context>

    <context id="playbook/strike" source=".faber/custom/playbook-strike.md" layer="custom">
    # Strike

    Tell the depots.
    </context>

    <context id="reference/depots" source="contexts/references/reference-depots.md" layer="project">
    # Depots

    There are three depots.
    </context>

    <catalog>
    Available, not loaded. `faber search WORDS` searches all contexts and reference files, `faber expand ID` prints one.

    - Role (issue-manager): 1 platform, 1 playbook, 1 troubleshooting guide; topics: github, limits, rate, triage
    - Workspace: 1 pattern; topics: migrations

    - `troubleshooting/rate-limits`: Wait when the tracker refuses. (on: RateLimitError)
    - `pattern/migrations`: One change a file.
    - `playbook/triage`: Triage by hand
    - `platform/github`: Use `gh`.
    </catalog>

    <request>
    A refund for the tariff
    </request>

    ----- stderr -----
    "#);
}

#[test]
fn a_bundle_in_text() {
    assert_cmd_snapshot!(pelican().faber(&[&REQUEST[..], &["--format", "text"]].concat()), @"
    success: true
    exit_code: 0
    ----- stdout -----
    # Issue manager

    You look after the issues of Pelican Post on ticketyard.

    ## Failures

    | Error Type | Troubleshooting Context |
    |---|---|
    | RateLimitError | troubleshooting-rate-limits.md |

    ## Answers

    Number every step.

    # Ticketyard

    Cards lie on boards.

    ## Labels

    - **bug**: a parcel goes astray
    - **idea**: something could be better
    - **customer**: a customer waits

    ## Columns

    Inbox, Doing, Done.

    MCP server `ticketyard-server` with `create_card`, `move_card`, `archive_card`; the fallback is `cli`.

    # Glossary

    A *run* is one tour of a van.

    # Boards

    One board for each depot.

    # Privacy

    Never copy addresses.

    # Titles

    - Use the imperative.
    - Name the depot.
    - Name the run.
    - Name the release.
    - Sign with N.

    # Billing

    A refund needs the invoice number.

    # Customs

    Name the tariff code.

    # Strike

    Tell the depots.

    # Depots

    There are three depots.

    A refund for the tariff

    ----- stderr -----
    ");
}

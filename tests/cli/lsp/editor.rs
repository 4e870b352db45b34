//! Neovim, if installed.

use std::process::Command;

use crate::project::TestProject;

const PROMPT: &str = "# Clerk\n\n- \"stamp\" → Load `specialist-stamps.md`\n";
const STAMPS: &str = "---\ndescription: Which stamps\ntags: post\n---\n# Stamps\n\nOne stamp. See `specialist/none`.\n";

const SCRIPT: &str = r#"
local function check(ok, what)
  if not ok then
    io.stderr:write("editor: " .. what .. "\n")
    vim.cmd("cquit 1")
  end
end
local function wait(what, ready)
  check(vim.wait(30000, ready, 20), "waited in vain for " .. what)
end
local function position(line, column)
  return { textDocument = vim.lsp.util.make_text_document_params(),
           position = { line = line, character = column } }
end
local function ask(method, params)
  local answers = vim.lsp.buf_request_sync(0, method, params, 30000)
  local _, answer = next(answers or {})
  check(answer and not answer.err, method .. ": " .. vim.inspect(answer))
  return answer.result
end
local function run()
  local root = vim.env.FABER_TEST_ROOT
  vim.cmd("edit " .. root .. "/roles/clerk/prompt.md")
  local id = vim.lsp.start_client({
    name = "faber", cmd = { vim.env.FABER_TEST_PROGRAM, "lsp" }, root_dir = root,
  })
  check(id, "no client")
  vim.lsp.buf_attach_client(0, id)
  wait("the server", function()
    local client = vim.lsp.get_client_by_id(id)
    local can = client and (client.server_capabilities or client.resolved_capabilities)
    return can and client.initialized ~= false
  end)
  local hover = ask("textDocument/hover", position(2, 26))
  check(hover.contents.value:find("specialist/stamps", 1, true), "hover " .. vim.inspect(hover))
  local places = ask("textDocument/definition", position(2, 26))
  check(places[1].uri:find("specialist%-stamps.md$"), "definition " .. vim.inspect(places))
  vim.api.nvim_buf_set_lines(0, 2, 3, true, { '- "glue" → Load `specialist-glue.md`' })
  local function finds(rule)
    for _, found in ipairs(vim.diagnostic.get(0)) do
      if found.code == rule or (found.user_data and found.user_data.lsp.code == rule) then
        return found
      end
    end
  end
  wait("a finding", function() return finds("dangling-reference") end)
  check(finds("dangling-reference").lnum == 2, "its line")
  vim.cmd("edit! " .. root .. "/contexts/specialists/specialist-stamps.md")
  vim.lsp.buf_attach_client(0, id)
  wait("a finding", function() return finds("wrong-field-type") end)
  local params = { textDocument = vim.lsp.util.make_text_document_params(),
    range = { start = { line = 2, character = 0 }, ["end"] = { line = 2, character = 3 } },
    context = { diagnostics = {} } }
  local applied = false
  for _, action in ipairs(ask("textDocument/codeAction", params)) do
    if action.title:find("^Fix `wrong%-field%-type`") then
      vim.lsp.util.apply_workspace_edit(action.edit, "utf-16")
      applied = true
    end
  end
  check(applied, "no action")
  check(vim.api.nvim_buf_get_lines(0, 2, 3, true)[1] == "tags: [post]", "the edit")
  wait("the finding to go", function() return not finds("wrong-field-type") end)
  vim.api.nvim_buf_set_lines(0, 2, 2, true, { "status: " })
  local items = ask("textDocument/completion", position(2, 8))
  local labels = {}
  for _, item in ipairs(items.items or items) do labels[item.label] = true end
  check(labels.draft and labels.approved, "completion " .. vim.inspect(items))
  vim.lsp.stop_client(id)
  wait("the server to end", function() return vim.lsp.get_client_by_id(id) == nil or vim.lsp.client_is_stopped(id) end)
end
local ok, why = xpcall(run, debug.traceback)
check(ok, tostring(why))
vim.cmd("qall!")
"#;

#[test]
fn neovim_works_with_it() {
    if Command::new("nvim").arg("--version").output().is_err() {
        eprintln!("skipped: there is no `nvim`");
        return;
    }
    let project = TestProject::new()
        .file("roles/clerk/prompt.md", PROMPT)
        .file("contexts/specialists/specialist-stamps.md", STAMPS)
        .file("script.lua", SCRIPT);
    let output = Command::new("nvim")
        .args(["--headless", "--clean", "-n", "-c", "set hidden", "-c"])
        .arg(format!("luafile {}", project.path("script.lua").display()))
        .env("FABER_TEST_ROOT", project.path("").canonicalize().unwrap())
        .env("FABER_TEST_PROGRAM", env!("CARGO_BIN_EXE_faber"))
        .env("HOME", project.path(""))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && !said.contains("editor:"), "{said}");
}

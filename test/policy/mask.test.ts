/**
 * Secrets stood in the audit: of flags in quotes, of `--bearer`, after `aws configure set` and `npm
 * config set`, as the user of a URL, and after the first word of a header. Later, in shell command
 * lines, those of a user joined to curl's -u, as in `curl -ume:SECRET`, or after several short
 * flags in one word.
 */
import { describe, expect, test } from "bun:test";
import { maskArgv } from "../../src/platform/log/mask.ts";

const SECRET = "pl4nted";

const line = (text: string): string[] => ["sh", "-c", text];

describe("A secret is masked", () => {
  test.each<[string[], string[]]>([
    [line(`curl "--token=${SECRET}" x`), line('curl "--token=***" x')],
    [line(`curl "--token=two ${SECRET}" x`), line('curl "--token=***" x')],
    [line(`curl --token '${SECRET}' x`), line("curl --token *** x")],
    [line(`curl "--token" "${SECRET}" x`), line('curl "--token" *** x')],
    [line(`curl '--token' ${SECRET} x`), line("curl '--token' *** x")],
    [line(`PASSWORD=two\\ ${SECRET} psql`), line("PASSWORD=*** psql")],
    [line(`PASSWORD="two"'${SECRET}' psql`), line("PASSWORD=*** psql")],
    [
      ["curl", `--password=two ${SECRET}`],
      ["curl", "--password=***"],
    ],
    [
      ["env", `DB_PASSWORD=two ${SECRET}`, "psql"],
      ["env", "DB_PASSWORD=***", "psql"],
    ],
    [
      ["curl", "--bearer", SECRET, "x"],
      ["curl", "--bearer", "***", "x"],
    ],
    [
      ["curl", "--oauth2-bearer", SECRET, "x"],
      ["curl", "--oauth2-bearer", "***", "x"],
    ],
    [line(`curl --oauth2-bearer=${SECRET} x`), line("curl --oauth2-bearer=*** x")],
    [
      ["aws", "configure", "set", "aws_secret_access_key", SECRET],
      ["aws", "configure", "set", "aws_secret_access_key", "***"],
    ],
    [
      ["aws", "configure", "set", "--profile", "p", "aws_session_token", SECRET],
      ["aws", "configure", "set", "--profile", "p", "aws_session_token", "***"],
    ],
    [
      ["aws", "configure", "set", "aws_secret_access_key", "--profile", "p", SECRET],
      ["aws", "configure", "set", "aws_secret_access_key", "--profile", "***", "***"],
    ],
    [
      line(`aws configure set aws_secret_access_key --profile p ${SECRET}; ls`),
      line("aws configure set aws_secret_access_key ***; ls"),
    ],
    [line(`curl --bearer 'unclosed ${SECRET}`), line("curl --bearer ***")],
    [
      ["http", "host", "Authorization:", SECRET],
      ["http", "host", "Authorization:", "***"],
    ],
    [
      ["curl", `-ume:${SECRET}`, "x"],
      ["curl", "-ume:***", "x"],
    ],
    [
      ["curl", `-sume:${SECRET}`, "x"],
      ["curl", "-sume:***", "x"],
    ],
    [
      ["curl", "-sSu", `me:${SECRET}`, "x"],
      ["curl", "-sSu", "me:***", "x"],
    ],
    [
      ["curl", `-u${SECRET}:`, "x"],
      ["curl", "-u***:", "x"],
    ],
    [line(`curl -ume:${SECRET} x`), line("curl -ume:*** x")],
    [line(`curl -Ume:${SECRET}`), line("curl -Ume:***")],
    [line(`curl -sSLume:${SECRET} x; ls`), line("curl -sSLume:*** x; ls")],
    [line(`curl -su me:${SECRET} x`), line("curl -su me:*** x")],
    [line(`curl -u  me:${SECRET} x`), line("curl -u  me:*** x")],
    [line(`curl -u"me:two ${SECRET}" x`), line('curl -u"me:***" x')],
    [line(`curl "-ume:two ${SECRET}" x`), line('curl "-ume:***" x')],
    [line(`curl '-ume:two ${SECRET}' x`), line("curl '-ume:***' x")],
    [line(`curl -ume:"two ${SECRET}" x`), line("curl -ume:*** x")],
    [line(`curl -u me:'two ${SECRET}' x`), line("curl -u me:*** x")],
    [line(`curl -ume:two\\ ${SECRET} x`), line("curl -ume:*** x")],
    [line(`curl -u${SECRET}: x`), line("curl -u***: x")],
    [line(`curl --user=me:${SECRET} x`), line("curl --user=me:*** x")],
    [line(`sh -c "id -u"; curl -ume:${SECRET} x`), line('sh -c "id -u"; curl -ume:*** x')],
    [line(`bash -lc 'curl -ume:${SECRET} x'`), line("bash -lc 'curl -ume:*** x'")],
    [line(`aws configure set aws_secret_access_key ${SECRET}`), line("aws configure set aws_secret_access_key ***")],
    [
      ["npm", "config", "set", "//registry.npmjs.org/:_authToken", SECRET],
      ["npm", "config", "set", "//registry.npmjs.org/:_authToken", "***"],
    ],
    [
      ["npm", "config", "set", `//registry.npmjs.org/:_authToken=${SECRET}`],
      ["npm", "config", "set", "//registry.npmjs.org/:_authToken=***"],
    ],
    [line(`npm config set "//r.org/:_authToken" ${SECRET}`), line('npm config set "//r.org/:_authToken" ***')],
    [
      ["git", "clone", `https://${SECRET}@github.com/a/b`],
      ["git", "clone", "https://***@github.com/a/b"],
    ],
    [
      ["git", "clone", `https://${SECRET}:x-oauth-basic@github.com/a/b`],
      ["git", "clone", "https://***:x-oauth-basic@github.com/a/b"],
    ],
    [
      ["git", "clone", `https://me:with@${SECRET}@host/a`],
      ["git", "clone", "https://me:***@host/a"],
    ],
    [line(`git clone https://${SECRET}@host/a`), line("git clone https://***@host/a")],
    [
      ["curl", "-u", `${SECRET}:`, "x"],
      ["curl", "-u", "***:", "x"],
    ],
    [
      ["curl", `--header=Authorization: Bearer ${SECRET}`],
      ["curl", "--header=Authorization: ***"],
    ],
    [
      ["curl", `--header=Authorization:${SECRET}`],
      ["curl", "--header=Authorization:***"],
    ],
    [
      ["curl", "-H", `Authorization: Digest user=me, response=${SECRET}`],
      ["curl", "-H", "Authorization: ***"],
    ],
    [
      ["curl", `-HAuthorization: Bearer ${SECRET}`],
      ["curl", "-HAuthorization: ***"],
    ],
    [line(`curl -H "Authorization: Bearer ${SECRET}" x`), line('curl -H "Authorization: ***" x')],
    [line(`curl --header="Authorization: ApiKey me ${SECRET}" x`), line('curl --header="Authorization: ***" x')],
    [line(`curl -H 'Cookie: a=b; c=${SECRET}' x`), line("curl -H 'Cookie: ***' x")],
    [
      ["curl", "-H", `X-Api-Key: two ${SECRET}`],
      ["curl", "-H", "X-Api-Key: ***"],
    ],
    [
      ["curl", "-d", `{"user": "me", "password": "with\\" ${SECRET}", "n": 1}`],
      ["curl", "-d", '{"user": "me", "password": ***, "n": 1}'],
    ],
    [line(`curl -H "X-Other: Bearer ${SECRET}0123456789" x`), line('curl -H "X-Other: ***" x')],
  ])("%j", (argv, masked) => {
    expect(maskArgv(argv)).toEqual(masked);
    expect(JSON.stringify(masked)).not.toContain(SECRET);
  });
});

describe("Other words stay readable", () => {
  test.each([
    [["git", "commit", "-m", "mend the tokenizer"]],
    [["git", "clone", "ssh://git@github.com/a/b"]],
    [["git", "clone", "https://git@github.com/a/b"]],
    [["git", "clone", "git@github.com:a/b"]],
    [["git", "config", "user.name", "Me"]],
    [["psql", "postgres://me@host/db"]],
    [["curl", "https://host/@scope/name?a=b"]],
    [["curl", "-H", "Accept: text/html"]],
    [["aws", "configure", "set", "region", "eu-west-1"]],
    [["npm", "config", "set", "registry", "https://registry.npmjs.org/"]],
    [["npm", "install", "@scope/token-lib"]],
    [["docker", "run", "-u", "1000:1000", "image"]],
    [["docker", "run", "-u1000:1000", "image"]],
    [line("docker run -u1000:1000 image && docker run -u '0:0' image")],
    [line("du -sh u:v; id -u; java -Xrunjdwp:transport=x -source:8")],
    [["git", "clone", "ssh://me@host/a"]],
    [["ssh-add", "--key-file", "id"]],
    [["ssh", "-i", "key", "host"]],
    [["grep", "-r", "password", "src"]],
    [line("set -e; cat token.txt")],
    [line("FOO=bar make password")],
    [line("echo the bearer of news; cat <<END\nthe secret of bread\nEND")],
  ])("%j", (argv) => {
    expect(maskArgv(argv)).toEqual(argv);
  });
});

test("An argument of 300 KB made of prefixes of secrets is masked within the test's time", () => {
  const beginnings = [
    'token="',
    "://",
    "--token ",
    "https://",
    "token 'x",
    '"token=',
    "token=\\",
    "set -x y token ",
    "-ua:",
    "-u.",
    "-ua:'",
    '"-u',
  ];
  for (const beginning of beginnings) {
    expect(maskArgv(line(beginning.repeat(300_000 / beginning.length)))).toHaveLength(3);
  }
});

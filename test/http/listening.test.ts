/** Where HTTP is served: what the configuration says, under which names, with a certificate or behind a proxy. */
import { afterEach, describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { until } from "../chaos/size.ts";
import { configure } from "../config/configure.ts";
import { dial, end } from "../daemon/household.ts";
import { failure } from "../client/failure.ts";
import { Bench, collect } from "../support/holt.ts";
import { HttpPlace, ownerToken } from "./http-place.ts";
import { freePort, logOf, ServedBench } from "./served.ts";

const LIST = "/api/v1/session/list";
const left: Bench[] = [];
afterEach(async () => {
  for (const bench of left.splice(0)) {
    await end(bench);
    bench[Symbol.dispose]();
  }
});

/** A daemon with that configuration, whether it serves anything or not. */
async function configured(toml: string): Promise<Bench> {
  const bench = Bench.withDaemon();
  left.push(bench);
  configure(bench, toml);
  await bench.run(["daemon"]);
  return bench;
}

async function served(bench: Bench): Promise<void> {
  await until("HTTP is served", () => logOf(bench).includes('"HTTP is served"'));
}

describe("http.listen", () => {
  test("is where the daemon serves from its start on", async () => {
    const port = await freePort();
    const bench = await configured(`http.listen = "127.0.0.1:${port}"\n`);
    await served(bench);
    const http = new HttpPlace(`http://127.0.0.1:${port}`, ownerToken(bench));
    expect(await http.post(LIST, {})).toMatchObject({ status: 200 });
    expect(JSON.parse((await bench.run(["web", "--no-open", "--json"])).text)).toMatchObject({
      port,
      was_running: true,
    });
  });

  test("that has changed counts with the next daemon, whatever the last one served", async () => {
    const bench = await configured("");
    const first = await HttpPlace.of(bench);
    const port = await freePort();
    configure(bench, `http.listen = "127.0.0.1:${port}"\n`);
    bench.killDaemon();
    await bench.run(["daemon"]);
    const http = new HttpPlace(`http://127.0.0.1:${port}`, first.token);
    await until("the next serves there", async () => (await http.ask("/healthz").catch(() => null))?.status === 200);
    expect(await first.ask("/healthz").catch(() => null)).toBeNull();
  });

  test.each([
    ["127.0.0.2", "http://127.0.0.2"],
    ["[::1]", "http://[::1]"],
    ["localhost", "http://localhost"],
  ])("%s is loopback, and the link leads there", async (address, origin) => {
    const port = await freePort();
    const bench = await configured(`http.listen = "${address}:${port}"\n`);
    await served(bench);
    const { url } = JSON.parse((await bench.run(["web", "--no-open", "--json"])).text) as { url: string };
    expect(url).toBe(`${origin}:${port}/`);
    expect(await new HttpPlace(`${origin}:${port}`, ownerToken(bench)).post(LIST, {})).toMatchObject({ status: 200 });
  });

  test("at an address that others can reach is refused without http.expose, at the start and by holt web", async () => {
    const port = await freePort();
    const bench = await configured(`http.listen = "0.0.0.0:${port}"\n`);
    await until("it is told", () => logOf(bench).includes("http.listen is not a loopback address: 0.0.0.0"));
    expect(await isListening(port)).toBe(false);
    using client = await dial(bench);
    expect(await failure(client.call("web.start", {}))).toMatchObject({
      code: "EDENIED",
      hint: expect.stringContaining("http.expose = true"),
      details: { rule: "http.expose" },
    });
    expect(await bench.run(["web"])).toMatchObject({ exitCode: 1, text: "" });

    configure(bench, `[http]\nlisten = "0.0.0.0:${port}"\nexpose = true\nhosts = ["holt.example:${port}"]\n`);
    const { url } = await client.call("web.start", {});
    expect(url).toBe(`http://127.0.0.1:${port}/`);
    const http = new HttpPlace(`http://127.0.0.1:${port}`, ownerToken(bench));
    expect(await http.post(LIST, {})).toMatchObject({ status: 200 });
    expect(await http.post(LIST, {}, { token: null })).toMatchObject({ status: 401 });
    const named = (host: string) => http.post(LIST, {}, { headers: { host } });
    expect(await named(`holt.example:${port}`)).toMatchObject({ status: 200 });
    expect(await named(`other.example:${port}`)).toMatchObject({ status: 403 });
  });
});

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });
}

test("http.hosts are further names, for requests and for pages; any other is refused.", async () => {
  await using own = await ServedBench.open('http.hosts = ["holt.example.org"]\n');
  const { http } = own;
  const asked = async (host: string, origin?: string) =>
    (await http.post(LIST, {}, { headers: { host, ...(origin === undefined ? {} : { origin }) } })).status;
  expect(await asked("holt.example.org")).toBe(200);
  expect(await asked("HOLT.example.org", "https://holt.example.org")).toBe(200);
  expect(await asked("holt.example.org", "http://holt.example.org")).toBe(200);
  expect(await asked("holt.example.org.evil.example")).toBe(403);
  expect(await asked("holt.example.org:81")).toBe(403);
  expect(await asked("holt.example.org", "https://evil.example")).toBe(403);
  expect(await asked("holt.example.org", "null")).toBe(403);
  // A name that was taken out went on being served until the daemon was restarted.
  configure(own.bench, 'http.hosts = ["other.example.org"]\n');
  await http.post("/api/v1/shell/run", { argv: ["true"] });
  expect(await asked("holt.example.org")).toBe(403);
  expect(await asked("other.example.org")).toBe(200);
});

/** Signed by itself, for 127.0.0.1. */
function certificate(directory: string): { cert: string; key: string } {
  const [cert, key] = [join(directory, "cert.pem"), join(directory, "key.pem")];
  const made = Bun.spawnSync(
    // prettier-ignore
    [
      "openssl",
      "req",
      "-x509",
      "-newkey",
      "ec",
      "-pkeyopt",
      "ec_paramgen_curve:P-256",
      "-nodes",
      "-days",
      "1",
      "-subj",
      "/CN=127.0.0.1",
      "-addext",
      "subjectAltName=IP:127.0.0.1,DNS:holt.example.org",
      "-keyout",
      key,
      "-out",
      cert,
    ],
    { stdout: "ignore", stderr: "pipe" },
  );
  expect({ exitCode: made.exitCode, stderr: made.exitCode === 0 ? "" : made.stderr.toString() }).toEqual({
    exitCode: 0,
    stderr: "",
  });
  return { cert, key };
}

async function expectTerminal(http: HttpPlace, init: object): Promise<void> {
  const { body } = await http.post("/api/v1/pty/sessions", { cmd: ["cat"] }, init);
  const { id, token } = body.data as { id: string; token: string };
  const socket = new WebSocket(`${http.origin.replace("http", "ws")}/api/v1/pty/sessions/${id}/attach`, init);
  const heard = await new Promise<string>((resolve, reject) => {
    let text = "";
    const say = (message: object): void => socket.send(JSON.stringify(message));
    socket.addEventListener("open", () => say({ type: "attach", token }));
    socket.addEventListener("error", () => reject(new Error("no WebSocket")));
    socket.addEventListener("close", () => resolve(text));
    socket.addEventListener("message", ({ data }) => {
      const { type, data: bytes } = JSON.parse(String(data)) as { type: string; data?: string };
      if (type === "history") say({ type: "input", data: Buffer.from("over the wire\r").toString("base64") });
      if (type === "output") text += Buffer.from(bytes ?? "", "base64").toString();
      if (text.endsWith("over the wire\r\nover the wire\r\n")) say({ type: "detach" });
    });
  });
  expect(heard).toContain("over the wire\r\nover the wire\r\n");
  await http.ask(`/api/v1/pty/sessions/${id}`, { method: "DELETE", ...init });
}

describe("TLS", () => {
  test("is spoken with http.tls_cert and http.tls_key, by requests and WebSockets, and nothing else is", async () => {
    const bench = Bench.withDaemon();
    left.push(bench);
    const { cert, key } = certificate(bench.root);
    configure(bench, `[http]\ntls_cert = "${cert}"\ntls_key = "${key}"\n`);
    await bench.run(["daemon"]);
    const { text } = await bench.run(["web", "--no-open", "--port", "0"]);
    expect(text).toStartWith("https://127.0.0.1:");
    const { origin, port } = new URL(text.trim());
    const http = new HttpPlace(origin, ownerToken(bench));
    const tls = { tls: { ca: readFileSync(cert, "utf8") } };
    expect(await http.post(LIST, {}, tls)).toMatchObject({ status: 200 });
    await expectTerminal(http, tls);
    const own = { headers: { origin: origin.replace("https", "http") } };
    expect(await http.post(LIST, {}, { ...tls, ...own })).toMatchObject({ status: 403 });
    await failure(fetch(`http://127.0.0.1:${port}/healthz`));
    await failure(fetch(`${origin}/healthz`)); // nobody vouches for it
  });

  test("with half of it, or a file that is not there, is refused with what is missing", async () => {
    const bench = await configured('http.tls_cert = "/no/such.pem"\n');
    using client = await dial(bench);
    const refusal = () => failure(client.call("web.start", { port: 0 }));
    expect(await refusal()).toMatchObject({ message: "http.tls_cert and http.tls_key go together" });
    configure(bench, '[http]\ntls_cert = "/no/such.pem"\ntls_key = "/no/such.key"\n');
    expect(await refusal()).toMatchObject({ code: "EBADARGS", message: "cannot read /no/such.pem: ENOENT" });
    const path = join(bench.root, "nonsense.pem");
    writeFileSync(path, "nonsense");
    configure(bench, `[http]\ntls_cert = "${path}"\ntls_key = "${path}"\n`);
    const noPem = "http.tls_cert and http.tls_key are not a certificate and key in PEM";
    expect(await refusal()).toMatchObject({ code: "EBADARGS", message: noPem });
    const [one, other] = [join(bench.root, "one"), join(bench.root, "other")];
    for (const directory of [one, other]) mkdirSync(directory);
    configure(bench, `[http]\ntls_cert = "${certificate(one).cert}"\ntls_key = "${certificate(other).key}"\n`);
    expect(await refusal()).toMatchObject({
      code: "EBADARGS",
      message: "http.tls_key is not the key of http.tls_cert",
    });
  });
});

/** The example of docs/security.md, at a port of ours and with files of ours. */
function nginxConfiguration(bench: Bench, ports: { own: number; holt: string }): string {
  const docs = readFileSync(join(import.meta.dir, "../../docs/security.md"), "utf8");
  const [, example = ""] = /^```nginx\n([^]*?)^```/m.exec(docs) ?? [];
  const { cert, key } = certificate(bench.root);
  const site = example
    .replace("listen 443 ssl;", `listen 127.0.0.1:${ports.own} ssl;`)
    .replace("/etc/ssl/holt.example.org.pem", cert)
    .replace("/etc/ssl/holt.example.org.key", key)
    .replace("127.0.0.1:4658", `127.0.0.1:${ports.holt}`);
  const scratch = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  const paths = scratch.map((name) => `${name}_temp_path ${bench.root}/nginx/${name};`).join("\n");
  return `daemon off; worker_processes 1; pid ${bench.root}/nginx/pid; error_log ${bench.root}/nginx/error.log;
events { worker_connections 64; }
http { access_log off; ${paths}\n${site} }\n`;
}

test("Behind nginx, as docs/security.md has it, requests, answers that take their time, and terminals go through.", async () => {
  const own = await freePort();
  await using holt = await ServedBench.open(`http.hosts = ["holt.example.org:${own}"]\n`);
  const { bench, http } = holt;
  mkdirSync(join(bench.root, "nginx"));
  const path = join(bench.root, "nginx", "nginx.conf");
  writeFileSync(path, nginxConfiguration(bench, { own, holt: new URL(http.origin).port }));
  const nginx = Bun.spawn(["nginx", "-e", "stderr", "-p", join(bench.root, "nginx"), "-c", path], { stderr: "pipe" });
  try {
    await until("nginx listens", () => nginx.exitCode !== null || isListening(own));
    expect(nginx.exitCode).toBeNull();
    const proxied = new HttpPlace(`https://127.0.0.1:${own}`, http.token);
    const tls = { ca: readFileSync(join(bench.root, "cert.pem"), "utf8"), serverName: "holt.example.org" };
    const init = { tls, headers: { host: `holt.example.org:${own}` } };
    expect(await proxied.post(LIST, {}, init)).toMatchObject({ status: 200 });
    expect(await proxied.post(LIST, {}, { ...init, token: "wrong" })).toMatchObject({ status: 401 });
    expect(await proxied.post(LIST, {}, { ...init, headers: { host: `evil.example:${own}` } })).toMatchObject({
      status: 403,
    });
    expect(await proxied.post(LIST, { nonsense: "x".repeat(1_000_000) }, init)).toMatchObject({ status: 400 });
    await expectTerminal(proxied, init);
    const page = await proxied.ask("/", { ...init, token: null });
    expect(page).toMatchObject({ status: 200, text: expect.stringContaining("<!doctype html>") });
    const line = `curl -sS --cacert cert.pem --resolve holt.example.org:${own}:127.0.0.1 https://holt.example.org:${own}/healthz`;
    const { text } = await collect(["sh", "-c", line], { stdin: "", env: bench.env, cwd: bench.root });
    expect(JSON.parse(text)).toEqual({ apiVersion: "1.0", data: { status: "ok" } });
  } finally {
    nginx.kill("SIGTERM");
    await nginx.exited;
  }
});

import { expect, test } from "bun:test";
import { HoltError } from "../../src/protocol/types/errors.ts";
import type { Methods } from "../../src/surfaces/jsonrpc/calls.ts";
import { RpcConnection } from "../../src/surfaces/jsonrpc/rpc-connection.ts";

/** The methods that the examples of the JSON-RPC 2.0 specification call. */
const EXAMPLES: Record<string, (params: unknown) => unknown> = {
  subtract: (params) => {
    const [minuend, subtrahend] = Array.isArray(params)
      ? params
      : [(params as { minuend: number }).minuend, (params as { subtrahend: number }).subtrahend];
    return minuend - subtrahend;
  },
  sum: (params) => (params as number[]).reduce((sum, value) => sum + value, 0),
  get_data: () => ["hello", 5],
  update: () => null,
  notify_sum: () => null,
  notify_hello: () => null,
};

const methods: Methods = {
  knows: (method) => Object.hasOwn(EXAMPLES, method),
  logRefused: () => "r-1",
  async call(method, params) {
    const known = EXAMPLES[method];
    if (known === undefined) throw new HoltError("EBADARGS", `unknown method ${method}`);
    return known(params);
  },
};

/** The answers to a text, message by message, in either framing. */
async function answers(text: string, framing: "lines" | "headers"): Promise<unknown[]> {
  const sent: string[] = [];
  const over = Promise.withResolvers<void>();
  const conversation = new RpcConnection(methods, {
    send: (sending) => void sent.push(sending),
    unread: 0,
    pause() {},
    end: () => over.resolve(),
  });
  const line = text.replaceAll("\n", " ");
  conversation.receive(
    Buffer.from(framing === "lines" ? `${line}\n` : `Content-Length: ${Buffer.byteLength(line)}\r\n\r\n${line}`),
  );
  conversation.ended();
  await over.promise;
  const all = sent.join("");
  if (framing === "lines")
    return all
      .split("\n")
      .filter(Boolean)
      .map((each) => JSON.parse(each));
  return all
    .split(/Content-Length: \d+\r\n\r\n/)
    .filter(Boolean)
    .map((each) => JSON.parse(each));
}

const error = (code: number, id: unknown = null) => ({
  jsonrpc: "2.0",
  error: { code, message: expect.any(String), data: expect.anything() },
  id,
});
const result = (value: unknown, id: unknown) => ({ jsonrpc: "2.0", result: value, id });
const INVALID = error(-32600);

const CASES: [title: string, sent: string, answered: unknown[]][] = [
  ["positional parameters", '{"jsonrpc": "2.0", "method": "subtract", "params": [42, 23], "id": 1}', [result(19, 1)]],
  [
    "positional parameters, the other way",
    '{"jsonrpc": "2.0", "method": "subtract", "params": [23, 42], "id": 2}',
    [result(-19, 2)],
  ],
  [
    "named parameters",
    '{"jsonrpc": "2.0", "method": "subtract", "params": {"subtrahend": 23, "minuend": 42}, "id": 3}',
    [result(19, 3)],
  ],
  [
    "named parameters in another order",
    '{"jsonrpc": "2.0", "method": "subtract", "params": {"minuend": 42, "subtrahend": 23}, "id": 4}',
    [result(19, 4)],
  ],
  ["a notification", '{"jsonrpc": "2.0", "method": "update", "params": [1,2,3,4,5]}', []],
  ["a notification of an unknown method", '{"jsonrpc": "2.0", "method": "foobar"}', []],
  ["a call of an unknown method", '{"jsonrpc": "2.0", "method": "foobar", "id": "1"}', [error(-32601, "1")]],
  ["invalid JSON", '{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]', [error(-32700)]],
  ["an invalid request object", '{"jsonrpc": "2.0", "method": 1, "params": "bar"}', [INVALID]],
  [
    "a batch of invalid JSON",
    '[{"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"}, {"jsonrpc": "2.0", "method"]',
    [error(-32700)],
  ],
  ["an id that could not be sent back", '{"jsonrpc": "2.0", "method": "get_data", "id": 1e999}', [INVALID]],
  [
    "an id that would come back as another",
    '{"jsonrpc": "2.0", "method": "get_data", "id": 9007199254740993}',
    [INVALID],
  ],
  ["an empty array", "[]", [INVALID]],
  ["an invalid batch that is not empty", "[1]", [[INVALID]]],
  ["an invalid batch", "[1,2,3]", [[INVALID, INVALID, INVALID]]],
  [
    "a batch",
    `[{"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},
      {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]},
      {"jsonrpc": "2.0", "method": "subtract", "params": [42,23], "id": "2"},
      {"foo": "boo"},
      {"jsonrpc": "2.0", "method": "foo.get", "params": {"name": "myself"}, "id": "5"},
      {"jsonrpc": "2.0", "method": "get_data", "id": "9"}]`,
    [[result(7, "1"), result(19, "2"), INVALID, error(-32601, "5"), result(["hello", 5], "9")]],
  ],
  [
    "a batch of nothing but notifications",
    `[{"jsonrpc": "2.0", "method": "notify_sum", "params": [1,2,4]}, {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]}]`,
    [],
  ],
];

for (const framing of ["lines", "headers"] as const)
  test.each(CASES)(`the specification's example, in ${framing}: %s`, async (_title, sent, answered) => {
    expect(await answers(sent, framing)).toEqual(answered);
  });

/** Adds correlation ids to the protocol errors that the SDK makes. */
import type { JSONRPCMessage, McpServer, Transport } from "@modelcontextprotocol/server";

type LogError = (error: { correlation_id: string; code: number }) => void;

/** Returns the message with the id in its error; the error is also passed to `refused`. */
export function withCorrelationId(message: JSONRPCMessage, id: string, refused: LogError): JSONRPCMessage {
  if (!("error" in message)) return message;
  const { error } = message;
  const data = { ...(error.data as Record<string, unknown> | undefined) };
  if (data["correlation_id"] === id) return message;
  refused({ correlation_id: id, code: error.code });
  return { ...message, error: { ...error, data: { ...data, correlation_id: id } } };
}

/** Does the same for all messages of a server that serves one request. */
export function addCorrelationIds({ server }: McpServer, id: string, refused: LogError): void {
  const connect = server.connect.bind(server);
  server.connect = (transport: Transport): Promise<void> => {
    const send = transport.send.bind(transport);
    transport.send = (message, options) => send(withCorrelationId(message, id, refused), options);
    return connect(transport);
  };
}

/** Does the same for a JSON response: the SDK makes some errors before there is a server. */
export async function responseWithCorrelationId(response: Response, id: string, refused: LogError): Promise<Response> {
  if (response.headers.get("content-type")?.startsWith("application/json") !== true) return response;
  const { status, headers } = response;
  const text = await response.text();
  if (!text.includes('"error"')) return new Response(text, { status, headers });
  return new Response(JSON.stringify(withCorrelationId(JSON.parse(text) as JSONRPCMessage, id, refused)), {
    status,
    headers,
  });
}

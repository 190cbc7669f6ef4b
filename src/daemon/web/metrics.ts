/** The daemon's metrics in the Prometheus text format. */
import { VERSION } from "../../protocol/types/version.ts";
import { BUCKETS_S, type MethodCounts } from "../calls/call-counts.ts";
import type { DaemonContext } from "../daemon-context.ts";
import type { AttachedTotals, ByTransport } from "./attached-counts.ts";

type Labels = Readonly<Record<string, string>>;
type Sample = [suffix: string, labels: Labels, value: number];

export async function metricsText(daemon: DaemonContext): Promise<string> {
  await daemon.live.catchUp();
  const running = daemon.live.running();
  const { attached, silent } = await daemon.attached.snapshot(running);
  const sessions = daemon.live.counts();
  const bytes = running.reduce((sum, { output_bytes }) => sum + output_bytes, 0);
  const calls = [...daemon.gate.counts.entries()];
  const { rss } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  return [
    family("holt_info", "gauge", "Version of holt.", [["", { version: VERSION }, 1]]),
    family("holt_uptime_seconds", "gauge", "Uptime of the daemon.", [
      ["", {}, (performance.now() - daemon.startedAt) / 1000],
    ]),
    family(
      "holt_sessions",
      "gauge",
      "Sessions by state, ended ones until their removal.",
      Object.entries(sessions).map(([state, count]): Sample => ["", { state }, count]),
    ),
    family("holt_holders", "gauge", "Holders of running sessions.", [["", {}, running.length]]),
    family("holt_warm_holders", "gauge", "Idle holders for the next sessions.", [["", {}, daemon.pool.size]]),
    family("holt_clients", "gauge", "Clients connected to the daemon's socket.", [["", {}, daemon.clients]]),
    family("holt_web_sockets", "gauge", "Open WebSockets.", [["", {}, daemon.web?.sockets ?? 0]]),
    family(
      "holt_attached_clients",
      "gauge",
      "Clients attached to sessions, by transport.",
      samplesByTransport(attached, "count"),
    ),
    family(
      "holt_client_lag_bytes",
      "gauge",
      "Unsent bytes of all attached clients.",
      samplesByTransport(attached, "lag"),
    ),
    family(
      "holt_client_lag_bytes_max",
      "gauge",
      "Unsent bytes of the slowest attached client.",
      samplesByTransport(attached, "maxLag"),
    ),
    family("holt_silent_holders", "gauge", "Holders that did not report their clients in time.", [["", {}, silent]]),
    family("holt_living_output_bytes", "gauge", "Output of running sessions.", [["", {}, bytes]]),
    family("holt_output_bytes_total", "counter", "Output of all sessions that this daemon saw.", [
      ["", {}, daemon.outputs.bytes(running, daemon.sessions)],
    ]),
    family(
      "holt_calls_total",
      "counter",
      "Calls by method.",
      calls.map(([method, { calls: count }]): Sample => ["", { method }, count]),
    ),
    family("holt_call_failures_total", "counter", "Failed calls by method and error code.", calls.flatMap(failuresOf)),
    family("holt_call_duration_seconds", "histogram", "Duration of calls by method.", calls.flatMap(histogramOf)),
    family("process_resident_memory_bytes", "gauge", "Resident memory of the daemon.", [["", {}, rss]]),
    family("process_cpu_seconds_total", "counter", "CPU time of the daemon.", [["", {}, (user + system) / 1e6]]),
  ].join("");
}

function samplesByTransport(attached: ByTransport, what: keyof AttachedTotals): Sample[] {
  return Object.entries(attached).map(([transport, of]) => ["", { transport }, of[what]]);
}

function failuresOf([method, { failures }]: [string, MethodCounts]): Sample[] {
  return [...failures].map(([code, count]) => ["", { method, code }, count]);
}

function histogramOf([method, { calls, seconds, buckets }]: [string, MethodCounts]): Sample[] {
  let sum = 0;
  const upTo = BUCKETS_S.map(
    (most, at): Sample => ["_bucket", { method, le: String(most) }, (sum += buckets[at] ?? 0)],
  );
  return [
    ...upTo,
    ["_bucket", { method, le: "+Inf" }, calls],
    ["_sum", { method }, seconds],
    ["_count", { method }, calls],
  ];
}

function family(name: string, type: string, help: string, samples: readonly Sample[]): string {
  const lines = samples.map(([suffix, labels, value]) => `${name}${suffix}${labelled(labels)} ${value}\n`);
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("")}`;
}

function labelled(labels: Labels): string {
  const all = Object.entries(labels).map(([name, value]) => `${name}="${value.replaceAll(/[\\"\n]/g, "_")}"`);
  return all.length === 0 ? "" : `{${all.join(",")}}`;
}

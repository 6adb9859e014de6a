import { setImmediate } from "node:timers/promises";
import type { SpanExporter } from "@opentelemetry/sdk-trace";
import type { Config } from "../../config.ts";
import type { Logger } from "../logging/log.ts";
import { langfuseSpanAttributes, langfuseTraceName } from "./generation.ts";
import { connectionErrorCode } from "./stream-answer.ts";
import { noTracer, type Tracer } from "./tracer.ts";

export type TracingSettings = Pick<
  Config,
  "OBS_PUBLIC_KEY" | "OBS_SECRET_KEY" | "OBS_HOST" | "APP_NAME" | "APP_VERSION" | "ENVIRONMENT" | "onLambda"
>;

const FLUSH_TIMEOUT_MS = 500;

/** After a timeout, flushes are skipped for this time. */
const COOLDOWN_MS = 60_000;

/** Of a delivery with its retries. Undelivered traces are lost. */
const DELIVERY_TIMEOUT_MS = 2000;

/** The queue holds traces of about a kilobyte each. */
const BATCH_INTERVAL_MS = 1000;
const MAX_QUEUE_SIZE = 512;

/** Without all three settings, nothing is traced. */
export function chooseTracer(settings: TracingSettings, log: Logger): Tracer {
  const { OBS_HOST, OBS_PUBLIC_KEY, OBS_SECRET_KEY } = settings;
  if (!OBS_HOST || !OBS_PUBLIC_KEY || !OBS_SECRET_KEY) return noTracer;
  const keys = Buffer.from(`${OBS_PUBLIC_KEY}:${OBS_SECRET_KEY}`).toString("base64");
  const endpoint = {
    url: `${OBS_HOST.replace(/(?<!\/)\/+$/, "")}/api/public/otel/v1/traces`,
    headers: { Authorization: `Basic ${keys}`, "x-langfuse-ingestion-version": "4" },
  };
  return langfuseTracer(settings, endpoint, log);
}

type Endpoint = { url: string; headers: Record<string, string> };

/**
 * OTLP. A server sends batches in the background. Lambda freezes after a response, so each trace is sent and
 * awaited immediately.
 */
function langfuseTracer(settings: TracingSettings, endpoint: Endpoint, log: Logger): Tracer {
  let connection: ReturnType<typeof connect> | undefined;
  let skippedUntil = 0;

  function onDelivery(traces: number, error: unknown): void {
    if (error) log.warn({ traces, reason: reasonOf(error) }, "traces of LLM calls were not delivered");
  }

  return {
    begin(call) {
      connection ??= connect(settings, endpoint, onDelivery);
      const connected = connection;
      // Early failures are reported with the outcome.
      connected.catch(() => undefined);
      return (outcome) =>
        void connected
          .then(({ tracer }) => {
            const attributes = langfuseSpanAttributes(call, outcome);
            const span = { root: true, startTime: call.started_at, attributes };
            tracer.startSpan(langfuseTraceName, span).end(outcome.ended_at);
          })
          .catch((error) => onDelivery(1, error));
    },
    async flush() {
      if (!connection || !settings.onLambda || Date.now() < skippedUntil) return;
      const inTime = await isDoneInTime(connection.then(({ processor }) => processor.forceFlush()));
      if (!inTime) skippedUntil = Date.now() + COOLDOWN_MS;
    },
    async close() {
      if (connection) await isDoneInTime(connection.then(({ processor }) => processor.shutdown()));
    },
  };
}

async function connect(
  { APP_NAME, APP_VERSION, ENVIRONMENT, onLambda }: TracingSettings,
  endpoint: Endpoint,
  onDelivery: (traces: number, error: unknown) => void,
) {
  // Loading takes some milliseconds, spent while waiting for the LLM.
  await setImmediate();
  const { AlwaysOnSampler, BatchSpanProcessor, SimpleSpanProcessor, TracerProvider } = await import(
    "@opentelemetry/sdk-trace"
  );
  const { OTLPTraceExporter } = await import("@opentelemetry/exporter-trace-otlp-http");
  const { resourceFromAttributes } = await import("@opentelemetry/resources");
  const exporter = withDeliveryReport(
    new OTLPTraceExporter({ ...endpoint, timeoutMillis: DELIVERY_TIMEOUT_MS }),
    onDelivery,
  );
  const processor = onLambda
    ? new SimpleSpanProcessor({ exporter })
    : new BatchSpanProcessor({
        exporter,
        scheduledDelayMillis: BATCH_INTERVAL_MS,
        exportTimeoutMillis: 2 * DELIVERY_TIMEOUT_MS,
        maxQueueSize: MAX_QUEUE_SIZE,
        maxExportBatchSize: MAX_QUEUE_SIZE / 8,
      });
  const resource = resourceFromAttributes({
    "service.name": APP_NAME,
    "langfuse.release": APP_VERSION,
    "langfuse.environment": ENVIRONMENT,
  });
  const provider = new TracerProvider({
    resource,
    sampler: new AlwaysOnSampler(),
    spanProcessors: [processor],
  });
  return { processor, tracer: provider.getTracer(APP_NAME, APP_VERSION) };
}

function withDeliveryReport(
  exporter: SpanExporter,
  onDelivery: (traces: number, error: unknown) => void,
): SpanExporter {
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        onDelivery(spans.length, result.error);
        done(result);
      }),
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  };
}

/** Work that is not done in time continues. */
function isDoneInTime(work: Promise<unknown>): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(resolve, FLUSH_TIMEOUT_MS, false);
  const done = () => {
    clearTimeout(timer);
    resolve(true);
  };
  work.then(done, done);
  return promise;
}

/** The host's own text may quote data. */
function reasonOf(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: string };
  if (typeof code === "number") return `HTTP ${code}`;
  return connectionErrorCode(error) ?? name ?? "unknown";
}

import { EventEmitter, once } from "node:events";
import { startStandInServer } from "../../scripts/dev/stand-in-server.ts";

/** How the stand-in handles a delivery: accept, accept without a response, or reject. */
type Behaviour = "answers" | "hangs" | "fails";

/** A span with its attributes decoded from the protocol. */
type RecordedSpan = {
  name: string;
  traceId: string;
  parentSpanId: string | undefined;
  started: Date;
  ended: Date;
  attributes: Record<string, unknown>;
};

type Delivery = {
  authorization: string | undefined;
  ingestionVersion: string | string[] | undefined;
  resource: Record<string, unknown>;
  spans: RecordedSpan[];
  /** The raw payload. */
  text: string;
};

export type LangfuseStandIn = {
  url: string;
  /** All deliveries, including failed ones, oldest first. */
  deliveries: Delivery[];
  behaviour: Behaviour;
  spans(count: number): Promise<RecordedSpan[]>;
  reset(): void;
  close(): Promise<void>;
};

/** Starts a server that accepts traces as Langfuse does: OpenTelemetry in JSON. */
export async function startLangfuseStandIn(): Promise<LangfuseStandIn> {
  const arrivals = new EventEmitter();
  const server = await startStandInServer(async ({ url, headers }, body, response) => {
    if (url !== "/api/public/otel/v1/traces") return void response.writeHead(404).end();
    const { authorization, "x-langfuse-ingestion-version": ingestionVersion } = headers;
    standIn.deliveries.push({ authorization, ingestionVersion, ...contentsOf(body as TraceRequest) });
    arrivals.emit("delivery");
    if (standIn.behaviour === "hangs") return;
    const status = standIn.behaviour === "fails" ? 500 : 200;
    response.writeHead(status, { "content-type": "application/json" }).end("{}");
  });
  const standIn: LangfuseStandIn = {
    url: server.url,
    deliveries: [],
    behaviour: "answers",
    async spans(count) {
      const delivered = () => standIn.deliveries.flatMap(({ spans }) => spans);
      while (delivered().length < count) await once(arrivals, "delivery");
      return delivered();
    },
    reset() {
      standIn.deliveries = [];
      standIn.behaviour = "answers";
    },
    close: server.close,
  };
  return standIn;
}

type Attribute = {
  key: string;
  value: { stringValue?: string; intValue?: number; doubleValue?: number; boolValue?: boolean };
};

type TraceRequest = {
  resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: {
      spans: {
        name: string;
        traceId: string;
        parentSpanId?: string;
        startTimeUnixNano: string;
        endTimeUnixNano: string;
        attributes: Attribute[];
      }[];
    }[];
  }[];
};

function contentsOf(request: TraceRequest): Pick<Delivery, "resource" | "spans" | "text"> {
  const spans = request.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
  return {
    text: JSON.stringify(request),
    resource: valuesOf(request.resourceSpans[0]?.resource.attributes ?? []),
    spans: spans.map((span) => ({
      name: span.name,
      traceId: span.traceId,
      parentSpanId: span.parentSpanId,
      started: instantOf(span.startTimeUnixNano),
      ended: instantOf(span.endTimeUnixNano),
      attributes: valuesOf(span.attributes),
    })),
  };
}

const valuesOf = (attributes: Attribute[]): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

const instantOf = (nanoseconds: string): Date => new Date(Number(BigInt(nanoseconds) / 1_000_000n));

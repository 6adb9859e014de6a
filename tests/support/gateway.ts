import type { Outcome } from "./runtime-api.ts";

export type GatewayRequest = {
  method?: string;
  /** The requested path without the stage. May have a query. */
  path: string;
  body?: object | string;
  /** Sends the body as base64, as API Gateway does for binary bodies. */
  base64?: boolean;
  headers?: Record<string, string | string[]>;
};

/** The event of API Gateway's REST API for a request to the stage `production`. */
export function gatewayEvent({ method = "GET", path, body, base64 = false, headers = {} }: GatewayRequest) {
  const url = new URL(path, "https://abc123.execute-api.eu-west-2.amazonaws.com");
  const text = typeof body === "object" ? JSON.stringify(body) : (body ?? null);
  const sent = { Host: url.host, ...(text !== null && { "Content-Type": "application/json" }), ...headers };
  const multiValueHeaders = Object.fromEntries(
    Object.entries(sent).map(([name, value]) => [name, [value].flat()]),
  );
  const names = [...new Set(url.searchParams.keys())];
  const query = Object.fromEntries(names.map((name) => [name, url.searchParams.getAll(name)]));
  return {
    resource: "/{proxy+}",
    httpMethod: method,
    path: url.pathname,
    headers: lastOf(multiValueHeaders),
    multiValueHeaders,
    queryStringParameters: names.length > 0 ? lastOf(query) : null,
    multiValueQueryStringParameters: names.length > 0 ? query : null,
    pathParameters: null,
    stageVariables: null,
    requestContext: { stage: "production", path: `/production${url.pathname}`, httpMethod: method },
    body: text !== null && base64 ? Buffer.from(text).toString("base64") : text,
    isBase64Encoded: text !== null && base64,
  };
}

export type GatewayAnswer = { status: number; headers: Record<string, string[]>; text: string };

type Metadata = {
  statusCode: number;
  headers?: Record<string, string>;
  multiValueHeaders?: Record<string, string[]>;
  cookies?: string[];
};

/** Converts a result as API Gateway does. Throws if API Gateway would respond with 502. */
export function gatewayAnswer(outcome: Outcome): GatewayAnswer {
  if (outcome.kind === "error") throw new Error(`the function failed: ${outcome.error.errorMessage}`);
  if (outcome.kind === "buffered") {
    const result = outcome.result as Metadata & { body: string; isBase64Encoded: boolean };
    return answerOf(result, Buffer.from(result.body, result.isBase64Encoded ? "base64" : "utf8"));
  }
  const whole = Buffer.concat(outcome.chunks);
  const end = whole.indexOf(preludeEnd);
  if (end < 0) throw new Error("the stream has no prelude");
  return answerOf(JSON.parse(whole.toString("utf8", 0, end)), whole.subarray(end + preludeEnd.length));
}

/** Separates a streamed response's metadata from its body. */
const preludeEnd = Buffer.alloc(8);

function answerOf({ statusCode, headers = {}, multiValueHeaders = {}, cookies }: Metadata, body: Buffer) {
  const single = Object.entries(headers).map(([name, value]) => [name, [value]]);
  const all = {
    ...Object.fromEntries(single),
    ...multiValueHeaders,
    ...(cookies?.length && { "set-cookie": cookies }),
  };
  return { status: statusCode, headers: all, text: body.toString() };
}

const lastOf = (values: Record<string, string[]>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, all]) => [name, all.at(-1) ?? ""]));

import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from "aws-lambda";
import { handle, streamHandle } from "hono/aws-lambda";
import { lambdaRuntimeApiAddress, loadConfig } from "../../config.ts";
import { createDeps, type ExtraDepsFactory } from "../../deps.ts";
import { createApp } from "../create-app.ts";
import type { EndpointGroup } from "../endpoint.ts";
import { requestShutdownSignal } from "./shutdown-signal.ts";

await requestShutdownSignal(lambdaRuntimeApiAddress());

/** Node 24's runtime rejects handlers with a callback, which the general type has. */
export type LambdaHandler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;

/**
 * Complete responses. Reads settings and creates dependencies once per container. Invalid settings throw: the
 * function does not start.
 */
export async function bufferedHandler(
  group: EndpointGroup,
  parts?: ExtraDepsFactory,
): Promise<LambdaHandler> {
  return handle(await appOf(group, parts), { isContentTypeBinary: isBinary }) as unknown as LambdaHandler;
}

/** Streaming responses, or complete ones where the platform cannot stream. */
export async function streamingHandler(
  group: EndpointGroup,
  parts?: ExtraDepsFactory,
): Promise<LambdaHandler> {
  return "awslambda" in globalThis
    ? (streamHandle(await appOf(group, parts)) as unknown as LambdaHandler)
    : bufferedHandler(group, parts);
}

async function appOf(group: EndpointGroup, parts?: ExtraDepsFactory) {
  const config = loadConfig();
  // Loads Node's fetch classes, which takes tens of milliseconds.
  new Response(new Request("https://localhost").body);
  const deps = await createDeps(config, parts && { parts });
  process.once("SIGTERM", () => deps.close().finally(() => process.exit(0)));
  return createApp(deps, [group]);
}

/** API Gateway takes text as is and everything else in base64. */
const isBinary = (contentType: string): boolean => !/^text\/|[/+](json|javascript|xml)\b/.test(contentType);

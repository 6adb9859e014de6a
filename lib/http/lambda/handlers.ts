import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from "aws-lambda";
import { handle, streamHandle } from "hono/aws-lambda";
import { lambdaRuntimeApi, loadConfig } from "../../config.ts";
import { type PartsFactory, wire } from "../../deps.ts";
import type { Group } from "../endpoint.ts";
import { shell } from "../shell.ts";
import { requestShutdownSignal } from "./shutdown-signal.ts";

await requestShutdownSignal(lambdaRuntimeApi());

/** Events of a REST API. A handler with a callback, as the general type has it, is refused by Node 24's runtime. */
export type LambdaHandler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;

/**
 * The handler of one group, which sends each answer as a whole. Settings are read and everything is wired here,
 * once for each container; wrong settings throw, so that the function does not start.
 */
export async function bufferedHandler(group: Group, parts?: PartsFactory): Promise<LambdaHandler> {
  return handle(await appOf(group, parts), { isContentTypeBinary: isBinary }) as unknown as LambdaHandler;
}

/** The same, but sends each answer as it is written; as a whole where the platform cannot stream. */
export async function streamingHandler(group: Group, parts?: PartsFactory): Promise<LambdaHandler> {
  return "awslambda" in globalThis
    ? (streamHandle(await appOf(group, parts)) as unknown as LambdaHandler)
    : bufferedHandler(group, parts);
}

async function appOf(group: Group, parts?: PartsFactory) {
  const config = loadConfig();
  // Node loads its fetch classes on first use, which takes tens of milliseconds: better now than in a request.
  new Response(new Request("https://localhost").body);
  const deps = await wire(config, parts && { parts });
  process.once("SIGTERM", () => deps.close().finally(() => process.exit(0)));
  return shell(deps, [group]);
}

/** API Gateway takes text as it is, and everything else as base64. */
const isBinary = (contentType: string): boolean => !/^text\/|[/+](json|javascript|xml)\b/.test(contentType);

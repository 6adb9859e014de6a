/**
 * The baseline: node:http with one named statement per request, including authentication. No framework, log,
 * metrics, database functions or triggers. Runs as a separate process.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import pg from "pg";
import { loadConfig } from "../../../lib/config.ts";
import { verifyPassword } from "../../../lib/identity/auth/password-hashes.ts";
import { dateInTimeZone } from "../../../lib/identity/users/streak.ts";
import { createTokenService } from "../../../lib/platform/secrets/tokens.ts";
import { inlineReferences, resolutionGraph } from "../../../lib/tutor/prompts/inline.ts";
import { distinctReferences } from "../../../lib/tutor/prompts/references.ts";
import { baselineStatements, type StatementName } from "./statements.ts";

const config = loadConfig(process.env);
const pool = new pg.Pool({ connectionString: config.DATABASE_URL, max: config.DATABASE_POOL_SIZE });
const tokens = createTokenService(config, () => new Date());
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

/** A parsed request: the caller's id, path parameters and body. */
type Asked = { caller: number; named: string; query: URLSearchParams; body: Record<string, unknown> };
type Route = {
  method: string;
  path: RegExp;
  answer(asked: Asked, response: ServerResponse): Promise<void>;
};

async function rowOf(name: StatementName, values: unknown[]) {
  const { rows } = await pool.query({ name, text: baselineStatements[name], values });
  return rows[0];
}

const sendJson = (response: ServerResponse, body: string | undefined, status = 200): void => {
  response.writeHead(body === undefined ? 404 : status, { "content-type": "application/json" });
  response.end(body ?? '{"detail":"Not found"}');
};

const today = (): string => dateInTimeZone("Europe/Madrid", new Date());

/** Sends PostgreSQL's text unchanged. */
const read = (path: RegExp, name: StatementName, values: (asked: Asked) => unknown[] = () => []): Route => ({
  method: "GET",
  path,
  answer: async (asked, response) =>
    sendJson(response, (await rowOf(name, [asked.caller, ...values(asked)]))?.body),
});

const routes: Route[] = [
  read(/^\/users\/me$/, "me"),
  read(/^\/courses\/$/, "listCourses", ({ query }) => [query.get("limit") ?? 100]),
  read(/^\/modules\/courses\/(\d+)\/modules$/, "listModules", ({ named }) => [named]),
  read(/^\/enrollments\/my-enrollments$/, "listMyEnrollments", ({ query }) => [query.get("limit") ?? 100]),
  {
    method: "POST",
    path: /^\/progress\/content$/,
    async answer({ caller, body }, response) {
      const { course_offering_id, content_item_id, progress_percent } = body;
      const values = [caller, course_offering_id, today(), content_item_id, progress_percent];
      sendJson(response, (await rowOf("recordProgress", values))?.body);
    },
  },
  {
    method: "GET",
    path: /^\/prompts\/(.+)$/,
    async answer({ caller, named }, response) {
      const { prompt, graph } = await rowOf("getPrompt", [caller, decodeURIComponent(named), "production"]);
      const answer = {
        ...prompt,
        dependencies: distinctReferences(prompt.prompt),
        resolved_prompt: inlineReferences(graph),
        resolution_graph: resolutionGraph(graph),
      };
      sendJson(response, JSON.stringify(answer));
    },
  },
  {
    method: "POST",
    path: /^\/chat\/sessions\/(\d+)\/messages$/,
    async answer({ caller, named, body }, response) {
      const row = await rowOf("replayAnswer", [caller, named, today(), body["content"]]);
      const events = row.chunks.map((content: string) => ({ content, done: false }));
      const last = {
        content: "",
        done: true,
        message_id: row.id,
        created_at: row.created_at,
        meta: row.meta,
      };
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end([...events, last].map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""));
    },
  },
  {
    method: "POST",
    path: /^\/auth\/login$/,
    async answer({ body }, response) {
      const { id, password_hash } = await rowOf("findAccount", [body["email"]]);
      const matches = await verifyPassword(String(body["password"]), password_hash, config.BCRYPT_COST);
      sendJson(response, matches ? JSON.stringify(await tokens.issue({ id })) : undefined);
    },
  },
];

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString());
}

const server = createServer(async (request, response) => {
  try {
    const [path = "", query = ""] = (request.url ?? "").replace(config.API_V1_PREFIX, "").split("?");
    const route = routes.find((one) => one.method === request.method && one.path.test(path));
    const token = request.headers.authorization?.slice("Bearer ".length);
    const caller = token ? (await tokens.verify(token, "access"))?.id : 0;
    if (!route || caller === undefined) return sendJson(response, '{"detail":"Refused"}', route ? 401 : 404);
    const named = route.path.exec(path)?.[1] ?? "";
    const body = request.method === "POST" ? await bodyOf(request) : {};
    await route.answer({ caller, named, query: new URLSearchParams(query), body }, response);
  } catch (error) {
    console.error(error);
    sendJson(response, '{"detail":"Failed"}', 500);
  }
});

server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  process.send?.({ url: `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}` });
});
process.once("disconnect", () => process.exit(0));

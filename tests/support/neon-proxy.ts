import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import pg from "pg";
import { type WebSocket, WebSocketServer } from "ws";

/** One statement as Neon's driver posts it. */
type Statement = { query: string; params?: unknown[] };

type Pools = { of(connectionString: string): pg.Pool; close(): Promise<void> };

export type NeonProxy = { address: string; close(): Promise<void> };

/**
 * A stand-in for the proxy in front of a Neon database, so that Neon's own driver can be tested on any PostgreSQL:
 * `/sql` takes statements by HTTP, `/v2` tunnels PostgreSQL's protocol through a WebSocket.
 * Whatever host a client names, it talks to the one server on `127.0.0.1:postgresPort`.
 * Shut down the clients first, then this, then PostgreSQL.
 */
export async function startNeonProxy(postgresPort: number): Promise<NeonProxy> {
  const pools = createPools(postgresPort);
  const server = createServer((request, response) => answerSql(pools, request, response));
  const sockets = new WebSocketServer({ server, path: "/v2", perMessageDeflate: false });
  sockets.on("connection", (socket) => tunnel(socket, postgresPort));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      for (const socket of sockets.clients) socket.terminate();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await pools.close();
    },
  };
}

function tunnel(socket: WebSocket, postgresPort: number): void {
  const postgres = connect({ host: "127.0.0.1", port: postgresPort, noDelay: true });
  socket.on("message", (data: Buffer) => postgres.write(data));
  postgres.on("data", (data) => socket.send(data));
  for (const ending of ["close", "error"]) {
    socket.on(ending, () => postgres.destroy());
    postgres.on(ending, () => socket.close());
  }
}

async function answerSql(pools: Pools, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const send = (status: number, body: unknown) =>
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  if (request.method !== "POST" || request.url !== "/sql") {
    send(404, { message: "not found" });
    return;
  }
  try {
    const body = await readJson(request);
    const pool = pools.of(String(request.headers["neon-connection-string"]));
    send(200, "queries" in body ? await runBatch(pool, body.queries, request) : await runOne(pool, body));
  } catch (error) {
    send(400, describeError(error));
  }
}

async function readJson(request: IncomingMessage): Promise<Statement | { queries: Statement[] }> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString());
}

const isolationLevels: Record<string, string> = {
  ReadUncommitted: "READ UNCOMMITTED",
  ReadCommitted: "READ COMMITTED",
  RepeatableRead: "REPEATABLE READ",
  Serializable: "SERIALIZABLE",
};

/** Several statements of one request are one transaction. */
async function runBatch(pool: pg.Pool, statements: Statement[], request: IncomingMessage) {
  const level = isolationLevels[String(request.headers["neon-batch-isolation-level"])];
  const readOnly = request.headers["neon-batch-read-only"] === "true";
  const begin = ["BEGIN", level && `ISOLATION LEVEL ${level}`, readOnly && "READ ONLY"];
  const client = await pool.connect();
  try {
    await client.query(begin.filter(Boolean).join(" "));
    const results = [];
    for (const statement of statements) results.push(await runOne(client, statement));
    await client.query("COMMIT");
    return { results };
  } catch (error) {
    await client.query("ROLLBACK").catch(() => {});
    throw error;
  } finally {
    client.release();
  }
}

/** Values travel as PostgreSQL wrote them: the client has asked for raw text and parses it itself. */
const rawText = { getTypeParser: () => (value: unknown) => value };

async function runOne(connection: pg.Pool | pg.PoolClient, { query, params = [] }: Statement) {
  const result = await connection.query({ text: query, values: params, rowMode: "array", types: rawText });
  const fields = result.fields.map((field) => ({ ...field, format: "text" }));
  return { command: result.command, rowCount: result.rowCount, rowAsArray: true, rows: result.rows, fields };
}

const errorFields = [
  "message",
  "code",
  "severity",
  "detail",
  "hint",
  "schema",
  "table",
  "column",
  "constraint",
];

function describeError(error: unknown): Record<string, unknown> {
  return Object.fromEntries(errorFields.map((field) => [field, Reflect.get(Object(error), field)]));
}

/** One pool for each account and database that a client names. */
function createPools(port: number): Pools {
  const pools = new Map<string, pg.Pool>();
  const open = (connectionString: string) => {
    const { username, password, pathname } = new URL(connectionString);
    const [user, secret, database] = [username, password, pathname.slice(1)].map(decodeURIComponent);
    const pool = new pg.Pool({ host: "127.0.0.1", port, user, password: secret, database, max: 10 });
    pool.on("error", () => {});
    return pool;
  };
  return {
    of(connectionString) {
      const pool = pools.get(connectionString) ?? open(connectionString);
      pools.set(connectionString, pool);
      return pool;
    },
    async close() {
      await Promise.all([...pools.values()].map((pool) => pool.end()));
    },
  };
}

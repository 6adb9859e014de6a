/** The baseline: node:http and the driver, sending the same statements and nothing else. Run as a process of its own. */
import { createServer } from "node:http";
import pg from "pg";
import type { Statement } from "./statements.ts";

const { DATABASE_URL = "", STATEMENTS = "[]", POOL_SIZE = "10" } = process.env;
const statements = JSON.parse(STATEMENTS) as Record<string, Statement[]>;
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: Number(POOL_SIZE) });

const server = createServer(async (request, response) => {
  const answers = [];
  for (const { text, values } of statements[request.url ?? ""] ?? [])
    answers.push((await pool.query(text, values)).rows);
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(answers.at(-1)));
});

server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  process.send?.({ url: `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}` });
});
process.once("disconnect", () => process.exit(0));

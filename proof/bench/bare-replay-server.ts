/** The baseline of a stored answer: node:http reads and streams the chunks, then counts the hit. */
import { createServer } from "node:http";
import pg from "pg";

const { DATABASE_URL = "", POOL_SIZE = "10" } = process.env;
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: Number(POOL_SIZE) });

const server = createServer(async (request, response) => {
  const nodeId = Number(request.url?.slice(1));
  const { rows } = await pool.query("select chunks from cache_nodes where id = $1", [nodeId]);
  response.setHeader("content-type", "text/event-stream");
  for (const content of rows[0].chunks as string[])
    response.write(`data: ${JSON.stringify({ content, done: false })}\n\n`);
  await pool.query("insert into cache_visits (node_id, hit) values ($1, true)", [nodeId]);
  response.end(`data: ${JSON.stringify({ content: "", done: true, message_id: nodeId })}\n\n`);
});

server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  process.send?.({ url: `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}` });
});
process.once("disconnect", () => process.exit(0));

/*
 * Node's replacement for curl on machines without it. Supports the options that the guides and `npm run dev`
 * use, and fails on others.
 */
import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    silent: { type: "boolean", short: "s" },
    "no-buffer": { type: "boolean", short: "N" },
    header: { type: "string", short: "H", multiple: true, default: [] },
    data: { type: "string", short: "d" },
    request: { type: "string", short: "X" },
    output: { type: "string", short: "o" },
    "write-out": { type: "string", short: "w", default: "" },
  },
});

const { data, request = data === undefined ? "GET" : "POST", output } = values;
const headers = new Headers(
  data === undefined ? {} : { "content-type": "application/x-www-form-urlencoded" },
);
for (const header of values.header) {
  const [, name = "", value = ""] = /^([^:]+):\s*(.*)$/.exec(header) ?? [];
  headers.set(name, value);
}
const response = await fetch(String(positionals[0]), { method: request, headers, body: data ?? null });
const body = response.body ? Readable.fromWeb(response.body as never) : Readable.from([]);
await pipeline(body, output ? createWriteStream(output) : process.stdout, { end: Boolean(output) });
process.stdout.write(values["write-out"].replaceAll("%{http_code}", String(response.status)));

import { Agent, request } from "node:http";
import { median } from "./measure.ts";

export type StreamRequest = { url: string; headers?: Record<string, string>; body?: string };

/** Results of a crowd: complete streams per second, and the median time to the first chunk. */
export type ConcurrentStreamsResult = { perSecond: number; firstChunkMilliseconds: number };

/** Reads streams for some seconds, `crowd` at a time; `askOf` returns each reader's request. */
export async function measureConcurrentStreams(
  askOf: (reader: number) => StreamRequest,
  crowd: number,
  seconds: number,
): Promise<ConcurrentStreamsResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: crowd });
  const firsts: number[] = [];
  const began = performance.now();
  const until = began + seconds * 1000;
  await Promise.all(
    Array.from({ length: crowd }, async (_, reader) => {
      while (performance.now() < until)
        firsts.push((await readAndTimeStream(askOf(reader), agent)).firstChunkMilliseconds);
    }),
  );
  const elapsed = (performance.now() - began) / 1000;
  agent.destroy();
  return { perSecond: firsts.length / elapsed, firstChunkMilliseconds: median(firsts) };
}

/** Reads a stream to its end; throws if incomplete. Times are in milliseconds from the request. */
export function readAndTimeStream({ url, headers = {}, body }: StreamRequest, agent?: Agent) {
  const began = performance.now();
  let firstChunkMilliseconds = Number.NaN;
  return new Promise<{ firstChunkMilliseconds: number; milliseconds: number; text: string }>(
    (resolve, reject) => {
      const method = body === undefined ? "GET" : "POST";
      const asked = request(url, { method, headers, ...(agent && { agent }) }, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (part: string) => {
          if (!text) firstChunkMilliseconds = performance.now() - began;
          text += part;
        });
        response.on("end", () => {
          const milliseconds = performance.now() - began;
          if (text.includes('"message_id"')) resolve({ firstChunkMilliseconds, milliseconds, text });
          else reject(new Error(`${url} answered ${response.statusCode}: ${text.slice(0, 200)}`));
        });
      });
      asked.on("error", reject);
      asked.end(body);
    },
  );
}

import type { MaxIdByTable } from "../scale/generated-inserts.ts";
import type { ScaleSize } from "../scale/size.ts";
import { createInProcessService } from "./in-process-service.ts";
import { readerIdsByRole, type ScaleReadRequest } from "./scale-reads.ts";

export type TimedPlatformReader = {
  readers: string[];
  /** Status and milliseconds; for counted responses, milliseconds per item. */
  read(reader: string, read: ScaleReadRequest): Promise<{ status: number; milliseconds: number }>;
  close(): Promise<void>;
};

export async function openTimedPlatformReader(
  url: string,
  size: ScaleSize,
  base: MaxIdByTable,
): Promise<TimedPlatformReader> {
  const { deps, app } = await createInProcessService(url);
  const headers: Record<string, Record<string, string>> = {};
  for (const [reader, id] of Object.entries(readerIdsByRole(size, base)))
    headers[reader] = id ? { authorization: `Bearer ${(await deps.tokens.issue({ id })).access_token}` } : {};
  return {
    readers: Object.keys(headers),
    async read(reader, { path, countOf }) {
      const began = performance.now();
      const answer = await app.request(path, { headers: headers[reader] ?? {} });
      const text = await answer.text();
      const elapsed = performance.now() - began;
      const things = countOf && answer.status === 200 ? countOf(JSON.parse(text) as never) : 1;
      return { status: answer.status, milliseconds: elapsed / things };
    },
    close: () => deps.close(),
  };
}

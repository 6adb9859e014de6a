import { randomUUID } from "node:crypto";
import { fairLimits } from "../../platform/async/fair-limits.ts";
import { createReaderThreadPool } from "../../platform/readers/reading-threads.ts";
import type { ResponseInput, VerifiedOrRefusedResponse } from "./response.ts";

const responseReader = new URL("./response-reader.ts", import.meta.url);

/**
 * Loading the parser takes longer than parsing: threads are reused, but not after unsigned content. Each
 * response waited for its turn before, so each has its own queue.
 */
const threads = createReaderThreadPool(
  {
    ...{ threads: fairLimits.processor.atOnce, files: 1, waitSeconds: 10, waitingFiles: 400 },
    ...{ seconds: 5, timeoutSeconds: 20, megabytes: 128 },
  },
  (read) => "assertion" in (read as VerifiedOrRefusedResponse) || (read as { is_signed: boolean }).is_signed,
);

/**
 * Takes a turn of the caller's network. Without the provider's SignedInfo it throws a `SamlRefusal` before a
 * thread starts; 400 if it takes too much time or memory.
 */
export const verifyResponseInThread = (given: ResponseInput): Promise<VerifiedOrRefusedResponse> =>
  fairLimits.processor.run(async () => {
    const { ensureSignedInfo } = await import("./signed-info.ts");
    ensureSignedInfo(Buffer.from(given.response, "base64").toString("utf8"), given.certificates);
    return threads.read<VerifiedOrRefusedResponse>(responseReader, given, randomUUID());
  });

import { randomUUID } from "node:crypto";
import { fairLimits } from "../../platform/async/fair-limits.ts";
import { createReaderThreadPool } from "../../platform/readers/reading-threads.ts";
import type { AssertionOrRefusal, SamlResponseToVerify } from "./response.ts";

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
  (read) => "assertion" in (read as AssertionOrRefusal) || (read as { is_signed: boolean }).is_signed,
);

/**
 * Takes a turn of the caller's network. Without the provider's SignedInfo it throws a `SamlRefusal` before a
 * thread starts; 400 if it takes too much time or memory.
 */
export const verifyResponseInThread = (given: SamlResponseToVerify): Promise<AssertionOrRefusal> =>
  fairLimits.processor.run(async () => {
    const { ensureSignedInfoSignatureValid } = await import("./signed-info.ts");
    ensureSignedInfoSignatureValid(
      Buffer.from(given.response, "base64").toString("utf8"),
      given.certificates,
    );
    return threads.read<AssertionOrRefusal>(responseReader, given, randomUUID());
  });

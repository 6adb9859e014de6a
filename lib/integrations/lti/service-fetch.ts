import type { Config } from "../../config.ts";
import { connectionErrorCode } from "../../platform/llm/stream-answer.ts";
import { choosePlatformFetch } from "./platform-fetch.ts";
import { ServiceFailure } from "./service-failure.ts";

/** Timeout of a platform's service, in milliseconds. */
const defaultLtiServiceTimeoutMs = 10_000;

type Asked = {
  method: string;
  headers: Record<string, string>;
  body?: string;
  signal?: AbortSignal | undefined;
  timeoutMs?: number | undefined;
};

/** The response, of any status; throws `ServiceFailure` if there is none. */
export async function fetchPlatformResponse(
  { config }: { config: Pick<Config, "ENVIRONMENT"> },
  address: string,
  { signal, timeoutMs = defaultLtiServiceTimeoutMs, ...asked }: Asked,
): Promise<Response> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    return await choosePlatformFetch(config)(address, {
      ...asked,
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
  } catch (cause) {
    if (cause instanceof Error && cause.name === "InwardAddress")
      throw new ServiceFailure("its address is in a private network, or not https", "refused", { cause });
    if (cause instanceof TypeError && !URL.canParse(address))
      throw new ServiceFailure("its address is invalid", "refused", { cause });
    const reason = timeout.aborted
      ? "it did not answer in time"
      : `it could not be reached${connectionErrorCode(cause) ? `, ${connectionErrorCode(cause)}` : ""}`;
    throw new ServiceFailure(reason, "later", { isAway: true, cause });
  }
}

export const isHtmlResponse = ({ headers }: Response): boolean =>
  (headers.get("content-type") ?? "").toLowerCase().startsWith("text/html");

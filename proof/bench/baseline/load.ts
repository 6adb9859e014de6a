import autocannon from "autocannon";

/** A server's results in one round, or medians of several; times are in milliseconds. */
export type LoadResult = { requests: number; perSecond: number; median: number; p99: number; errors: number };

/** One client's repeated request. */
export type RepeatedRequest = {
  method: "GET" | "POST";
  path: string;
  headers: Record<string, string>;
  body?: string;
};

export type LoadRoundSettings = { seconds: number; crowd: number };

/** In seconds. */
const maxLoadRoundSeconds = 60;

/**
 * Loads a server for some seconds; each client waits for a response before its next request. If nothing
 * completed, repeats with twice the time: a busy machine may take seconds.
 */
export async function loadTestServer(
  base: string,
  { seconds, crowd }: LoadRoundSettings,
  sentBy: (one: number) => RepeatedRequest,
): Promise<LoadResult> {
  const times: number[] = [];
  let errors = 0;
  let clients = 0;
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const options: autocannon.Options = {
      url: base,
      connections: crowd,
      duration: seconds,
      timeout: 60,
      setupClient(client) {
        client.setRequests([sentBy(clients)]);
        clients += 1;
      },
    };
    const run = autocannon(options, (error, found) => (error ? reject(error) : resolve(found)));
    run.on("response", (_client, status, _bytes, milliseconds) => {
      times.push(milliseconds);
      if (status >= 400) errors += 1;
    });
  });
  if (times.length === 0 && result.errors === 0 && seconds < maxLoadRoundSeconds)
    return loadTestServer(base, { seconds: seconds * 2, crowd }, sentBy);
  const sorted = times.sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
  return {
    requests: times.length,
    perSecond: times.length / result.duration,
    median: at(0.5),
    p99: at(0.99),
    errors: errors + result.errors,
  };
}

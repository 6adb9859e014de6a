import type { ClientRequest } from "node:http";

const NAME = "shutdown-signal";
const REGISTRATION_TIMEOUT_MS = 1000;

/**
 * Makes Lambda send SIGTERM 500 ms before it ends the instance, which it does only if an extension is
 * registered. This one runs in the process, without events. Await it before the first invocation.
 */
export async function requestShutdownSignal(runtimeApi: string | undefined): Promise<void> {
  if (!runtimeApi) return;
  const extensions = `http://${runtimeApi}/2020-01-01/extension`;
  const id = await register(extensions).catch(() => null);
  if (id) await waitForEvents(extensions, id);
}

async function register(extensions: string): Promise<string | null> {
  const answer = await fetch(`${extensions}/register`, {
    method: "POST",
    headers: { "Lambda-Extension-Name": NAME, "Content-Type": "application/json" },
    body: '{"events":[]}',
    signal: AbortSignal.timeout(REGISTRATION_TIMEOUT_MS),
  });
  return answer.ok ? answer.headers.get("lambda-extension-identifier") : null;
}

/**
 * An extension is ready once it requests an event. None ever arrives; `fetch` would time out after five
 * minutes.
 */
async function waitForEvents(extensions: string, id: string): Promise<void> {
  const { get } = await import("node:http");
  const waiting: ClientRequest = get(`${extensions}/event/next`, {
    headers: { "Lambda-Extension-Identifier": id },
  });
  waiting.on("error", () => undefined);
  waiting.on("socket", (socket) => socket.unref());
}

import type { ClientRequest } from "node:http";

const NAME = "shutdown-signal";
const REGISTRATION_TIMEOUT_MS = 1000;

/**
 * Has Lambda send SIGTERM before it ends this instance, with half a second to spare: it does so only where an
 * extension is registered. This one lives inside of the process, wants no events, and so never holds anything up.
 * To be awaited before the first invocation. Where the platform knows no extensions, nothing happens.
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

/** An extension is ready once it asks for an event. None comes, and `fetch` would give up after five minutes. */
async function waitForEvents(extensions: string, id: string): Promise<void> {
  const { get } = await import("node:http");
  const waiting: ClientRequest = get(`${extensions}/event/next`, {
    headers: { "Lambda-Extension-Identifier": id },
  });
  waiting.on("error", () => undefined);
  waiting.on("socket", (socket) => socket.unref());
}

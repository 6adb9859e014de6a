/**
 * Import before AWS's runtime interface client. Replaces its native part, which needs a C++ build, with the
 * same few requests to the Runtime API.
 */
import { type IncomingHttpHeaders, request } from "node:http";
import { registerHooks } from "node:module";

registerHooks({
  resolve(specifier, context, next) {
    if (!specifier.endsWith("/rapid-client.node")) return next(specifier, context);
    return { url: import.meta.url, format: "module-typescript", shortCircuit: true };
  },
});

const invocations = `http://${process.env["AWS_LAMBDA_RUNTIME_API"]}/2018-06-01/runtime/invocation`;

export function initializeClient(): void {}

export function next(): Promise<{ bodyJson: string; headers: IncomingHttpHeaders }> {
  return new Promise((resolve, reject) => {
    const asking = request(`${invocations}/next`, async (response) => {
      const chunks = await response.toArray();
      resolve({ bodyJson: Buffer.concat(chunks).toString(), headers: response.headers });
    });
    asking.on("error", reject).end();
  });
}

export const done = (id: string, body: string): void => post(`${id}/response`, body);

export const error = (id: string, body: string): void => post(`${id}/error`, body);

function post(path: string, body: string): void {
  request(`${invocations}/${path}`, { method: "POST" }, (response) => response.resume())
    // The test has ended and closed its side.
    .on("error", () => {})
    .end(body);
}

import { ToolFailure } from "../clients/toolchain.ts";

// biome-ignore lint/suspicious/noExplicitAny: what it is the service says, and each step knows
export type AnyJson = any;

/** The API as one user. */
export const createApiCaller =
  (base: string, token?: string) =>
  async (method: string, where: string, body?: object, cookie?: string): Promise<AnyJson> => {
    const response = await fetch(`${base}/api/v1${where}`, {
      method,
      headers: {
        "Content-Type": "application/json",
        ...(token && { Authorization: `Bearer ${token}` }),
        ...(cookie && { Cookie: cookie }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new ToolFailure(`${method} ${where} answered ${response.status}: ${text}`);
    return text ? JSON.parse(text) : undefined;
  };

export type ApiCaller = ReturnType<typeof createApiCaller>;

export const printStep = (step: string, what: string) => console.log(`${step.padEnd(14)} ${what}`);

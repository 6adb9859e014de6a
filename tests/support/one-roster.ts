import type { World } from "./world.ts";

const scopePrefix = "https://purl.imsglobal.org/spec/or/v1p2/scope/";

/** An API key of the university, made by its administrator. */
export async function apiKeyOf(world: World, holder: { id: number }, university: number, scopes: string[]) {
  const body = { name: "Student records", scopes, expires_at: "2027-01-01T00:00:00Z" };
  return (await world.as(holder).post(`/universities/${university}/api-keys`, body)).body.key as string;
}

/** A request for an access token. */
export async function requestOneRosterToken(
  world: World,
  key: string,
  scopes: string,
  id = key.slice(0, -44),
) {
  const scope = scopes
    .split(" ")
    .map((one) => scopePrefix + one)
    .join(" ");
  const response = await world.app.request("/ims/oneroster/token", {
    method: "POST",
    headers: {
      authorization: `Basic ${Buffer.from(`${id}:${key}`).toString("base64")}`,
      "content-type": "application/x-www-form-urlencoded",
    },
    body: new URLSearchParams({ grant_type: "client_credentials", scope }).toString(),
  });
  return { status: response.status, body: (await response.json()) as Record<string, string> };
}

/** A OneRoster client with a bearer token. Paths are relative to `/ims/oneroster`. */
export const oneRosterClient = (world: World, token: string) => ({
  async get(path: string, method = "GET") {
    const response = await world.app.request(`/ims/oneroster${path}`, {
      method,
      headers: { authorization: `Bearer ${token}` },
    });
    return {
      status: response.status,
      headers: response.headers,
      // biome-ignore lint/suspicious/noExplicitAny: a test reads an answer as the standard says it is
      body: (await response.json()) as any,
    };
  },
});

import { describe, expect, it } from "vitest";
import { createPlatformClient, inMemory } from "../../../client/client.ts";

/** A service with one access token, issued for the refresh token. */
function service({ refreshes = true } = {}) {
  const seen: string[] = [];
  const session = inMemory({ access_token: "old", refresh_token: "refresh" });
  const client = createPlatformClient({
    baseUrl: "https://api.example.edu/",
    session,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const sent = request.headers.get("Authorization") ?? "";
      seen.push(`${pathname} ${sent} ${await request.text()}`.trim());
      if (pathname.endsWith("/auth/refresh"))
        return refreshes
          ? Response.json({ access_token: "new", refresh_token: "next", token_type: "bearer" })
          : Response.json({ detail: "Could not validate credentials" }, { status: 401 });
      if (sent === "Bearer old")
        return Response.json({ detail: "Could not validate credentials" }, { status: 401 });
      return Response.json({ sent });
    },
  });
  return { client, session, seen };
}

describe("a session of the client", () => {
  it("renews an expired token once for all requests, and sends each again with its body", async () => {
    const { client, session, seen } = service();
    const answers = await Promise.all([
      client.getMyProfile(),
      client.updateMyProfile({ body: { full_name: "Ada" } }),
    ]);
    expect(answers.map(({ response }) => response.status)).toEqual([200, 200]);
    expect(seen.filter((line) => line.includes("refresh"))).toEqual(["/api/v1/auth/refresh Bearer refresh"]);
    expect(seen).toContain('/api/v1/users/me Bearer new {"full_name":"Ada"}');
    expect(session.read()).toMatchObject({ access_token: "new", refresh_token: "next" });
  });

  it("ends when the service rejects the refresh token, and returns the first response", async () => {
    const { client, session } = service({ refreshes: false });
    const { response } = await client.getMyProfile();
    expect(response.status).toBe(401);
    expect(session.read()).toBeUndefined();
  });

  it("leaves a header of the caller's own alone", async () => {
    const { client, seen } = service();
    await client.getMyProfile({ headers: { Authorization: "Bearer mine" } });
    expect(seen).toEqual(["/api/v1/users/me Bearer mine"]);
  });

  it("sends the token that it is given, and also leaves a header of the caller's own alone then", async () => {
    const seen: (string | null)[] = [];
    const client = createPlatformClient({
      baseUrl: "https://api.example.edu",
      token: async () => "given",
      async fetch(request) {
        seen.push(request.headers.get("Authorization"));
        return Response.json({});
      },
    });
    await client.getMyProfile();
    await client.getMyProfile({ headers: { authorization: "Bearer mine" } });
    expect(seen).toEqual(["Bearer given", "Bearer mine"]);
  });
});

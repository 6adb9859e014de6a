import type { Reply } from "./client.ts";
import type { World } from "./world.ts";

type Answer = Pick<Reply, "status" | "headers" | "body">;

/** A SCIM client with a directory's key. */
export const directoryWith = (world: World, key: string | undefined) => {
  const ask = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> => {
    const response = await world.app.request(`/scim/v2${path}`, {
      method,
      headers: {
        ...(key && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { "content-type": "application/scim+json" }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === "" ? undefined : JSON.parse(text),
    };
  };
  return {
    ask,
    get: (path: string, headers?: Record<string, string>) => ask("GET", path, undefined, headers),
    post: (path: string, body: unknown) => ask("POST", path, body),
    put: (path: string, body: unknown, headers?: Record<string, string>) => ask("PUT", path, body, headers),
    patch: (path: string, operations: object[], headers?: Record<string, string>) =>
      ask(
        "PATCH",
        path,
        { schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"], Operations: operations },
        headers,
      ),
    delete: (path: string, headers?: Record<string, string>) => ask("DELETE", path, undefined, headers),
  };
};

const userSchema = "urn:ietf:params:scim:schemas:core:2.0:User";

export const scimUser = (userName: string, more: object = {}) => ({
  schemas: [userSchema],
  userName,
  name: { givenName: "Ada", familyName: "Lovelace" },
  emails: [{ primary: true, type: "work", value: userName }],
  active: true,
  ...more,
});

export const scimGroup = (displayName: string, members: string[] = []) => ({
  schemas: ["urn:ietf:params:scim:schemas:core:2.0:Group"],
  displayName,
  members: members.map((value) => ({ value })),
});

import type { Person } from "./client.ts";
import type { World } from "./world.ts";

/** Erases an account after a fresh sign-in at an identity provider. Returns the status. */
export async function eraseAccountOf(world: World, person: Person, more: object = {}): Promise<number> {
  const signed_in_at = Math.floor(world.deps.now().getTime() / 1000);
  const { access_token } = await world.deps.tokens.issue({ id: person.id, signed_in_at });
  const headers = { authorization: `Bearer ${access_token}` };
  return (await world.as().request("DELETE", "/users/me", more, { headers })).status;
}

import type { openBrowser, Size, Visit } from "../../support/browser.ts";
import type { Person } from "../../support/client.ts";
import type { World } from "../../support/world.ts";
import { press } from "./steps.ts";

/** Opens a screen as that person, with the given reach of sign-in. */
export async function visitAs(
  world: World,
  browser: ReturnType<typeof openBrowser>,
  person: Person,
  address: string,
  size?: Size,
): Promise<Visit> {
  const visit = await browser.visit(`/app#/${address}`, size);
  const { page } = visit;
  await page.route("**/auth/login", async (route) =>
    route.fulfill({ json: await world.deps.tokens.issue(person) }),
  );
  await page.getByLabel("E-mail").fill("somebody@example.edu");
  await page.getByLabel("Password").fill("a password");
  await press(page, "Sign in");
  // Waits for the response: leaving the page before it loses the sign-in.
  await page.getByRole("button", { name: "Sign in", exact: true }).waitFor({ state: "detached" });
  return visit;
}

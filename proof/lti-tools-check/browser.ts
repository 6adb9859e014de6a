import { decodeJwt, type JWTPayload } from "jose";
import type { Page } from "playwright-core";
import type { AnyJson } from "../lti-check/api.ts";

const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();

/** The claims of each launch that the page posts to a tool. */
export function collectLaunchClaims(page: Page): JWTPayload[] {
  const claims: JWTPayload[] = [];
  page.on("request", (request) => {
    const token = new URLSearchParams(request.postData() ?? "").get("id_token");
    if (token) claims.push(decodeJwt(token));
  });
  return claims;
}

/** On the screen of external tools: the tool registers itself in a frame, and is listed. */
export async function registerToolInFrame(page: Page, address: string, name: string): Promise<void> {
  await page.getByLabel("Registration address").fill(`${address}/register`);
  await press(page, "Open the tool's registration");
  await page.getByText(name, { exact: true }).waitFor();
}

/** In the editor of an item: the tool's frame chooses content, and the item takes its title. */
export async function chooseContentInFrame(page: Page, title: string): Promise<void> {
  await press(page, "Choose content at the tool");
  await page.getByRole("heading", { name: title }).waitFor();
}

/** Opens a learner's item. Returns what the tool's page reports. */
export async function openItemAndReadReport(page: Page, title: string): Promise<AnyJson> {
  await press(page, "Open");
  const report = await page.frameLocator(`iframe[title="${title}"]`).locator("#report").textContent();
  return JSON.parse(report ?? "");
}

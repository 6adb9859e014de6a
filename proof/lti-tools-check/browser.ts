import { decodeJwt, type JWTPayload } from "jose";
import type { Frame, Page } from "playwright-core";
import { ToolFailure } from "../clients/toolchain.ts";
import type { AnyJson } from "../lti-check/api.ts";

/** With the texts of the tool's frames if the step does not appear. */
async function failWithFrames(page: Page, error: unknown): Promise<never> {
  const read = (frame: Frame) => frame.locator("body").textContent({ timeout: 1000 });
  const texts = await Promise.all(
    page
      .frames()
      .slice(1)
      .map((frame) => read(frame).catch(() => "")),
  );
  throw new ToolFailure(`${error}\n${texts.join("\n").slice(0, 2000)}`);
}

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
  const listed = page.getByText(name, { exact: true });
  await listed.waitFor().catch((error) => failWithFrames(page, error));
}

/** In the editor of an item: the tool's frame chooses content, and the item takes its title. */
export async function chooseContentInFrame(page: Page, title: string): Promise<void> {
  await press(page, "Choose content at the tool");
  const named = page.getByRole("heading", { name: title });
  await named.waitFor().catch((error) => failWithFrames(page, error));
}

/** Opens a learner's item. Returns what the tool's page reports. */
export async function openItemAndReadReport(page: Page, title: string): Promise<AnyJson> {
  await press(page, "Open");
  const report = page.frameLocator(`iframe[title="${title}"]`).locator("#report");
  return JSON.parse((await report.textContent().catch((error) => failWithFrames(page, error))) ?? "");
}

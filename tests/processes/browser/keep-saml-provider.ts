import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { violationsOnEachSize } from "../../support/accessibility.ts";
import { makeSamlProvider } from "../../support/saml-provider.ts";
import { headed, press } from "./steps.ts";

/**
 * Adds a SAML identity provider to the university on screen: rejected without valid metadata, then added,
 * changed, and given another key.
 */
export async function keepSamlProvider(page: Page): Promise<void> {
  await headed(page, "Identity providers");
  await page.getByText("New SAML 2.0 provider").click();
  const form = page.locator("form").filter({ has: page.getByLabel("Or the metadata itself, as XML") });
  await form.getByLabel("Name in URLs").fill("federated");
  await form.getByLabel("Button label").fill("Federated account");
  await form.getByLabel("Or the metadata itself, as XML").fill("<a/>");
  await form.getByLabel(/^Affiliations that make instructors/).fill("faculty, staff");
  await form.getByRole("button", { name: "Add the provider" }).click();
  await page.getByText("The metadata has no identity provider").waitFor();
  const { metadata, issuer } = await makeSamlProvider(() => new Date());
  await form.getByLabel("Or the metadata itself, as XML").fill(metadata());
  await form.getByRole("button", { name: "Add the provider" }).click();
  const card = page
    .getByRole("listitem")
    .filter({ has: page.getByRole("heading", { name: "Federated account" }) });
  await card.getByText(issuer, { exact: true }).waitFor();
  await card.getByText(/\/auth\/saml\/1\.federated\/acs$/).waitFor();
  await card.getByText("No sign-ins from this provider yet.").waitFor();
  await card.getByText("No rejected sign-ins.").waitFor();
  expect(await violationsOnEachSize(page)).toEqual([]);
  await card.getByText("Edit", { exact: true }).click();
  expect(await card.getByLabel(/^Affiliations that make instructors/).inputValue()).toBe("faculty, staff");
  await card.getByLabel("What the provider signs").selectOption("response");
  await press(page, "Save");
  await card.getByText("the response", { exact: true }).first().waitFor();
  await changeKey(page, card);
}

/** Replaces the service's key, step by step. */
async function changeKey(page: Page, card: Locator): Promise<void> {
  await card.getByText("Change the key", { exact: true }).click();
  const second = card.getByText(/^Second key, until/);
  await press(page, "Add a second key");
  await second.waitFor();
  expect(await violationsOnEachSize(page)).toEqual([]);
  const used = card.getByText(/^In use, until/);
  const former = await used.textContent();
  await press(page, "Sign with the second key");
  await expect.poll(() => used.textContent()).not.toBe(former);
  await press(page, "Remove the second key");
  await second.waitFor({ state: "detached" });
}

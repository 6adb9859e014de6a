import type { Route } from "playwright-core";
import { describe, expect, it } from "vitest";
import { violationsOf } from "../../support/accessibility.ts";
import { systemBrowser } from "../../support/browser.ts";
import { openDemonstration, openTopic, signIn } from "./demonstration.ts";
import { headed } from "./steps.ts";

describe.skipIf(!systemBrowser)("failures, in a browser", () => {
  const { world, browser } = openDemonstration();

  it("explain a failing network or service, and continue when it is back", async () => {
    const { page } = await browser.visit("/app");
    await page.getByLabel("E-mail").fill("mina@northgate.example");
    await page.getByLabel("Password").fill("wrong");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByText("Incorrect email or password").waitFor();
    await signIn(page, "mina@northgate.example");
    await page.context().setOffline(true);
    await page.getByRole("link", { name: "Catalog" }).click();
    await page.getByText("No internet connection.").first().waitFor();
    await expect.poll(() => page.locator(".skeleton").count()).toBe(0);
    await page.context().setOffline(false);
    await page.getByRole("heading", { name: "Digital Signal Processing" }).waitFor();
    await page.route("**/users/me/home*", (route) =>
      route.fulfill({ status: 503, json: { detail: "The database cannot be reached" } }),
    );
    await page.getByRole("link", { name: "My courses" }).click();
    await page.getByText("Something went wrong (503).").waitFor();
    await page.unroute("**/users/me/home*");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("link", { name: "Introduction to Signals" }).waitFor();
  });

  it("reads again if the network came back before the failure was known", async () => {
    const { page } = await browser.visit("/app");
    await signIn(page, "mina@northgate.example");
    const sent = Promise.withResolvers<Route>();
    await page.route("**/offerings?*", (route) => sent.resolve(route), { times: 1 });
    await page.getByRole("link", { name: "Catalog" }).click();
    const route = await sent.promise;
    await page.evaluate("dispatchEvent(new Event('online'))");
    await route.abort("internetdisconnected");
    await page.getByRole("heading", { name: "Digital Signal Processing" }).waitFor();
  });

  it("keep the retry button disabled until the retry time", async () => {
    const { page } = await browser.visit("/app");
    await signIn(page, "mina@northgate.example");
    await page.clock.install();
    await page.route("**/offerings?*", (route) =>
      route.fulfill({ status: 503, headers: { "retry-after": "90" }, json: { detail: "Too much to do" } }),
    );
    await page.getByRole("link", { name: "Catalog" }).click();
    await page.getByText("Try again in 2 minutes.").waitFor();
    const again = page.getByRole("button", { name: "Try again" });
    expect(await again.isDisabled()).toBe(true);
    expect(await violationsOf(page)).toEqual([]);
    await page.clock.fastForward("01:31");
    await expect.poll(() => again.isEnabled()).toBe(true);
    await page.unroute("**/offerings?*");
    await again.click();
    await page.getByRole("heading", { name: "Digital Signal Processing" }).waitFor();
  });

  it("does so for an answer that ends in a refusal, which has no status any more", async () => {
    world.llm.reset();
    world.llm.script({ chunks: ["A whole answer."] });
    const { page } = await browser.visit("/app");
    await signIn(page, "mina@northgate.example");
    await openTopic(page, "Introduction to Signals", "Hear it");
    await page.clock.install();
    const refused = { content: "", done: true, error: "The tutor has too much to do", retry_after: 40 };
    await page.route("**/chat/sessions/*/messages", (route) =>
      route.fulfill({
        contentType: "text/event-stream",
        body: `: waiting\n\ndata: ${JSON.stringify(refused)}\n\n`,
      }),
    );
    await page.getByRole("button", { name: "Start with the tutor" }).click();
    await page.getByText("The tutor has too much to do. Try again in 40 seconds.").waitFor();
    const again = page.getByRole("button", { name: "Try again" });
    expect(await again.isDisabled()).toBe(true);
    await page.clock.fastForward("00:39");
    expect(await again.isDisabled()).toBe(true);
    await page.clock.fastForward("00:02");
    await expect.poll(() => again.isEnabled()).toBe(true);
    await page.unroute("**/chat/sessions/*/messages");
    await again.click();
    await page.getByText("A whole answer.").waitFor();
  });

  it("explain each field's fault, in the reader's language", async () => {
    const { page } = await browser.visit("/app");
    await signIn(page, "mina@northgate.example");
    await page.getByRole("link", { name: "Mina Park", exact: true }).click();
    await headed(page, "My account");
    const told = (label: string) => page.getByRole("textbox", { name: label, exact: true });
    /** The message that describes a field to screen readers. */
    const saidAt = async (label: string) => {
      await expect.poll(() => told(label).getAttribute("aria-invalid")).toBe("true");
      const ids = await told(label).getAttribute("aria-describedby");
      return page.locator(`[id="${ids}"]`).textContent();
    };
    for (const [language, title, name, profile, save, blank, long] of [
      [
        ...(["de", "Mein Konto", "Name", "Über mich", "Speichern"] as const),
        ...(["Das darf nicht leer sein", "Höchstens 255 Zeichen"] as const),
      ],
      [
        ...(["es", "Mi cuenta", "Nombre", "Sobre mí", "Guardar"] as const),
        ...(["No puede estar en blanco", "Como máximo 255 caracteres"] as const),
      ],
    ] as const) {
      await page.getByRole("banner").getByRole("combobox").selectOption(language);
      await headed(page, title);
      const send = page
        .getByRole("region", { name: profile, exact: true })
        .getByRole("button", { name: save });
      await told(name).fill("");
      await told(name).pressSequentially("  ");
      await send.click();
      await page.getByText(blank, { exact: true }).waitFor();
      expect(await saidAt(name)).toBe(blank);
      // Simulates a browser that does not enforce the limit.
      await page.evaluate("document.querySelector('[name=full_name]').maxLength = 300");
      await told(name).fill("x".repeat(256));
      await send.click();
      await page.getByText(long, { exact: true }).waitFor();
      expect(await saidAt(name)).toBe(long);
      expect(await violationsOf(page)).toEqual([]);
    }
  });
});

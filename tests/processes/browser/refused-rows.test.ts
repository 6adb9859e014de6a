import { describe, expect, it } from "vitest";
import { violationsOf } from "../../support/accessibility.ts";
import { openBrowser, systemBrowser } from "../../support/browser.ts";
import { makersOf } from "../../support/makers.ts";
import { openWorld } from "../../support/world.ts";
import { press } from "./steps.ts";
import { visitAs } from "./visit-as.ts";

const people = `email,full_name,sourced_id
ada@example.edu,Ada Lovelace,a-1
nobody,Nora Nobody,n-1
ada@example.edu,Ada Again,a-2
`;

describe.skipIf(!systemBrowser)("rejected rows of an import, in a browser", () => {
  const world = openWorld();
  const make = makersOf(world);
  const browser = openBrowser(world);

  it("say why in the reader's language, whichever that becomes", async () => {
    const university = await make.university();
    const administrator = await make.holder("university_admin", university.id);
    const { page, complaints } = await visitAs(world, browser, administrator, "");
    await page.getByLabel("Language").selectOption("de");
    await page.evaluate(`location.hash = "#/administration/${university.id}/imports"`);
    await page
      .getByLabel("Dateien")
      .setInputFiles([{ name: "people.csv", mimeType: "text/csv", buffer: Buffer.from(people) }]);
    await press(page, "Starten");
    await page.getByText("email ist keine E-Mail-Adresse", { exact: true }).waitFor();
    await page.getByText("Dieselbe Person steht in Zeile 2", { exact: true }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByLabel("Sprache").selectOption("es");
    await page.getByText("email no es una dirección de correo", { exact: true }).waitFor();
    await page.getByLabel("Idioma").selectOption("en");
    await page.getByText("email is not an e-mail address", { exact: true }).waitFor();
    await page.getByText("The same person is in line 2", { exact: true }).waitFor();
    expect(complaints).toEqual([]);
  });
});

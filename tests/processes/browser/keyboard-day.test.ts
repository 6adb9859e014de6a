import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { hashPassword } from "../../../lib/identity/auth/password-hashes.ts";
import { demoPassword } from "../../../scripts/dev/seed/accounts.ts";
import { violationsOf } from "../../support/accessibility.ts";
import { systemBrowser } from "../../support/browser.ts";
import { makersOf } from "../../support/makers.ts";
import { allOr } from "../../support/representatives.ts";
import { openDemonstration } from "./demonstration.ts";
import { notLost, pressOn, tabTo } from "./keyboard.ts";
import { askedQuestion } from "./steps.ts";

/** A phone, and a window of 1280 pixels at 400 % zoom. */
const phone = { width: 360, height: 780 };
const narrow = { width: 320, height: 640 };

const course = "Introduction to Signals";
const topic = "What is a signal?";
const work = "A spectrum of your own";

/** Backwards from a screen's heading, which has the initial focus, to the bar above. */
const back = { by: "Shift+Tab" };

describe.skipIf(!systemBrowser)("a learner's day by the keyboard alone, on a narrow screen", () => {
  const { world, browser } = openDemonstration();
  const make = makersOf(world);

  const languages = [
    ["de", narrow],
    ["en", phone],
    ["es", narrow],
  ] as const;

  it.each(allOr<(typeof languages)[number]>(languages, () => languages.slice(0, 1)))(
    "in %s shows the focus at each step, and never loses it",
    async (language, size) => {
      const words = await readFile(
        new URL(`../../../app/texts/later/${language}.json`, import.meta.url),
        "utf8",
      );
      const texts = JSON.parse(words);
      const learner = await make.person({ password_hash: await hashPassword(demoPassword, 4) });
      world.llm.reset();
      world.llm.script({ chunks: ["Welcome.", askedQuestion(1)] }, { chunks: ["To the right, indeed."] });
      const { page, complaints } = await browser.visit("/app");
      await page.setViewportSize(size);
      await page.evaluate(`localStorage.setItem("language", "${language}")`);
      await page.reload();
      await page.locator(`html[lang=${language}] input[name=password]`).waitFor();
      const judged = async () => {
        // German has the longest words; other checks are the same per language.
        if (language === "de") expect(await violationsOf(page)).toEqual([]);
        expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(size.width);
      };

      await judged();
      await tabTo(page, "input[name=email]");
      await page.keyboard.type(learner.email ?? "");
      await tabTo(page, "input[name=password]");
      await page.keyboard.type(demoPassword);
      await page.keyboard.press("Enter");
      await page.locator("main a[href='#/catalog']").waitFor();
      await notLost(page);
      await judged();

      await pressOn(page, "main a[href='#/catalog']", "", "main .cards button");
      await judged();
      await pressOn(page, "main .cards button", course, "ol.outline");
      await notLost(page);
      await page.getByRole("link", { name: topic, exact: true }).waitFor();
      await judged();
      const here = await page.evaluate<string>("location.hash");

      await pressOn(page, "main a", topic, ".open-tutor");
      await pressOn(page, ".open-tutor", "", ".tutor button.primary");
      await pressOn(page, ".tutor button.primary", "", "fieldset.options button.option");
      await pressOn(page, "button.option", "To the right", ".answer >> text=To the right, indeed.", {
        key: "Space",
      });
      await judged();
      await pressOn(page, ".answer button", texts["card.keep"], `text="${texts["card.kept"]}"`);
      // The page below is out of reach until the sheet is closed.
      await page.keyboard.press("Escape");
      await page.locator(".open-tutor:focus").waitFor();
      await pressOn(page, ".notes summary", texts["notes"], ".notes textarea");
      await tabTo(page, ".notes textarea");
      await page.keyboard.type("A signal carries something.");
      await pressOn(page, ".notes form button", "", ".notes li >> text=A signal carries something.");
      await judged();

      await pressOn(page, "a.back", "", `main a >> text=Check: time shifts`, back);
      await pressOn(page, "main a", "Check: time shifts", "article button.primary");
      await pressOn(page, "article button.primary", "", "input[type=radio]");
      await tabTo(page, "input[type=radio]");
      await page.keyboard.press("ArrowDown");
      await page.locator("input[type=radio]:checked").first().waitFor();
      await judged();
      page.on("dialog", (dialog) => dialog.accept());
      await pressOn(page, "article button.primary", "", "article section ul, article h2");

      await pressOn(page, "a.back", "", `main a >> text=${work}`, back);
      await pressOn(page, "main a", work, "textarea[name=body]");
      await tabTo(page, "form:has(textarea[name=links]) textarea[name=body]");
      await page.keyboard.type("Two peaks, one each side.");
      await pressOn(
        page,
        "form:has(textarea[name=links]) button.primary",
        "",
        "main .badge.pending, main .badge.submitted",
      );
      await judged();

      await pressOn(page, "a.back", "", "nav.tabs a", back);
      // The next screen focuses its heading first.
      await pressOn(page, "nav.tabs a[href$='/discussions']", "", "main h1:focus");
      await page.locator("main details summary").first().waitFor();
      await pressOn(page, "main details summary", "", "input[name=title]");
      await tabTo(page, "input[name=title]");
      await page.keyboard.type("Negative frequencies");
      await tabTo(page, "textarea[name=body]");
      await page.keyboard.type("What are they?");
      await pressOn(
        page,
        "form:has(input[name=title]) button.primary",
        "",
        "ol.posts >> text=What are they?",
      );
      await judged();
      await tabTo(page, "form:not(:has(input[name=title])) textarea[name=body]");
      await page.keyboard.type("A sense of turning.");
      await pressOn(page, "form button.primary", "", "ol.posts >> text=A sense of turning.");
      // Back leads to the discussion that was read, not to the top of the list.
      await pressOn(page, "a.back", "", "main .lines a:focus >> text=Negative frequencies", back);

      await pressOn(page, ".top nav a[href='#/flashcards']", "", "main a[href='#/flashcards/kept']", back);
      await judged();
      await pressOn(page, "main a[href='#/flashcards/review']", "", ".review button.primary");
      await pressOn(page, ".review button.primary", "", ".ratings button");
      // With the card focused, number keys rate it.
      await page.keyboard.press("3");
      await page.locator("main a.button[href='#/flashcards']").waitFor();
      await notLost(page);
      await judged();
      await pressOn(page, ".top nav a[href='#/search']", "", "input[type=search]", back);
      await tabTo(page, "input[type=search]");
      await page.keyboard.type("indeed right");
      await page.keyboard.press("Enter");
      await page.locator("mark").first().waitFor();
      await notLost(page);
      await judged();
      await pressOn(
        page,
        "main h3 a:not([href*='flashcards'])",
        topic,
        ".tutor >> text=To the right, indeed.",
      );
      expect(await page.evaluate<string>("location.hash")).toContain(here);

      // The result is in the tutor's sheet, which covers the page.
      await page.keyboard.press("Escape");
      await pressOn(page, ".who a.name", "", "select[name=locale]", back);
      await tabTo(page, "select[name=locale]");
      await judged();
      await tabTo(page, ".who select", "", "Shift+Tab");
      await page.keyboard.press(language === "es" ? "ArrowUp" : "ArrowDown");
      await page.locator(`html:not([lang=${language}])`).waitFor();
      await notLost(page);
      expect(await page.evaluate("document.activeElement.matches('.who select')")).toBe(true);
      await pressOn(page, "[aria-labelledby=devices] button", "", "input[name=password]");
      expect(complaints).toEqual([]);
    },
  );
});

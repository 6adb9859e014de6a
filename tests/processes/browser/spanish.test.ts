import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { eq } from "drizzle-orm";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { courses } from "../../../schema/db/courses/courses.ts";
import { courseOfferings } from "../../../schema/db/courses/offerings.ts";
import { excessOf, violationsOnEachSize } from "../../support/accessibility.ts";
import { sizes, systemBrowser } from "../../support/browser.ts";
import { openDemonstration, signInAs } from "./demonstration.ts";
import { askedQuestion, follow, headed, press } from "./steps.ts";

const folder = new URL("../../../app/texts/", import.meta.url);

async function textsIn(language: string): Promise<Record<string, string>> {
  const names = await readdir(folder, { recursive: true });
  const own = names.filter((name) => path.basename(name) === `${language}.json`);
  const read = await Promise.all(own.map((name) => readFile(new URL(name, folder), "utf8")));
  return Object.assign({}, ...read.map((text) => JSON.parse(text)));
}

const literal = (text: string) => text.replaceAll(/[\\^$.*+?()[\]|]/g, "\\$&");

/** Matches a text with any values and any plural form. */
function patternOf(text: string): string {
  const parts = text.split(/(\{\w+(?::[^{}]*)?\})/).map((part) => {
    const [, forms] = /^\{\w+(?::([^{}]*))?\}$/.exec(part) ?? [];
    if (!part.startsWith("{")) return literal(part);
    return forms === undefined ? ".+" : `(?:${forms.split("|").map(literal).join("|")})`;
  });
  return `^${parts.join("")}$`;
}

const [english, spanish] = await Promise.all([textsIn("en"), textsIn("es")]);
const hasWords = (text: string) => /[a-z]{3}/.test(text.replaceAll(/\{\w+\}/g, ""));
const ofEnglish = Object.entries(english)
  .filter(([key, text]) => spanish[key] !== text && hasWords(text))
  .map(([, text]) => new RegExp(patternOf(text)));
const ofSpanish = Object.values(spanish)
  .filter(hasWords)
  .map((text) => new RegExp(patternOf(text)));

/** Visible strings that are English, or names of missing texts. */
async function notInSpanish(page: Page): Promise<string[]> {
  const said = await page.evaluate<string[]>(`(() => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const said = [document.title];
    while (texts.nextNode()) said.push(texts.currentNode.nodeValue);
    for (const named of document.querySelectorAll("[aria-label], [title], [placeholder], [alt]"))
      for (const name of ["aria-label", "title", "placeholder", "alt"]) said.push(named.getAttribute(name) ?? "");
    return said.map((text) => text.trim()).filter((text) => text !== "");
  })()`);
  return said.filter(
    (text) =>
      (text.includes(".") && Object.hasOwn(english, text)) ||
      (ofEnglish.some((pattern) => pattern.test(text)) && !ofSpanish.some((pattern) => pattern.test(text))),
  );
}

type Taught = { course: number; offering: number; university: number };

/** Screens of a class, a course and a university, by the end of their addresses. */
const addressed =
  (start: (taught: Taught) => string) =>
  (...screens: string[]) =>
    screens.map((screen) => (taught: Taught) => [start(taught), screen].filter(Boolean).join("/"));
const ofClass = addressed(({ course, offering }) => `teaching/${course}/${offering}`);
const ofCourse = addressed(({ course }) => `authoring/${course}`);
const ofUniversity = addressed(({ university }) => `administration/${university}`);

describe.skipIf(!systemBrowser)("a visit in Spanish", () => {
  const { world, browser } = openDemonstration();

  /** A person's first screen after choosing Spanish. */
  async function visit(
    email = "mina@northgate.example",
    [english, spanish]: readonly [string, string] = ["Hello, Mina Park", "Hola, Mina Park"],
  ) {
    const { page, complaints } = await browser.visit("/app");
    await expect.poll(() => notInSpanish(page)).toContain("Sign in");
    await signInAs(page, email);
    await headed(page, english);
    await page.getByLabel("Language").selectOption("es");
    await headed(page, spanish);
    return { page, complaints };
  }

  it("is offered at sign-in, and remembered after a reload", async () => {
    const { page, complaints } = await browser.visit("/app");
    await page.getByLabel("Language").selectOption({ label: "Español" });
    await page.getByRole("button", { name: "Iniciar sesión", exact: true }).waitFor();
    await page.reload();
    await page.getByRole("button", { name: "Iniciar sesión", exact: true }).waitFor();
    expect(await page.locator("html").getAttribute("lang")).toBe("es");
    expect(await notInSpanish(page)).toEqual([]);
    expect(await violationsOnEachSize(page)).toEqual([]);
    await page.getByLabel("Correo electrónico").pressSequentially("mina@northgate.example");
    await page.getByLabel("Contraseña", { exact: true }).pressSequentially("not hers at all");
    await press(page, "Iniciar sesión");
    await page.getByText("El correo electrónico o la contraseña no son correctos").waitFor();
    expect(await notInSpanish(page)).toEqual([]);
    await follow(page, "¿Has olvidado tu contraseña?");
    await press(page, "Enviar enlace");
    expect(await notInSpanish(page)).toEqual([]);
    expect(complaints.filter((complaint) => !complaint.includes("401"))).toEqual([]);
  });

  it("works with the tutor, whose screens are in Spanish", async () => {
    world.llm.script(
      { chunks: ["Welcome to signals.", askedQuestion(1)] },
      { chunks: ["To the right, indeed."] },
    );
    const { page, complaints } = await visit();
    await follow(page, "Introduction to Signals");
    await headed(page, "Introduction to Signals");
    expect(await notInSpanish(page)).toEqual([]);
    await follow(page, "What is a signal?");
    await press(page, "Empezar con el tutor");
    await page.getByRole("button", { name: "B To the right" }).click();
    await page.getByText("To the right, indeed.").waitFor();
    await page.getByLabel("Preguntar con tus palabras").fill("¿Por qué?");
    expect(await notInSpanish(page)).toEqual([]);
    expect(await violationsOnEachSize(page)).toEqual([]);
    await press(page, "Marcar como hecho");
    await page.getByText("✓ Hecho").waitFor();
    expect(complaints).toEqual([]);
  });

  it("takes a quiz, and hands it in", async () => {
    const { page, complaints } = await visit();
    await follow(page, "Introduction to Signals");
    await follow(page, "Check: time shifts");
    await press(page, "Empezar");
    await page.getByLabel("Verdadero").check();
    await page.getByText("Guardado", { exact: true }).waitFor();
    expect(await notInSpanish(page)).toEqual([]);
    expect(await violationsOnEachSize(page)).toEqual([]);
    const asked: string[] = [];
    page.once("dialog", (dialog) => {
      asked.push(dialog.message());
      return dialog.accept();
    });
    await press(page, "Entregar");
    await page.getByRole("heading", { name: "1 de 3 puntos" }).waitFor();
    expect(asked).toEqual([
      "2 de 3 preguntas están sin responder. ¿Entregar ahora? Después no podrás cambiar nada.",
    ]);
    expect(await notInSpanish(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("finds nothing in English on the other screens", async () => {
    const { page, complaints } = await visit();
    expect(await notInSpanish(page)).toEqual([]);
    expect(await violationsOnEachSize(page)).toEqual([]);
    for (const [link, title] of [
      ["Catálogo", "Catálogo"],
      ["Tarjetas", "Tarjetas de estudio"],
      ["Certificados", "Mis certificados"],
      ["Mina Park", "Mi cuenta"],
      ["Solicitudes de funciones", "Solicitudes de funciones"],
    ] as const) {
      await follow(page, link);
      await headed(page, title);
      await page.waitForLoadState("networkidle");
      expect(await notInSpanish(page), title).toEqual([]);
      expect(await violationsOnEachSize(page), title).toEqual([]);
    }
    await page.getByRole("link", { name: /^Notificaciones/ }).click();
    await headed(page, "Notificaciones");
    await page.getByRole("button", { name: "Marcar como leído" }).first().waitFor();
    expect(await notInSpanish(page)).toEqual([]);
    await follow(page, "Mis cursos");
    await follow(page, "Programming with Python");
    for (const [tab, title] of [
      ["Anuncios", "Anuncios"],
      ["Debates", "Debates"],
      ["Calificaciones", "Mis calificaciones"],
    ] as const) {
      await follow(page, tab);
      await headed(page, title);
      await page.waitForLoadState("networkidle");
      expect(await notInSpanish(page), title).toEqual([]);
    }
    expect(await violationsOnEachSize(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it.each([
    [
      "teach",
      [
        "teaching",
        ...ofClass(
          "",
          "enroll",
          "submissions",
          "gradebook",
          "grading",
          "certificates",
          "discussions",
          "tutor",
        ),
      ],
    ],
    ["write courses", ["authoring", ...ofCourse("", "settings", "questions", "offerings")]],
    [
      "administer",
      [
        "reports",
        ...ofUniversity("", "people", "people/1", "roles", "settings", "imports", "terms", "audit"),
      ],
    ],
  ] as const)("finds nothing in English where people %s", async (_, addresses) => {
    const { page, complaints } = await visit("edwin@northgate.example", ["Administration", "Administración"]);
    // A phone shows overflow first; axe's other checks do not depend on language.
    await page.setViewportSize(sizes.phone);
    const [taught] = await world.deps.db
      .select({ course: courses.id, offering: courseOfferings.id, university: courses.university_id })
      .from(courseOfferings)
      .innerJoin(courses, eq(courses.id, courseOfferings.course_id))
      .where(eq(courses.title, "Introduction to Signals"));
    if (!taught) throw new Error("The demonstration has no such course");
    for (const addressOf of addresses) {
      const address = typeof addressOf === "string" ? addressOf : addressOf(taught);
      await page.goto(`${browser.url()}/app#/${address}`);
      await page.reload();
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.waitForLoadState("networkidle");
      expect(await page.getByText("Página no encontrada").count(), address).toBe(0);
      expect(await notInSpanish(page), address).toEqual([]);
      expect(await excessOf(page), address).toEqual([]);
    }
    expect(complaints).toEqual([]);
  });
});

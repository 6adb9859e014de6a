import { readdir, readFile } from "node:fs/promises";
import { expect, it } from "vitest";

const folder = new URL("../../../app/src/", import.meta.url);

/** Buttons that remain after a press, or move the focus themselves. */
const others = [
  ...[
    "components/button.tsx",
    "components/field-array.tsx",
    "components/move-buttons.tsx",
    "content/video.tsx",
    "editor/toolbar.tsx",
  ],
  // To the next answer (answer-focus.ts).
  ...["tutor/typed-option-confirmation.tsx", "tutor/question.tsx", "tutor/conversation-view.tsx"],
  // To the sheet (sheet.ts).
  "tutor/panel.tsx",
];

async function screenSources(): Promise<[name: string, source: string][]> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".tsx"));
  return Promise.all(
    names.map(
      async (name): Promise<[string, string]> => [name, await readFile(new URL(name, folder), "utf8")],
    ),
  );
}

it("no list has a button that searches it: it narrows while the user types", async () => {
  const withButton = (await screenSources()).filter(([, source]) =>
    /<button[^>]*>\s*\{t\("search"\)\}/.test(source),
  );
  expect(withButton.map(([name]) => name)).toEqual([]);
});

it("each due date leaves out the usual end of a day", async () => {
  const dues = (await screenSources()).flatMap(([name, source]) =>
    [...source.matchAll(/t\("due\.on", \{ day: (\w+)/g)].map(([, format]) => [name, format] as const),
  );
  expect(dues.length).toBeGreaterThan(5);
  expect(dues.filter(([, format]) => format === "formatDayAndTime")).toEqual([]);
});

it("each button passes on the focus when it disappears: it is a Button", async () => {
  const bare = (await screenSources())
    .filter(([, source]) => /<button\s+(key=\{\w+\}\s+)?type="button"/.test(source))
    .map(([name]) => name);
  expect(bare.sort()).toEqual(others.sort());
});

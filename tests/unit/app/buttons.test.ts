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
  ],
  // To the next answer (answer-focus.ts).
  ...["tutor/meant.tsx", "tutor/question.tsx", "tutor/conversation-view.tsx"],
  // To the sheet (sheet.ts).
  "tutor/panel.tsx",
];

it("each button passes on the focus when it disappears: it is a Button", async () => {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".tsx"));
  const sources = await Promise.all(names.map((name) => readFile(new URL(name, folder), "utf8")));
  const bare = names.filter((_, at) => /<button\s+(key=\{\w+\}\s+)?type="button"/.test(sources[at] ?? ""));
  expect(bare.sort()).toEqual(others.sort());
});

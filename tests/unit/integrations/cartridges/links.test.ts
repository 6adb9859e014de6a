import { expect, it } from "vitest";
import { replacePlaceholdersWithItemLinks } from "../../../../lib/integrations/cartridges/links.ts";

const put = (text: string) =>
  replacePlaceholdersWithItemLinks(text, (target) => (target === "file/a.html" ? 7 : undefined));

it("resolves placeholder links to the created items, with any escaped label", () => {
  expect(put("See [the \\[first\\] part](cartridge:file%2Fa.html), [A](cartridge:file%2Fa.html).").data).toBe(
    "See [the \\[first\\] part](#/items/7), [A](#/items/7).",
  );
});

it("replaces a link without a target by its label, and reports it", () => {
  expect(put("[A](https://a.example) [B](cartridge:resource%2Fb)")).toEqual({
    data: "[A](https://a.example) B",
    lost: ['left_out_link {"address":"b"}'],
  });
});

it("keeps other text", () => {
  const text = "](cartridge:file%2Fa.html) \\[A](cartridge:file%2Fa.html) [A](cartridge:file/a.html)";
  expect(put(text)).toEqual({ data: text, lost: [] });
});

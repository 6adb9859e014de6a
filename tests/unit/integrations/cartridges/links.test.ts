import { expect, it } from "vitest";
import { withItems } from "../../../../lib/integrations/cartridges/links.ts";

const put = (text: string) => withItems(text, (target) => (target === "file/a.html" ? 7 : undefined));

it("leads links that wait to what was made of them, whatever their label has behind a backslash", () => {
  expect(put("See [the \\[first\\] part](cartridge:file%2Fa.html), [A](cartridge:file%2Fa.html).").data).toBe(
    "See [the \\[first\\] part](#/items/7), [A](#/items/7).",
  );
});

it("has a link to what nothing was made of be its label, and tells of it", () => {
  expect(put("[A](https://a.example) [B](cartridge:resource%2Fb)")).toEqual({
    data: "[A](https://a.example) B",
    lost: ["link: b"],
  });
});

it("leaves what is no link", () => {
  const text = "](cartridge:file%2Fa.html) \\[A](cartridge:file%2Fa.html) [A](cartridge:file/a.html)";
  expect(put(text)).toEqual({ data: text, lost: [] });
});

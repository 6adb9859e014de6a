import fc from "fast-check";
import { expect, it } from "vitest";
import { escapePromptClosingTags } from "../../../../lib/tutor/prompts/closing-tags.ts";
import { renderPrompt } from "../../../../lib/tutor/prompts/render.ts";
import { disguised, hostileText } from "../../../support/hostile-text.ts";

const template = "<material>\n{{content}}\n</material>\nNow <b>teach</b>.";
/** As a reader takes it who sees neither marks nor invisible characters. */
const seen = (text: string) =>
  text.replaceAll(/[\s\p{M}\p{C}\p{Default_Ignorable_Code_Point}]/gu, "").toLowerCase();
const rendered = (content: string) =>
  renderPrompt(template, escapePromptClosingTags(template, { content }), "empty");

it("no value closes a tag of the template, however it is spelled", () => {
  const closing = fc.constantFrom("</material>", "</MATERIAL >", "</b>").chain(disguised);
  fc.assert(
    fc.property(hostileText, closing, hostileText, (before, tag, behind) => {
      const text = seen(rendered(`${before}${tag}${behind}`));
      expect(text.split("</material").length).toBe(2);
      expect(text.split("</b>").length).toBe(2);
    }),
  );
});

it("other markup stays, and all of it for a template without tags", () => {
  const content = "<p>Text</p> a < b </materials-of-others";
  expect(rendered(content)).toContain("<p>Text</p> a < b &lt;/materials-of-others");
  const values = { content: "</material>" };
  expect(escapePromptClosingTags("----- {{content}} -----", values)).toBe(values);
});

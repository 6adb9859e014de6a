import { describe, expect, it } from "vitest";
import { instructionsAsBlocks, withInstructionsFromBlocks } from "../../../app/src/authoring/instructions.ts";

const formula = { type: "math", latex: "v = f" };

describe("an assignment's instructions", () => {
  it("are edited as one text with the blocks below them, and are stored as they were", () => {
    const data = {
      instructions: "Draw.",
      blocks: [formula, { type: "paragraph", text: "Then." }],
      max_points: 3,
    };
    const blocks = instructionsAsBlocks(data);
    expect(blocks).toEqual([{ type: "paragraph", text: "Draw." }, ...data.blocks]);
    expect(withInstructionsFromBlocks(data, blocks)).toEqual(data);
  });

  it("end at the first formula or picture, and are removed with their text", () => {
    const paragraphs = ["One.", "Two."].map((text) => ({ type: "paragraph", text }));
    expect(withInstructionsFromBlocks({}, [...paragraphs, formula])).toEqual({
      instructions: "One.\n\nTwo.",
      blocks: [formula],
    });
    expect(
      withInstructionsFromBlocks({ instructions: "One.", blocks: [formula], max_points: 3 }, []),
    ).toEqual({
      max_points: 3,
    });
  });
});

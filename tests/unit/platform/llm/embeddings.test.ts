import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { bedrockEmbeddingsProvider } from "../../../../lib/platform/llm/embeddings.ts";
import {
  type EmbeddingsStandIn,
  meaningIn,
  startEmbeddingsStandIn,
  unreadable,
} from "../../../support/embeddings-stand-in.ts";
import { noDeadline } from "../../../support/no-deadline.ts";

const titan = "amazon.titan-embed-text-v2:0";
const cohere = "eu.cohere.embed-v4:0";

let standIn: EmbeddingsStandIn;
beforeAll(async () => {
  standIn = await startEmbeddingsStandIn();
});
afterAll(() => standIn.close());
beforeEach(() => {
  standIn.requests.length = 0;
  standIn.fails = undefined;
});

const embed = (
  model: string,
  texts: string[],
  use: "query" | "document" = "document",
  signal = noDeadline(),
) => {
  const credentials = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "secret" };
  const embeddings = bedrockEmbeddingsProvider(model, {
    region: "eu-west-2",
    endpoint: standIn.url,
    credentials,
  });
  return embeddings.embed(texts, { university_id: 1, use, signal });
};

/** With a stored vector's precision. */
const near = (vector: readonly number[] | undefined) => vector?.map((one) => one.toFixed(5));

describe("the embeddings of Amazon Bedrock", () => {
  it("are requested from Titan for one text after the other, and returned in order, with the tokens", async () => {
    const texts = ["A pendulum", "Heat", "", "Current", "None", "Warmth"];
    const { vectors, tokens } = await embed(titan, texts);
    expect(vectors.map(near)).toEqual(texts.map((text) => near(meaningIn(text))));
    expect(tokens).toBe(30);
    expect(standIn.requests).toHaveLength(6);
    expect(standIn.requests[0]).toEqual({
      model: titan,
      inputText: expect.any(String),
      dimensions: 256,
      normalize: true,
    });
  });

  it("are requested from Cohere for 96 texts per call, with their use as query or document", async () => {
    const texts = Array.from({ length: 200 }, (_, at) => `Heat ${at}`);
    const { vectors, tokens } = await embed(cohere, texts);
    expect([vectors.length, tokens]).toEqual([200, 1000]);
    expect(standIn.requests.map((one) => one.texts?.length).sort()).toEqual([8, 96, 96]);
    await embed(cohere, ["Heat"], "query");
    expect(standIn.requests.at(-1)).toEqual({
      ...{ model: cohere, texts: ["Heat"], input_type: "search_query" },
      ...{ embedding_types: ["float"], output_dimension: 256 },
    });
    expect(standIn.requests[0]).toMatchObject({ input_type: "search_document" });
  });

  it.each([titan, cohere])("of %s omit a rejected text, and no other", async (model) => {
    const { vectors } = await embed(model, ["Heat", `An ${unreadable} one`, "Current"]);
    expect(vectors.map((vector) => vector !== undefined)).toEqual([true, false, true]);
  });

  it("of a single rejected text are none, and no failure", async () => {
    expect((await embed(titan, [`An ${unreadable} one`], "query")).vectors).toEqual([undefined]);
  });

  it.each([
    [429, "ThrottlingException", "unavailable"],
    [403, "AccessDeniedException", "rejected"],
    [404, "ResourceNotFoundException", "rejected"],
    // The error for a model without its inference profile, for any text.
    [400, "ValidationException", "rejected"],
  ])("fail if they are unavailable: HTTP %i, %s", async (status, type, kind) => {
    standIn.fails = { status, type };
    await expect(embed(titan, ["Heat"])).rejects.toMatchObject({
      name: "LlmError",
      kind,
      message: expect.stringContaining(type),
    });
  });

  it("are given up with their signal", async () => {
    standIn.fails = "silence";
    const caller = new AbortController();
    const asked = expect(embed(titan, ["Heat"], "query", caller.signal)).rejects.toMatchObject({
      name: "LlmError",
    });
    await expect.poll(() => standIn.requests.length, { message: "Titan is asked" }).toBe(1);
    caller.abort();
    await asked;
  });
});

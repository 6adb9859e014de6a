import * as z from "zod";
import {
  type BedrockConnectionOptions,
  classifyBedrockError,
  createBedrockClientFactory,
} from "./bedrock.ts";
import { LlmError } from "./provider.ts";

/** Some models distinguish search queries from searched texts. */
type TextUse = "query" | "document";

/** Unit vectors; undefined for a text that the model rejects. */
export type EmbeddingResult = { vectors: (number[] | undefined)[]; tokens: number };

/** Rejects with an `LlmError` if the model is unavailable. */
export type EmbeddingsProvider = {
  model: string;
  embed(
    texts: readonly string[],
    call: { university_id: number; use: TextUse; signal: AbortSignal },
  ): Promise<EmbeddingResult>;
};

/**
 * A thousand are compared in one or two milliseconds and stored inline. Both models are trained for
 * truncation.
 */
const dimensions = 256;

/** For models that take one text per call. */
const maxConcurrentEmbeddingCalls = 4;

const Vector = z.array(z.number()).length(dimensions);

type Family = {
  isOf: RegExp;
  most: number;
  input(texts: readonly string[], use: TextUse): object;
  read(answer: unknown): number[][];
};

const families: readonly Family[] = [
  {
    isOf: /amazon\.titan-embed-text-v2:0$/,
    most: 1,
    input: ([inputText]) => ({ inputText, dimensions, normalize: true }),
    read: (answer) => [z.object({ embedding: Vector }).parse(answer).embedding],
  },
  {
    isOf: /cohere\.embed-v4:0$/,
    most: 96,
    input: (texts, use) => ({
      texts,
      input_type: `search_${use}`,
      embedding_types: ["float"],
      output_dimension: dimensions,
    }),
    read: (answer) =>
      z.object({ embeddings: z.object({ float: z.array(Vector) }) }).parse(answer).embeddings.float,
  },
];

/** An embedding model or inference profile, as `EMBEDDINGS_MODEL` names it. */
export function bedrockEmbeddingsProvider(
  model: string,
  address: BedrockConnectionOptions,
): EmbeddingsProvider {
  const family = families.find(({ isOf }) => isOf.test(model));
  if (!family) throw new Error(`the model ${model} is not supported`);
  let connection: ReturnType<typeof createBedrockClientFactory> | undefined;
  return {
    model,
    async embed(texts, { university_id, use, signal }) {
      connection ??= createBedrockClientFactory(address);
      const { invoke } = (await connection)(university_id);
      let refusal: LlmError | undefined;
      const ask = async (some: readonly string[]): Promise<EmbeddingResult> => {
        try {
          const { answer, tokens } = await invoke(model, family.input(some, use), signal);
          const vectors = family.read(answer);
          if (vectors.length !== some.length)
            throw new LlmError("rejected", "the model returned another number of vectors");
          return { vectors, tokens };
        } catch (error) {
          if (signal.aborted || !isRefused(error)) throw errorOf(error);
          // One rejected text must not fail the others.
          refusal = errorOf(error);
          return some.length === 1 ? { vectors: [undefined], tokens: 0 } : inParts(some, 1, ask);
        }
      };
      const embedded = await inParts(texts, family.most, ask);
      // A misconfigured model, such as one that needs an inference profile, rejects every text.
      if (refusal && !embedded.vectors.some(Boolean) && !(await ask(["Hello"])).vectors[0]) throw refusal;
      return embedded;
    },
  };
}

async function inParts(
  texts: readonly string[],
  most: number,
  ask: (some: readonly string[]) => Promise<EmbeddingResult>,
): Promise<EmbeddingResult> {
  const parts: EmbeddingResult[] = [];
  const left = Array.from({ length: Math.ceil(texts.length / most) }, (_, at) => at).values();
  const work = async () => {
    for (const at of left) parts[at] = await ask(texts.slice(at * most, (at + 1) * most));
  };
  await Promise.all(Array.from({ length: maxConcurrentEmbeddingCalls }, work));
  return {
    vectors: parts.flatMap(({ vectors }) => vectors),
    tokens: parts.reduce((sum, { tokens }) => sum + tokens, 0),
  };
}

/** The text is at fault, not keys, model or load. */
const isRefused = (error: unknown): boolean => (error as { name?: string }).name === "ValidationException";

function errorOf(error: unknown): LlmError {
  if (error instanceof LlmError) return error;
  if (error instanceof z.ZodError)
    return new LlmError("rejected", "the model does not return vectors of 256 numbers");
  const { kind = "unavailable", reason, retryAfter } = classifyBedrockError(error);
  return new LlmError(kind, reason, retryAfter);
}
